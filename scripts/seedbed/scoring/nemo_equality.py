"""Equality of two answers by the rules of NeMo-Skills (2026-04): normal form first, then math-verify."""

import functools
import re
from typing import Any

from latex2sympy2_extended import NormalizationConfig, normalize_latex  # type: ignore[import-untyped, unused-ignore]
from math_verify import LatexExtractionConfig, StringExtractionConfig, parse, verify

from seedbed.scoring.equality_process import answer_pairs

_OPTIONS = tuple("ABCDEFGHIJ")
_PERCENT = re.compile(r"(\d+\.?\d*)(?:\\%|%)")
_WORDS = re.compile(r"[a-zA-Z ,]+")
IN_MATH = re.compile(r"\$.*\$|\\\(.*\\\)|\\\[.*\\\]|\\boxed\{", re.DOTALL)


def peer_equal(predicted: str, expected: str) -> bool:
    """Return whether NeMo-Skills calls `predicted` right; an option letter first, then normal forms, then sympy."""
    if expected.strip() in _OPTIONS and verify(_letter(expected), _letter(predicted)):
        return True
    wanted, found = _trimmed(expected), _trimmed(predicted)
    wanted_form, found_form = normalize_latex(wanted, NormalizationConfig), normalize_latex(found, NormalizationConfig)
    if wanted_form.replace(" ", "") == found_form.replace(" ", ""):
        return True
    if _WORDS.fullmatch(wanted_form) and _WORDS.fullmatch(found_form):
        return False
    return bool(verify(_expression(wanted), _expression(found), numeric_precision=15, timeout_seconds=10))


def _letter(text: str) -> list[Any]:
    """Return what math-verify reads as an option letter."""
    return list(parse(text, [StringExtractionConfig(strings=_OPTIONS)]))


def _trimmed(text: str) -> str:
    """Return an answer without the percent sign of a plain number and without a final stop."""
    percent = _PERCENT.fullmatch(text)
    return (percent[1] if percent else text).rstrip(".\\")


def _expression(text: str) -> list[Any]:
    """Return what math-verify reads in `text` as LaTeX."""
    return read_latex(text if IN_MATH.search(text) else f"${text}$")


@functools.lru_cache(maxsize=4096)
def _latex(text: str) -> tuple[Any, ...]:
    """Return what math-verify reads in `text` as LaTeX; all samples of a problem share its expected answer."""
    return tuple(parse(text, [LatexExtractionConfig()]))


def read_latex(text: str) -> list[Any]:
    """Return what math-verify reads in `text` as LaTeX; each text is parsed once."""
    return list(_latex(text))


if __name__ == "__main__":
    answer_pairs(peer_equal)
