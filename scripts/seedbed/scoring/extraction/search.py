"""The answer of one part of a sample, looked for from its end as far as more text could change it."""

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain

from seedbed.scoring.answers import NOTHING, REASONING, Found, Sample, Words, answered
from seedbed.scoring.extraction.candidates import BARE, MARKED, REACH, STATED, Asked, Candidate, decide
from seedbed.scoring.extraction.latex import plain
from seedbed.scoring.extraction.marks import Stages, boxes, candidates, last_box
from seedbed.scoring.extraction.regions import Part, stretches
from seedbed.scoring.extraction.sentences import last_words
from seedbed.scoring.extraction.values import AHEAD

RUN_ON = "run-on"  # flag: another problem starts behind the answer
IN_REASONING = "in-reasoning"  # flag: the answer is in the thought
WINDOWS = (1 << 13, 1 << 16, 1 << 19)  # characters from the end, tried in turn before all of a long stretch
_BEGINNINGS = (1 << 11, 1 << 13, 1 << 15)  # the same for the first answer, from the beginning
_LOOKED_AT = 1 << 16  # characters
_SHORT = 1 << 12  # characters
_SEVERAL = re.compile(r"\d\D+\d")
_DOUBT = re.compile(
    r"\b(?:not|never|cannot|but|however|wait|fails?|(?:check|verify)(?![\s\S]*\b(?:correct|equal|holds|matches"
    r"|works)\b)|wrong|mistake|maybe|perhaps|alternatively|hmm|guess)\b"
    r"|n't\b|\?|不|错|但",
    re.IGNORECASE,
)


def extract(part: Part, sample: Sample, stages: Stages, run_on: bool) -> Found:
    """Return the answer of a part: of the first stretch between lines that start another problem that has one."""
    asked = Asked(sample.answer_type, sample.letters)
    text = part.text
    begin = 0
    for end, last in stretches(text) if run_on else [(len(text), True)]:
        found = pick(text[begin:end], asked, stages, sample.words)
        if found is not None and begin > 0 and found.rank == BARE:
            found = None  # a mere value in another's turn
        if found is not None and (found.reading.value is not None or last):
            return _found(found, part, begin, sample, () if last else (RUN_ON,))
        begin = end
    return NOTHING


def extract_end(part: Part, sample: Sample, stages: Stages) -> Found:
    """Return the answer that a thought ends with; nothing behind it may doubt it."""
    asked = Asked(sample.answer_type, sample.letters)
    found = _pick(plain(part.text), part.text, asked, stages, sample.words, whole=False)
    if found is None or found.reading.value is None or _DOUBT.search(part.text, found.reading.end):
        return NOTHING
    return _found(found, part, 0, sample, ())


def pick(
    text: str, asked: Asked, stages: Stages, words: Words | None = None, windows: tuple[int, ...] = WINDOWS
) -> Candidate | None:
    """Return the answer of a text; of a long one its end is read where nothing before that could change it."""
    for window in windows:
        if len(text) <= 2 * window:
            break
        end = text[-window:]
        found = _pick(plain(end), end, asked, stages, words, whole=False)
        if found is None or found.reading.value is None or min(found.start, found.reading.start) < REACH:
            continue
        cut = len(text) - window
        if found.stage != "box" and found.rank < MARKED and stages.box is not None:
            before = text[: cut + REACH]
            if any("\\" + command in before for command in stages.box.commands):
                continue
        return found._replace(reading=found.reading.moved(cut), start=cut + found.start)
    return _pick(plain(text), text, asked, stages, words, whole=True)


def _pick(text: str, original: str, asked: Asked, stages: Stages, words: Words | None, whole: bool) -> Candidate | None:
    """Return the answer of a text (`text` is its plain form); `whole` says that nothing comes before it."""
    box, end = last_box(original, asked, stages)
    found = decide(_candidates(text, end, asked, stages), text, box)
    if stages.bare is None or (found is not None and found.rank >= STATED and len(text) - found.start < REACH):
        return found
    last = last_words(text, original, asked, words, whole)
    return decide(chain([last], _candidates(text, end, asked, stages)), text, box) if last is not None else found


def extract_first(part: Part, sample: Sample, stages: Stages) -> Found:
    """Return the first answer that is marked in a part."""
    first = _first(part.text, Asked(sample.answer_type, sample.letters), stages)
    return NOTHING if first is None else _found(first, part, 0, sample, ())


def first_differs(part: Part, found: Found, sample: Sample, stages: Stages) -> bool:
    """Return whether the first and the last answer in the last 64 KB of a part, run-on or not, are different."""
    text = part.text[-_LOOKED_AT:]
    if sample.answer_type in {"integer", "decimal"} and not _SEVERAL.search(text):
        return False  # no other value can be there
    asked = Asked(sample.answer_type, sample.letters)
    first = _first(text, asked, stages)
    if first is None:
        return False
    if RUN_ON not in found.flags:
        return first.reading.value != found.value
    last = pick(text, asked, stages)
    return last is not None and last.reading.value not in {None, first.reading.value}


def _first(text: str, asked: Asked, stages: Stages) -> Candidate | None:
    """Return the first answer that is marked in a text, from its beginning where that settles it."""
    for window in _BEGINNINGS:
        if len(text) <= 2 * window:
            break
        found = _first_of(text[:window], asked, stages)
        if found is not None and found.reading.start < window - AHEAD:
            return found
    return _first_of(text, asked, stages)


def _first_of(text: str, asked: Asked, stages: Stages) -> Candidate | None:
    """Return the mark with a value that comes first in a text."""
    marks = [mark for mark in _candidates(plain(text), 0, asked, stages) if mark.reading.value is not None]
    return min([*marks, *boxes(text, asked, stages)], key=lambda one: one.reading.start, default=None)


def _candidates(text: str, start: int, asked: Asked, stages: Stages) -> Iterable[Candidate]:
    """Return the marks from the last to the first; those of a short text are kept for the next time."""
    return _kept(text, start, asked, stages) if len(text) <= _SHORT else candidates(text, start, asked, stages)


@lru_cache(maxsize=4)
def _kept(text: str, start: int, asked: Asked, stages: Stages) -> tuple[Candidate, ...]:
    """Return the marks of a short text, which are asked for twice: for the last answer, and for the first."""
    return tuple(candidates(text, start, asked, stages))


def _found(found: Candidate, part: Part, begin: int, sample: Sample, flags: tuple[str, ...]) -> Found:
    """Return a candidate as the sample's table has it; a value where a cut text ends may be half of one."""
    reading = found.reading
    flags = (*reading.flags, *flags)
    start, end = begin + reading.start, begin + reading.end
    if reading.value is None:
        return Found(stage=found.stage, flags=flags)
    if part.cut and found.stage != "box" and not part.text[end:].strip(" *$}"):
        return Found(stage=found.stage, flags=(*flags, "cut"))
    text = sample.generation
    if part.name == REASONING:
        flags = (*flags, IN_REASONING)
        text = sample.reasoning or text
    return answered(
        reading.value, found.stage, text.span(start - part.from_end, end - part.from_end), part.name, *flags
    )
