"""Whether two mathematical answers are the same: exactly where both are numbers, else by math-verify."""

import re
from fractions import Fraction
from typing import Any, NamedTuple

from math_verify import ExprExtractionConfig, LatexExtractionConfig, parse, verify

from seedbed.scoring.equality_process import answer_pairs
from seedbed.scoring.extraction.values import read_box
from seedbed.scoring.nemo_equality import IN_MATH, peer_equal, read_latex

_SHORTEST = 6  # significant digits a decimal needs to stand for a fraction that it only rounds
_LONGEST = 80  # characters; no plain number is longer
_RELATION = re.compile(r"[=<>_:\u2264\u2265]|\\(?:leq?|geq?|neq?|in|approx|equiv|pm)(?![a-z])")
_BRACKET = re.compile(r"\\\{|[(\[]")
_SIDES = re.compile(r"\s*\$?\s*(-?[\d.,/]+)\s*=\s*[A-Za-z]\s*\$?\s*")  # 2 = x is 2
_WORD_BEFORE = re.compile(r"(?<!\\)\b[A-Za-z]{2,}")  # a function, or what makes the number another thing
_PROSE = re.compile(r"(?<![\\A-Za-z{])[^\W\d_]{2,}(?!\{)")
_WORDS = 4  # words that make a text prose
_NUMBER = re.compile(r"-?(?:\d[\d,.]*\d|\d)(?:/\d+)?")
_FORMULA = re.compile(r"[\\^_=+*/<>|()\[\]{}]|\b(?:sin|cos|tan|log|ln|exp|sqrt|pi|or|and|not|[a-z])\b", re.IGNORECASE)
_EQUATION = re.compile(r"[^$\\]{0,40}[a-z][^$\\]{0,40}=[^$\\]{1,40}")  # the last number of an equation is no answer
_EMPTY = frozenset({"\\emptyset", "\\varnothing", "\u2205", "\\{\\}", "\\{ \\}"})  # the set of nothing
_BASED = re.compile(r"([0-9A-F][0-9A-F ]*)_\s*(?:\{\s*(\d+)\s*\}|(\d+))")  # digits in a base: 245_8 is not 245_7
_OPTION = re.compile(r"(?:\\(?:text|mathrm|textbf)\{)?\s*\(([A-J])\)\s*\}?")
_NAMED_OPTION = re.compile(r"\(([A-J])\)\s*\S")  # (E) Hyperbola
_BEYOND = re.compile(r"\\?(?:sinh|cosh|tanh|coth)\b|(?<![A-Za-z\\])i(?![A-Za-z])")  # what math-verify takes for symbols
_SIMPLIFIED = 300  # characters of an expression that is still simplified
_DECIMAL = re.compile(r"[-+]?\d*\.(\d+)")


# powers and factorials that would be computed digit by digit before they are compared
HUGE = re.compile(r"\d{4,}\s*!|!\s*\)?\s*!|(?:\^|\*\*)\s*[{(]?\s*-?\d{5,}|(?:\^|\*\*)\s*[{(]?\s*\d+\s*(?:\^|\*\*|!)")


class TooLarge(Exception):
    """An answer that cannot be compared within any reasonable time."""


class _Exact(NamedTuple):
    """A rational number, and how many places it was written with (None if not as a decimal)."""

    value: Fraction
    places: int | None
    percent: bool


