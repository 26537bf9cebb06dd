"""A user's own pattern on a text: found within a time limit, first or last match."""

import functools

import regex

from scripts.evals.answers import NOTHING, TIMED_OUT, Found, answered
from scripts.evals.definitions import PatternStage

_LOOKED_AT = 1 << 16  # characters


@functools.lru_cache(maxsize=256)
def compiled(pattern: str) -> "regex.Pattern[str]":
    """Return the compiled pattern; raises regex.error."""
    return regex.compile(pattern)


def first_differs(stage: PatternStage, text: str, timeout: float) -> bool:
    """Return whether the first and the last match in the last 64 KB of a text have different answers."""
    text = text[-_LOOKED_AT:]
    first, last = search(stage, text, "first", timeout), search(stage, text, "last", timeout)
    return first.value != last.value and last.value is not None


def search(stage: PatternStage, text: str, match: str, timeout: float) -> Found:
    """Return what the pattern finds in `text`: its first or last match, a time-out, or nothing."""
    found = None
    try:
        for each in compiled(stage.pattern).finditer(text, timeout=timeout):
            found = each
            if match == "first":
                break
    except TimeoutError:
        return TIMED_OUT
    if found is None:
        return NOTHING
    group = next((index for index in range(1, found.re.groups + 1) if found[index] is not None), 0)
    return answered(found[group], stage.name, found.span(group))
