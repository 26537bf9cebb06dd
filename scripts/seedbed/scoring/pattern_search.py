"""Search a user's pattern in a text, within a time limit.

The last match of a long text is found in a window at its end, where that provably equals a search of all of it: how far
a match can reach is computed from the parts of the pattern.
"""

import functools
import re
import time
import warnings
from collections.abc import Callable
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

import regex

from seedbed.records.lazy_json import Text
from seedbed.scoring.answers import FINAL, NOTHING, TIMED_OUT, Found, Sample, answered
from seedbed.scoring.definition import PatternStage

_MOST_BOUNDED = 2000  # characters; a pattern that takes more is not worth a window
_REPEATED = 1000  # a repeat of more than this counts as endless
_CATEGORIES: dict[Any, Callable[[str], bool]] = {
    op.CATEGORY_DIGIT: str.isdigit,
    op.CATEGORY_SPACE: str.isspace,
    op.CATEGORY_WORD: lambda one: one.isalnum() or one == "_",
    op.CATEGORY_NOT_DIGIT: lambda one: not one.isdigit(),
    op.CATEGORY_NOT_SPACE: lambda one: not one.isspace(),
    op.CATEGORY_NOT_WORD: lambda one: not (one.isalnum() or one == "_"),
}


class Reach(NamedTuple):
    """How far a match may reach: what its bounded parts, its endless repeats and its looks back take."""

    bounded: int
    endless: tuple[Any, ...]
    behind: int
    taken: dict[str, bool]  # characters that were asked about, and whether an endless repeat may take them


def takes(items: tuple[Any, ...], character: str) -> bool:
    """Return whether an endless repeat may take a character, in either case; when in doubt it may."""
    forms = {character, character.lower(), character.upper(), character.swapcase(), character.casefold()}
    for kind, value in items:
        if kind is op.LITERAL and chr(value) in forms:
            return True
        if kind is op.NOT_LITERAL and forms != {chr(value)}:
            return True
        if kind is op.RANGE and any(value[0] <= ord(form[0]) <= value[1] for form in forms):
            return True
        if kind is op.CATEGORY and (
            not character.isascii() or value not in _CATEGORIES or _CATEGORIES[value](character)
        ):
            return True
        if kind is op.NEGATE and not all(takes(value, form) for form in forms):
            return True
    return False


@functools.lru_cache(maxsize=256)
def reach_of(pattern: str, flags: int = 0) -> Reach | None:
    """Return how far matches of a pattern may reach, or None if that cannot be shown: such a pattern runs in full."""
    if re.search(r"\\[GKRXhpPLN]|\{[a-z<]|&&|--|\[\[|\|\||~~", pattern) or flags & regex.VERSION1:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            tree = parser.parse(pattern)
            lowest = tree.getwidth()[0]
            reach = _reach(tree)
    except (re.error, Warning, _EndlessError):
        return None
    return reach if lowest > 0 and reach.bounded <= _MOST_BOUNDED else None


class _EndlessError(Exception):
    """The reach of a pattern cannot be bounded."""


def _reach(tree: Any) -> Reach:
    """Return the reach of a parsed pattern; raises _EndlessError."""
    bounded, behind = 0, 0
    endless: list[Any] = []
    for kind, value in tree:
        if kind in {op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN}:
            bounded += 1
        elif kind is op.AT:
            continue
        elif kind in {op.SUBPATTERN, op.ATOMIC_GROUP}:
            part = _reach(value[3] if kind is op.SUBPATTERN else value)
            bounded, behind = bounded + part.bounded, max(behind, part.behind)
            endless += part.endless
        elif kind is op.BRANCH:
            parts = [_reach(branch) for branch in value[1]]
            bounded += max(part.bounded for part in parts)
            behind = max([behind, *(part.behind for part in parts)])
            endless += [item for part in parts for item in part.endless]
        elif kind in {op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT}:
            part = _reach(value[2])
            behind = max(behind, part.behind)
            endless += part.endless
            if value[1] is op.MAXREPEAT or value[1] > _REPEATED:
                endless += _characters(value[2])
            else:
                bounded += int(value[1]) * part.bounded
        elif kind in {op.ASSERT, op.ASSERT_NOT}:
            if value[0] < 0:
                behind = max(behind, int(value[1].getwidth()[1]))
        else:
            raise _EndlessError
    return Reach(bounded, tuple(endless), behind, {})


def _characters(tree: Any) -> list[Any]:
    """Return all that the characters of a repeated pattern may be; raises _EndlessError if that is everything."""
    found: list[Any] = []
    for kind, value in tree:
        if kind in {op.LITERAL, op.NOT_LITERAL}:
            found.append((kind, value))
        elif kind is op.IN:
            negated = value[0][0] is op.NEGATE
            found += [(op.NEGATE, tuple(value[1:]))] if negated else list(value)
        elif kind in {op.SUBPATTERN, op.ATOMIC_GROUP}:
            found += _characters(value[3] if kind is op.SUBPATTERN else value)
        elif kind is op.BRANCH:
            found += [item for branch in value[1] for item in _characters(branch)]
        elif kind in {op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT}:
            found += _characters(value[2])
        elif kind not in {op.AT, op.ASSERT, op.ASSERT_NOT}:
            raise _EndlessError
    return found


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
