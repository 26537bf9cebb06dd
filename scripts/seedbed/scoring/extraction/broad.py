"""The broad extractor: the final part, cut where another problem starts, and the answer that is marked in it."""

import re

from seedbed.scoring.answers import NOTHING, REASONING, Found, Sample, answered
from seedbed.scoring.extraction.characters import plain
from seedbed.scoring.extraction.label_values import REACH, Asked
from seedbed.scoring.extraction.policy import Pick, Stages, first_pick, pick
from seedbed.scoring.extraction.where import Part

_NEXT_PROBLEM = re.compile(
    r"^[ \t>#*_]*(?:(?:(?i:question|problem)|[Qq])(?:\s*(?:\d+|\(\d+\)))?[*_ \t]*[:.\uff1a]"
    r"|(?:Human|HUMAN|User|USER)[*_ \t]*:(?=\s))|<\|im_start\|>\s*user|<\|start_header_id\|>\s*user",
    re.MULTILINE,
)
# Every line that starts another problem has one of these words or begins; both are found fast.
_WORDS = ("problem", "Human", "HUMAN", "<|im_start", "<|start_header")
_BEGINS = re.compile(r"(?i:question|problem)|User|USER|[Qq][ \t\d()*_]{0,12}[:.\uff1a]")
_FIRST = "QqPU"  # what these begin with
RUN_ON = "run-on"  # flag: another problem starts behind the answer
_SEVERAL = re.compile(r"\d\D+\d")
_LOOKED_AT = 1 << 16  # characters
WINDOWS = (1 << 13, 1 << 16, 1 << 19)  # characters from the end, tried in turn before all of a long stretch
_BEGINNINGS = (1 << 11, 1 << 13, 1 << 15)  # the same for the first answer, from the beginning
_MARGIN = 5000  # characters; nothing that decides about a mark lies further before it
_MOST = 200  # lines that may start another problem


def extract(part: Part, sample: Sample, stages: Stages, run_on: bool) -> Found:
    """Return the answer of a part of a sample: the first stretch between such lines that has one."""
    asked = Asked(sample.answer_type, sample.letters)
    text = part.text
    begin = 0
    for end, last in _stretches(text) if run_on else [(len(text), True)]:
        picked = _pick_long(part.text[begin:end], asked, stages)
        if picked is not None and begin > 0 and picked.stage == "bare":
            picked = None  # a mere value in another's turn
        if picked is not None and (picked.reading.value is not None or last):
            return _found(picked, part, begin, sample, () if last else (RUN_ON,), text)
        begin = end
    return NOTHING


def _pick_long(text: str, asked: Asked, stages: Stages, windows: tuple[int, ...] = WINDOWS) -> Pick | None:
    """Return the answer of a stretch, from its end where that settles it: the last box decides, or no box is before."""
    for window in windows:
        if len(text) <= 2 * window:
            break
        end = text[-window:]
        picked = pick(plain(end), end, asked, stages, settled=True)
        if picked is None or picked.reading.value is None or picked.reading.start < _MARGIN:
            continue
        cut = len(text) - window
        if picked.stage != "box" and not picked.strong and stages.box is not None:
            before = text[: cut + _MARGIN]
            if any("\\" + command in before for command in stages.box.commands):
                continue
        reading = picked.reading
        return picked._replace(reading=reading._replace(start=cut + reading.start, end=cut + reading.end))
    return pick(plain(text), text, asked, stages)


def extract_first(part: Part, sample: Sample, stages: Stages) -> Found:
    """Return the first answer that is marked in a part."""
    picked = _first(part.text, Asked(sample.answer_type, sample.letters), stages)
    return NOTHING if picked is None else _found(picked, part, 0, sample, (), part.text)


def first_differs(part: Part, found: Found, sample: Sample, stages: Stages) -> bool:
    """Return whether the first and the last answer in the last 64 KB of a part, run-on or not, are different."""
    text = part.text[-_LOOKED_AT:]
    if sample.answer_type in {"integer", "decimal"} and not _SEVERAL.search(text):
        return False  # no other value can stand there
    asked = Asked(sample.answer_type, sample.letters)
    first = _first(text, asked, stages)
    if first is None:
        return False
    if RUN_ON not in found.flags:
        return first.reading.value != found.value
    last = _pick_long(text, asked, stages)
    return last is not None and last.reading.value not in {None, first.reading.value}


def _first(text: str, asked: Asked, stages: Stages) -> Pick | None:
    """Return the first answer that is marked in a text, from its beginning where that settles it."""
    for window in _BEGINNINGS:
        if len(text) <= 2 * window:
            break
        piece = text[:window]
        picked = first_pick(plain(piece), piece, asked, stages)
        if picked is not None and picked.reading.start < window - REACH:
            return picked
    return first_pick(plain(text), text, asked, stages)


def _stretches(text: str) -> list[tuple[int, bool]]:
    """Return the ends of the stretches between lines that start another problem, and whether each is the last."""
    ends: list[tuple[int, bool]] = []
    if all(text.rfind(word) < 0 for word in _WORDS) and not any(_begins(text, letter) for letter in _FIRST):
        return [(len(text), True)]
    for match in _NEXT_PROBLEM.finditer(text):
        if match.start() > 0:
            ends.append((match.start(), False))
        if len(ends) == _MOST:
            break
    return [*ends, (len(text), True)]


def _begins(text: str, letter: str) -> bool:
    """Return whether something that may start another problem begins with a letter, which is found fast."""
    place = text.find(letter)
    while place >= 0:
        if _BEGINS.match(text, place):
            return True
        place = text.find(letter, place + 1)
    return False


def _found(picked: Pick, part: Part, begin: int, sample: Sample, flags: tuple[str, ...], text: str) -> Found:
    """Return a pick as what the sample's table says; a value that ends where a cut text ends may be half a value."""
    reading = picked.reading
    flags = (*reading.flags, *flags)
    start, end = begin + reading.start, begin + reading.end
    if reading.value is None:
        return Found(stage=picked.stage, flags=flags)
    if part.cut and picked.stage != "box" and not text[end:].strip(" *$}"):
        return Found(stage=picked.stage, flags=(*flags, "cut"))
    if part.name == REASONING:
        flags = (*flags, "in-reasoning")
    span = sample.generation.span(start - part.from_end, end - part.from_end)
    return answered(reading.value, picked.stage, span, part.name, *flags)
