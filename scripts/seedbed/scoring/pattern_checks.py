"""Check the patterns of a scorer: alternatives that can never match, and time that grows faster than the text."""

import random
import re
import time
import warnings
from collections.abc import Callable, Iterator
from itertools import product
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import regex


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


_SHORT, _LONG = 3_000, 24_000  # characters
_PATIENCE = 0.25  # CPU seconds for a long text; a linear pattern takes a few milliseconds
_RATIO = 24.0  # a linear pattern shows 8, a quadratic one 64
_NOISE = 0.004  # CPU seconds below which nothing is measured
_USUAL = (" ", "0", "a", "\n", "answer ", "Answer", "answer is ", "\\boxed{", "{", "**Answer**", "1,", "-", "x=")


def super_linear(pattern: str) -> str | None:
    """Return what makes the pattern's time grow faster than its text, or None if nothing that was tried does."""
    compiled = regex.compile(pattern)
    pieces, runs = _pieces(pattern)
    ends = tuple(
        dict.fromkeys(("", "\u0000", "\u0000" + "".join(runs)))
    )  # the last keeps an engine from giving up early
    for piece, end in product(pieces, ends):
        took = _time(compiled, piece, _LONG, end)
        if took is None:
            return f"time grows faster than the text: over {_PATIENCE} s on {_LONG} characters of {piece!r}"
        if took < _NOISE:
            continue
        short = max(min(_time(compiled, piece, _SHORT, end) or 0.0 for _ in range(3)), 1e-6)
        took = min(took, _time(compiled, piece, _LONG, end) or took)
        if took / short > _RATIO and took > _NOISE:
            return f"time grows faster than the text: {took / short:.0f} times on {_LONG // _SHORT} times {piece!r}"
    return None


def _time(compiled: "regex.Pattern[str]", piece: str, size: int, end: str) -> float | None:
    """Return the CPU seconds of a whole scan over a text made of `piece`, None if it is cut off."""
    text = piece * (size // len(piece)) + end
    start = time.process_time()
    try:
        for _ in compiled.finditer(text, timeout=_PATIENCE):
            continue
    except TimeoutError:
        return None
    return time.process_time() - start


def _pieces(pattern: str) -> tuple[list[str], list[str]]:
    """Return (texts to repeat: usual ones, literals of the pattern, what its endless repeats take; its literals)."""
    pieces = list(_USUAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            tree = parser.parse(pattern)
    except (re.error, Warning):
        return pieces, []
    runs: list[str] = []
    pumps: list[str] = []
    _collect(tree, runs, pumps)
    pieces += runs[:12] + pumps[:12]
    pieces += [run + pump for run in runs[:6] for pump in pumps[:4]]
    return [piece for piece in dict.fromkeys(pieces) if piece], runs


def _collect(tree: Any, runs: list[str], pumps: list[str]) -> None:
    """Gather the literal runs of a parsed pattern and a character of each endless repeat."""
    run = ""
    for kind, value in tree:
        if kind is op.LITERAL:
            run += chr(value)
            continue
        if run:
            runs.append(run)
            run = ""
        if kind is op.BRANCH:
            for branch in value[1]:
                _collect(branch, runs, pumps)
        elif kind is op.SUBPATTERN:
            _collect(value[3], runs, pumps)
        elif kind in {op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT}:
            if value[1] is op.MAXREPEAT:
                pumps.extend(_pumps(value[2]))
            _collect(value[2], runs, pumps)
    if run:
        runs.append(run)


def _pumps(tree: Any) -> list[str]:
    """Return what a repeated pattern may take: each single character or literal in it."""
    chooser = random.Random(1)
    found = []
    for kind, value in tree:
        if kind is op.LITERAL:
            found.append(chr(value))
        elif kind in {op.NOT_LITERAL, op.IN, op.ANY}:
            found.append(character_of(kind, value, chooser))
        elif kind is op.SUBPATTERN:
            found.extend(_pumps(value[3]))
        elif kind in {op.MAX_REPEAT, op.MIN_REPEAT}:
            found.extend(_pumps(value[2]))
    return found