def same(predicted: str, expected: str) -> bool:
    """Return whether both answers are the same; numbers are compared exactly before anything tolerant is asked."""
    if HUGE.search(predicted):
        raise TooLarge
    based = [_BASED.fullmatch(text.strip(" $")) for text in (predicted, expected)]
    if all(based):
        return len({(found[1].replace(" ", ""), found[2] or found[3]) for found in based if found}) == 1
    option = _OPTION.fullmatch(expected.strip(" $"))
    if option and (named := _NAMED_OPTION.match(predicted.strip(" $"))):
        return named[1] == option[1]
    if predicted.strip() == expected.strip() or {predicted.strip(" $"), expected.strip(" $")} <= _EMPTY:
        return True
    found, wanted = _exact(predicted), _exact(expected)
    if found is not None and wanted is not None:
        if _equal(found, wanted):
            return True
        if "," not in predicted + expected:
            return False  # with a comma one of them may be a list
    if peer_equal(predicted, expected) or _verified(predicted, expected):
        return True
    if _BEYOND.search(predicted + " " + expected) and _identical(predicted, expected):
        return True
    sides = _SIDES.fullmatch(predicted), _SIDES.fullmatch(expected)
    if not any(sides):
        return False
    one, other = (side[1] if side else text for side, text in zip(sides, (predicted, expected), strict=True))
    return same(one, other)


def _exact(text: str) -> _Exact | None:
    """Return the rational number that all of `text` is, or None."""
    if len(text) > _LONGEST or _RELATION.search(text) or ("," in text and _BRACKET.search(text)):
        return None
    reading = read_box(text, "decimal", "")
    if reading is None or reading.value is None or "not-a-number" in reading.flags or "approximate" in reading.flags:
        return None
    if _WORD_BEFORE.search(text[: reading.start]):
        return None
    percent = reading.value.endswith("%")
    decimal = _DECIMAL.fullmatch(text.strip().strip("$% \\").replace(",", ""))
    try:
        return _Exact(Fraction(reading.value.removesuffix("%")), len(decimal[1]) if decimal else None, percent)
    except ValueError:
        return None


def _equal(one: _Exact, other: _Exact) -> bool:
    """Return whether two numbers are equal, one as the rounding of the other only if it shows enough digits."""
    values = {one.value, other.value}
    if one.percent != other.percent:
        shown = one if one.percent else other
        if shown.value / 100 in values:
            return True
    if len(values) == 1:
        return True
    for rounded, exact in ((one, other), (other, one)):
        if rounded.places is None or exact.places is not None:
            continue
        digits = len(str(abs(rounded.value.numerator * 10**rounded.places // rounded.value.denominator)))
        if digits >= _SHORTEST and abs(rounded.value - exact.value) * 10**rounded.places < 1:
            return True
    return False


def _verified(predicted: str, expected: str) -> bool:
    """Return math-verify's verdict on what it reads in both."""
    wanted, found = _read(expected), _read(predicted)
    return bool(wanted and found and verify(wanted, found, timeout_seconds=10))


def _identical(predicted: str, expected: str) -> bool:
    """Return whether both are one expression with i as the imaginary unit and hyperbolic functions as exponentials."""
    import sympy

    readings = [[one for one in _read(text) if isinstance(one, sympy.Expr)] for text in (predicted, expected)]
    if not all(readings):
        return False
    units = [{symbol: sympy.I for symbol in found[0].free_symbols if symbol.name == "i"} for found in readings]
    pairs = zip(readings, units, strict=True)
    one, other = (found[0].subs(unit).rewrite(sympy.exp) for found, unit in pairs)
    if len(str(one)) + len(str(other)) > _SIMPLIFIED:
        return False
    return bool(sympy.simplify(one - other) == 0)


def _read(text: str) -> list[Any]:
    """Return what math-verify reads in a text: LaTeX, and plain numbers only where nothing else can be meant."""
    if _plain(text):
        return list(parse(text, [LatexExtractionConfig(), ExprExtractionConfig()]))
    if IN_MATH.search(text):
        return read_latex(text)
    return [*read_latex(f"${text}$"), *(parse(text) if "**" in text else [])]


def _plain(text: str) -> bool:
    """Return whether a text is prose, or a single number with words: then its last number is what it says."""
    if len(_PROSE.findall(text)) >= _WORDS:
        return True
    return len(_NUMBER.findall(text)) == 1 and not _FORMULA.search(_NUMBER.sub("", text))


if __name__ == "__main__":
    answer_pairs(same)
