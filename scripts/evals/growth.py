"""Patterns whose time grows faster than the text: found on hostile texts before they meet a real one."""

import random
import re
import time
import warnings
from itertools import product
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import regex

from scripts.evals.described import character_of

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
