"""A candidate for the answer, with its evidence; and the one decision which of them it is."""

from collections.abc import Iterable
from typing import NamedTuple

from seedbed.scoring.extraction.languages import RETRACTION
from seedbed.scoring.extraction.numbers import ENGLISH, Notation

# How strong a mark is. Among equals the last wins; a weaker one never replaces a stronger one before it.
BARE = 0  # the last line, or what the last sentence says
NAMED = 1  # an option named as the right one in running text
STATED = 2  # a sentence says what the answer is, or a label is followed by more than a value
MARKED = 3  # a box, an element, "####", or a label directly followed by its value

REACH = 5000  # characters; how far before a weaker mark a stronger one still counts
_RETRACTED = 400  # characters before a mark in which it may take back what is before it


class Reading(NamedTuple):
    """A value and where it is in the text it was read from; `value` None says that there is no single answer."""

    value: str | None
    start: int
    end: int
    clean: bool = True  # nothing but punctuation, units or a bracket is behind it up to the end of the line
    flags: tuple[str, ...] = ()

    def moved(self, by: int) -> "Reading":
        """Return the reading with its positions counted from another place."""
        return self._replace(start=self.start + by, end=self.end + by)


def refused(start: int, end: int, flag: str) -> Reading:
    """Return the reading of something that marks an answer but gives no single one."""
    return Reading(None, start, end, True, (flag,))


class Asked(NamedTuple):
    """What kind of value is looked for, and how its language writes numbers."""

    answer_type: str
    letters: str
    notation: Notation = ENGLISH


class Candidate(NamedTuple):
    """What one mark says: its value, the stage it comes from, its strength, where it begins, and whether in an aside.

    What a mark denies, supposes or says of something else is no candidate; the readers of marks leave it out.
    """

    reading: Reading
    stage: str
    rank: int
    start: int
    aside: bool = False


def decide(candidates: Iterable[Candidate], text: str, box: Candidate | None) -> Candidate | None:
    """Return the answer among the candidates behind the last box, given from the last to the first, and that box.

    The strongest wins, among equals the last; a refusal (no single value) replaces nothing that is behind it.
    """
    best: Candidate | None = None
    for one in candidates:
        if best is None:
            if not (one.aside and one.reading.value is None):
                best = one
        elif one.start < best.start - REACH:
            break
        elif _replaces(one, best, text):
            best = one
        if best is not None and settled(best):
            break
    if box is None:
        return best
    if best is None or best.reading.value is None or best.aside:
        return box
    return best if best.rank == MARKED or (best.rank == STATED and _retracts(best, box, text)) else box


def settled(best: Candidate) -> bool:
    """Return whether no mark before this one can replace it."""
    return best.rank == MARKED and not best.aside


def _replaces(earlier: Candidate, later: Candidate, text: str) -> bool:
    """Return whether an earlier candidate is the answer rather than a later one."""
    if earlier.reading.value is None or earlier.aside:
        return False
    return (later.aside or earlier.rank > later.rank) and not _retracts(later, earlier, text)


def _retracts(later: Candidate, earlier: Candidate, text: str) -> bool:
    """Return whether the text takes the earlier mark back before it comes to the later one."""
    start = max(min(earlier.reading.end, later.start), later.start - _RETRACTED)
    return RETRACTION.search(text, start, later.start) is not None
