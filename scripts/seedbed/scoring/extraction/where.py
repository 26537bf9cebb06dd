"""Where an answer may stand: what follows the thought, and nothing else."""

import re
from typing import NamedTuple

from seedbed.scoring.answers import FINAL, REASONING, Sample

_WORDS = r"(?i:think|thinking|thought|thoughts|reasoning|reason|seed:think|cot_budget_reflect)"
_OPEN = re.compile(
    rf"<{_WORDS}>|<\|begin_of_thought\|>|\[(?i:think)\]|\u25c1think\u25b7|<\|channel\|>\s*(?:analysis|commentary)"
)
_CLOSE = re.compile(
    rf"</\s?{_WORDS}\s?>|<\|end_of_thought\|>|\[/(?i:think)\]|\u25c1/think\u25b7|<\|channel\|>\s*final(?:<\|message\|>)?"
)
_FIRST = ("<", "[", "\u25c1")  # every tag begins with one of these; a single character is found fast
_CLOSING = ("</", "<|", "[/", "\u25c1/")  # the same for end tags
_LONGEST_TAG = 64  # characters; no tag is longer
_WINDOWS = (1 << 11, 1 << 14, 1 << 17)  # bytes of JSON from the end, tried in turn before the whole text


class Part(NamedTuple):
    """A stretch of a generation: its text, where it begins counted from the end, its name, whether it may be cut."""

    text: str
    from_end: int
    name: str
    cut: bool


def final_part(sample: Sample) -> Part | None:
    """Return what follows the thought, or None: a thought left open, or cut before its end, has no answer."""
    for window in _WINDOWS:
        text, whole = sample.generation.tail(window)
        start = _after_thought(text)
        if whole or start is not None:
            break
    else:
        text, whole = sample.generation.full(), True
        start = _after_thought(text)
    if not whole and start is None:
        if sample.truncated and not sample.separate_reasoning:
            return None
        text = sample.generation.full()
    if _opens(text, start or 0):
        return None
    if start is None:
        if sample.truncated and not sample.separate_reasoning:
            return None
        start = 0
    return Part(text[start:], len(text) - start, FINAL, sample.truncated)


def thought(sample: Sample) -> Part | None:
    """Return the part before the final one, for scorers that look back into it; None if there is no thought."""
    text = sample.generation.full()
    start = _after_thought(text)
    if start is None:
        return Part(text, len(text), REASONING, sample.truncated) if sample.truncated or _opens(text, 0) else None
    return Part(text[:start], len(text), REASONING, False)


def whole_text(sample: Sample) -> Part:
    """Return everything, thought or not."""
    text = sample.generation.full()
    return Part(text, len(text), FINAL, sample.truncated)


def _opens(text: str, start: int) -> bool:
    """Return whether a thought is opened behind `start`."""
    for mark in _FIRST:
        place = text.find(mark, start)
        while place >= 0:
            if _OPEN.match(text, place):
                return True
            place = text.find(mark, place + 1)
    return False


def _after_thought(text: str) -> int | None:
    """Return where the last end tag ends, or None; only the places that may begin a tag are tried, from the end."""
    places = {mark: text.rfind(mark) for mark in _CLOSING}
    while (place := max(places.values())) >= 0:
        match = _CLOSE.match(text, place, place + _LONGEST_TAG)
        if match:
            return match.end()
        for mark, last in places.items():
            if last == place:
                places[mark] = text.rfind(mark, 0, place)
    return None
