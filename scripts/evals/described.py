"""Texts that a parsed pattern describes."""

import random
from collections.abc import Callable, Iterator
from re import _constants as op  # type: ignore[attr-defined]
from typing import Any


def described(tree: Any, chooser: random.Random) -> Iterator[str]:
    """Yield the pieces of a text that the parsed pattern describes, places between characters left out."""
    for kind, value in tree:
        if kind is op.LITERAL:
            yield chr(value)
        elif kind in {op.NOT_LITERAL, op.IN, op.ANY}:
            yield character_of(kind, value, chooser)
        elif kind is op.BRANCH:
            yield from described(chooser.choice(value[1]), chooser)
        elif kind is op.SUBPATTERN:
            yield from described(value[3], chooser)
        elif kind is op.ATOMIC_GROUP:
            yield from described(value, chooser)
        elif kind in {op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT}:
            low, high, inner = value
            for _ in range(chooser.randint(low, min(int(high), low + 2))):
                yield from described(inner, chooser)


def character_of(kind: Any, value: Any, chooser: random.Random) -> str:
    """Return a character that a class, a negated literal or a dot stands for; "" if it stands for none of the usual."""
    usual = "7a \n:=Z-.({\\é中"
    if kind is op.ANY:
        return chooser.choice("7a Z:")
    if kind is op.NOT_LITERAL:
        return chooser.choice([one for one in usual if ord(one) != value])
    negated = value[0][0] is op.NEGATE
    inside = [one for one in usual if _in_class(one, value) != negated]
    if inside:
        return chooser.choice(inside)
    item = value[-1]
    if negated:
        return ""
    return chr(item[1] if item[0] is op.LITERAL else item[1][0]) if item[0] in {op.LITERAL, op.RANGE} else "_"


def _in_class(character: str, items: Any) -> bool:
    """Return whether a character is in a parsed class, its negation left out of account."""
    categories: dict[Any, Callable[[str], bool]] = {
        op.CATEGORY_DIGIT: str.isdigit,
        op.CATEGORY_SPACE: str.isspace,
        op.CATEGORY_WORD: lambda one: one.isalnum() or one == "_",
    }
    opposites = {
        op.CATEGORY_NOT_DIGIT: op.CATEGORY_DIGIT,
        op.CATEGORY_NOT_SPACE: op.CATEGORY_SPACE,
        op.CATEGORY_NOT_WORD: op.CATEGORY_WORD,
    }
    for kind, value in items:
        if kind is op.LITERAL and ord(character) == value:
            return True
        if kind is op.RANGE and value[0] <= ord(character) <= value[1]:
            return True
        if kind is op.CATEGORY:
            name = opposites.get(value, value)
            if name in categories and categories[name](character) is not (value in opposites):
                return True
    return False
