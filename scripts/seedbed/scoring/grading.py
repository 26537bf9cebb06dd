"""Whether a predicted answer is the expected one, as NeMo-Skills (2026-04) decides it."""

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
