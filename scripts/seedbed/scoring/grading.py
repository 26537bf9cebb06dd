"""Whether a predicted answer is the expected one: as NeMo-Skills (2026-04) decides it, or exactly by its answer type.

Only mathematics is asked of a child process (`equality_process`); letters and numbers are compared here.
"""

from fractions import Fraction
from typing import Protocol

_SIGNS = "+-"


class Comparer(Protocol):
    """Something that knows mathematics: an `Equivalence`, started only when it is needed."""

    def equal(self, predicted: str, expected: str) -> bool | None:
        """Return whether both are the same, or None if the limit of time ran out."""


def quick_grade(predicted: str | None, expected: str, answer_type: str) -> bool | None:
    """Return the verdict where it needs no mathematics (letters, plain integers, equal strings), else None."""
    if predicted is None:
        return False
    if answer_type == "choice" or predicted == expected:
        return predicted == expected
    if not predicted.strip():
        return not expected.strip()  # without asking: reading nothing as mathematics takes seconds
    found, wanted = plain_integer(predicted), plain_integer(expected)
    return None if found is None or wanted is None else found == wanted


def grade(predicted: str | None, expected: str, answer_type: str, comparer: Comparer | None = None) -> bool | None:
    """Return whether a strict answer is right; None if the comparison timed out (the shared one if none is given)."""
    verdict = quick_grade(predicted, expected, answer_type)
    if verdict is not None or predicted is None:
        return verdict
    if comparer is None:
        from seedbed.scoring.equality_process import shared

        comparer = shared("seedbed.scoring.nemo_equality")
    return comparer.equal(predicted, expected)


def plain_integer(text: str) -> int | None:
    """Return the integer that `text` plainly is (ASCII digits, at most one sign), or None."""
    digits = text[1:] if text[:1] and text[0] in _SIGNS else text
    if not digits or len(digits) > 4000 or not (digits.isascii() and digits.isdigit()):
        return None
    return int(text)


def grade_value(value: str, expected: str, answer_type: str, comparer: Comparer | None = None) -> bool | None:
    """Return whether `value` is right for its type; None if a mathematical comparison timed out."""
    if answer_type == "choice":
        return value.strip().upper() == expected.strip().strip("().").upper()
    if value == expected:
        return True
    if not value.strip():
        return False
    found, wanted = plain_integer(value), plain_integer(expected)
    if found is not None and wanted is not None:
        return found == wanted
    if answer_type == "math":
        return _same(value, expected, comparer)
    return _equal_numbers(value, expected)


def _equal_numbers(value: str, expected: str) -> bool:
    """Return whether both are the same number; 33.5% is 33.5 and 0.335."""
    found, wanted = _number(value), _number(expected)
    if found is None or wanted is None:
        return False
    return found == wanted or (value.endswith("%") and not expected.strip().endswith("%") and found / 100 == wanted)


def _number(text: str) -> Fraction | None:
    """Return the number a text is, or None."""
    from seedbed.scoring.extraction.values import read_box

    reading = read_box(text.removesuffix("%"), "decimal", "")
    if reading is None or reading.value is None:
        return None
    try:
        return Fraction(reading.value)
    except (ValueError, ZeroDivisionError):
        return None


def _same(value: str, expected: str, comparer: Comparer | None) -> bool | None:
    """Return whether both are the same mathematics."""
    if comparer is None:
        from seedbed.scoring.equality_process import shared

        comparer = shared("seedbed.scoring.symbolic")
    return comparer.equal(value, expected)
