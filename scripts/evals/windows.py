"""The last match of a pattern in a long text, found at its end wherever that provably equals a scan of all of it.

A scan from the beginning can differ from one that starts later only if a match reaches over the place where the later
one starts to agree. No match can reach over a stretch that holds more characters than the bounded parts of the pattern
can take together, counting only characters that none of its endless repeats takes.
"""

import time
from typing import NamedTuple

import regex

from scripts.evals.reach import Reach, reach_of, takes
from scripts.evals.texts import Text

WINDOWS = (1 << 10, 1 << 13, 1 << 16, 1 << 19)  # bytes of JSON from the end, tried in turn before the whole text
_LATE = 0.25  # seconds; the engine looks at the clock (of the CPU) only so often


class Searched(NamedTuple):
    """The last match: its groups, its span counted from the end of the text, and which group is the answer."""

    match: "regex.Match[str]"
    from_end: int


def last_match(
    text: Text, pattern: "regex.Pattern[str]", timeout: float, windows: tuple[int, ...] = WINDOWS
) -> Searched | None:
    """Return the last match as a scan of the whole text has it, or None; raises TimeoutError after `timeout` s."""
    deadline = time.process_time() + time_for(timeout)
    reach = reach_of(pattern.pattern, pattern.flags)
    for window in windows if reach is not None else ():
        tail, whole = text.tail(window)
        if whole:
            break
        match = _in_window(tail, pattern, reach, deadline) if reach else None
        if match is not None:
            return Searched(match, len(tail))
    full = text.full()
    found = None
    for each in pattern.finditer(full, timeout=_left(deadline)):
        found = each
    return Searched(found, len(full)) if found is not None else None


def time_for(timeout: float) -> float:
    """Return the seconds to give the engine so that it has ended within `timeout`, however late it looks."""
    return timeout - max(0.12 * timeout, min(_LATE, timeout / 2))


def _left(deadline: float) -> float:
    """Return the seconds left; raises TimeoutError if there are none."""
    left = deadline - time.process_time()
    if left <= 0:
        raise TimeoutError
    return left


def _in_window(tail: str, pattern: "regex.Pattern[str]", reach: Reach, deadline: float) -> "regex.Match[str] | None":
    """Return the last match of a full scan if this end of the text settles it, else None."""
    first = reach.behind + 1
    found = list(pattern.finditer(tail, first, overlapped=True, timeout=_left(deadline)))
    if not found:
        return None
    free = _free(tail, first, reach)
    if free is None:
        return None
    furthest = first
    for index, match in enumerate(found):
        if match.start() >= free and furthest <= match.start():
            return _greedy(found[index:])
        furthest = max(furthest, match.end())
    return None


def _greedy(found: "list[regex.Match[str]]") -> "regex.Match[str]":
    """Return the last of the matches that do not overlap, taken from the left."""
    last = found[0]
    for match in found[1:]:
        if match.start() >= last.end():
            last = match
    return last


def _free(tail: str, first: int, reach: Reach) -> int | None:
    """Return the first place that no match from before `first` can reach over, or None."""
    foreign = 0
    for place in range(first, len(tail)):
        character = tail[place]
        taken = reach.taken.get(character)
        if taken is None:
            taken = reach.taken[character] = takes(reach.endless, character)
        if not taken:
            foreign += 1
            if foreign > reach.bounded:
                return place + 1
    return None
