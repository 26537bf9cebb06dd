"""How far the matches of a pattern may reach: shown from its parts, or not at all."""

import functools
import re
import warnings
from collections.abc import Callable
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

import regex

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
