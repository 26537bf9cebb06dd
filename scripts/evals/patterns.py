"""A user's own pattern on a text: found within a time limit, first or last match."""

import functools

import regex

from scripts.evals.answers import FINAL, NOTHING, TIMED_OUT, Found, Sample, answered
from scripts.evals.definitions import PatternStage
from scripts.evals.texts import Text
from scripts.evals.windows import last_match, time_for

_LOOKED_AT = 1 << 16  # characters


@functools.lru_cache(maxsize=256)
def compiled(pattern: str) -> "regex.Pattern[str]":
    """Return the compiled pattern; raises regex.error."""
    return regex.compile(pattern)


def search_text(stage: PatternStage, sample: Sample, match: str, timeout: float) -> Found:
    """Return what the pattern finds in a whole generation, its end first where that settles the last match."""
    if match == "first":
        return search(stage, sample.generation.full(), match, timeout)
    try:
        found = last_match(sample.generation, compiled(stage.pattern), timeout)
    except TimeoutError:
        return TIMED_OUT
    if found is None:
        return NOTHING
    group = answer_group(found.match)
    start, end = (place - found.from_end for place in found.match.span(group))
    return answered(found.match[group], stage.name, sample.generation.span(start, end), FINAL)


def search(stage: PatternStage, text: str, match: str, timeout: float) -> Found:
    """Return what the pattern finds in `text`: its first or last match, a time-out, or nothing."""
    found = None
    try:
        for each in compiled(stage.pattern).finditer(text, timeout=time_for(timeout)):
            found = each
            if match == "first":
                break
    except TimeoutError:
        return TIMED_OUT
    if found is None:
        return NOTHING
    group = answer_group(found)
    return answered(found[group], stage.name, found.span(group))


def answer_group(found: "regex.Match[str]") -> int:
    """Return the first group that took part, 0 if none did."""
    return next((index for index in range(1, found.re.groups + 1) if found[index] is not None), 0)


def first_differs(stage: PatternStage, text: str, timeout: float) -> bool:
    """Return whether the first and the last match in the last 64 KB of a text have different answers."""
    kept = Text.of(text[-_LOOKED_AT:])
    first = search(stage, kept.full(), "first", timeout)
    if first.value is None:
        return False
    last = search_text(stage, Sample(kept), "last", timeout)
    return last.value is not None and first.value != last.value
