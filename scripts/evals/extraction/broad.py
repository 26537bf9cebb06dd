"""The broad extractor: the final part, cut where another problem starts, and the answer that is marked in it."""

import re

from scripts.evals.answers import NOTHING, REASONING, Found, Sample, answered
from scripts.evals.extraction.characters import plain
from scripts.evals.extraction.label_values import Asked
from scripts.evals.extraction.policy import Pick, Stages, first_pick, pick
from scripts.evals.extraction.where import Part

_NEXT_PROBLEM = re.compile(
    r"^[ \t>#*_]*(?:(?:Question|Problem|Q)(?:\s*(?:\d+|\(\d+\)))?[*_ \t]*[:.\uff1a]|(?:Human|User)[*_ \t]*:(?=\s)|<\|im_start\|>\s*user|<\|start_header_id\|>user)",
    re.MULTILINE | re.IGNORECASE,
)
_LOOKED_AT = 1 << 16  # characters
_MOST = 200  # lines that may start another problem


def extract(part: Part, sample: Sample, stages: Stages, run_on: bool) -> Found:
    """Return the answer of a part of a sample: the first stretch between such lines that has one."""
    asked = Asked(sample.answer_type, sample.letters)
    text = plain(part.text)
    begin = 0
    for end, last in _stretches(text) if run_on else [(len(text), True)]:
        picked = pick(text[begin:end], part.text[begin:end], asked, stages)
        if picked is not None and (picked.reading.value is not None or last):
            return _found(picked, part, begin, sample, () if last else ("run-on",), text)
        begin = end
    return NOTHING


def extract_first(part: Part, sample: Sample, stages: Stages) -> Found:
    """Return the first answer that is marked in a part."""
    text = plain(part.text)
    picked = first_pick(text, part.text, Asked(sample.answer_type, sample.letters), stages)
    return NOTHING if picked is None else _found(picked, part, 0, sample, (), text)


def first_differs(part: Part, sample: Sample, stages: Stages) -> bool:
    """Return whether the first and the last answer in the last 64 KB of a part, run-on or not, are different."""
    original = part.text[-_LOOKED_AT:]
    text = plain(original)
    asked = Asked(sample.answer_type, sample.letters)
    first, last = first_pick(text, original, asked, stages), pick(text, original, asked, stages)
    return first is not None and last is not None and last.reading.value not in {None, first.reading.value}


def _stretches(text: str) -> list[tuple[int, bool]]:
    """Return the ends of the stretches between lines that start another problem, and whether each is the last."""
    ends = []
    for match in _NEXT_PROBLEM.finditer(text):
        if match.start() > 0:
            ends.append((match.start(), False))
        if len(ends) == _MOST:
            break
    return [*ends, (len(text), True)]


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
