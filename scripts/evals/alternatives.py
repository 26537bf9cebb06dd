"""Alternatives of a pattern that can never match, told before a GPU minute is spent."""

import random
import re
import warnings
from collections.abc import Iterator
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import regex

from scripts.evals.described import described

_TRIES = 40
_COMMANDS = (
    "boxed",
    "boldsymbol",
    "binom",
    "begin",
    "bmod",
    "bigl",
    "bigr",
    "fbox",
    "frac",
    "framebox",
    "text",
    "textbf",
    "textrm",
    "textit",
    "times",
    "tfrac",
    "theta",
    "to",
    "right",
    "rm",
    "rightarrow",
    "neq",
    "not",
    "nu",
    "vec",
    "approx",
    "answer",
    "angle",
    "alpha",
    "dfrac",
    "displaystyle",
    "dots",
    "div",
    "sqrt",
    "sum",
    "sigma",
    "degree",
    "delta",
    "wedge",
    "widehat",
)
_MEANING = {
    "b": "a word boundary", "B": "no word boundary", "f": "a form feed", "t": "a tab", "r": "a carriage return",
    "n": "a newline",
    "v": "a vertical tab", "a": "a bell", "d": "a digit", "s": "a blank", "w": "a word character",
}  # fmt: skip
_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\([a-zA-Z])([a-z]*)")


def misread_commands(pattern: str) -> list[tuple[int, str]]:
    r"""Return (position, reason) of LaTeX commands whose backslash the pattern takes for itself, as in `\boxed`."""
    found = []
    for match in _ESCAPE.finditer(pattern):
        letter, rest = match[2], match[3]
        command = next(
            (name for name in _COMMANDS if name[0] == letter and (letter + rest).startswith(name) and len(name) > 2),
            None,
        )
        if command and letter in _MEANING:
            place = match.start(2) - 1
            found.append((place, f"`\\{letter}` is {_MEANING[letter]} here; did you mean `\\\\{command}`?"))
    return found


def dead_alternatives(pattern: str) -> list[tuple[int, str]]:
    """Return (position, reason) of alternatives for which no text they describe is one they match."""
    found = []
    chooser = random.Random(1)
    for start, end, alone in _alone(pattern):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                tree = parser.parse(alone)
            compiled = regex.compile(alone)
        except (re.error, regex.error, Warning):
            continue
        if _looks_around(tree):
            continue
        for _ in range(_TRIES):
            text = "".join(described(tree, chooser))
            if any(
                compiled.search(before + text + after, timeout=1)
                for before in ("", " ", "x")
                for after in ("", " ", "x")
            ):
                break
        else:
            found.append((start, f"the alternative `{pattern[start:end]}` can never match"))
    return found


def _alone(pattern: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, the pattern with only this alternative left) for each alternative of each group."""
    groups: list[list[int]] = [[0]]
    place, in_class = 0, False
    spans: list[tuple[int, int, int, int]] = []
    while place <= len(pattern):
        character = pattern[place] if place < len(pattern) else ")"
        if character == "\\":
            place += 2
            continue
        if in_class:
            in_class = character != "]" or place == 0
        elif character == "[":
            in_class = True
            place += 1 + pattern.startswith("^", place + 1)
            place += pattern.startswith("]", place) - 0
            continue
        elif character == "(":
            head = re.compile(r"\\((?:\\?(?:P?<\\w+>|[aiLmsux-]*:|[=!>]|<[=!]))?".replace("\\\\", "\\")).match(
                pattern, place
            )
            groups.append([head.end() if head else place + 1])
            place = groups[-1][0]
            continue
        elif character == "|":
            groups[-1].append(place + 1)
        elif character == ")" and groups:
            starts = groups.pop()
            ends = [*(start - 1 for start in starts[1:]), place]
            if len(starts) > 1:
                spans.extend((start, end, starts[0], place) for start, end in zip(starts, ends, strict=True))
        place += 1
    for start, end, first, last in spans:
        yield start, end, pattern[:first] + pattern[start:end] + pattern[last:]
    if not spans:
        yield 0, len(pattern), pattern


def _looks_around(tree: Any) -> bool:
    """Return whether a pattern looks ahead or behind, or refers back: its samples would prove nothing."""
    kinds = {op.ASSERT, op.ASSERT_NOT, op.GROUPREF, op.GROUPREF_EXISTS}
    return any(kind in kinds or any(_looks_around(part) for part in _parts(value)) for kind, value in tree)


def _parts(value: Any) -> list[Any]:
    """Return the patterns inside an item of a parsed pattern."""
    if isinstance(value, parser.SubPattern):
        return [value]
    if isinstance(value, list | tuple):
        return [part for item in value for part in _parts(item)]
    return []
