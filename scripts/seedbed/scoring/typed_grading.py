"""Whether a value of a known type is the expected one: exactly, without any tolerance."""

from fractions import Fraction

from seedbed.scoring.grading import Comparer, plain_integer


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
