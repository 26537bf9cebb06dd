"""Exact numbers as people and models write them: separators, fractions, powers, and sums of them."""

import re
from fractions import Fraction
from math import comb, factorial, isqrt

from seedbed.scoring.extraction.literals import ENGLISH, Notation, Number, read_literal

_SPACE = re.compile(
    r"(?:[ \t\n~]|\\[,;:! ]|\\quad|\\qquad|\\displaystyle|\\textstyle|\\left(?![a-z])|\\right(?![a-z])"
    r"|\\[bB]igg?[lr]?(?![a-z]))*"
)
_TIMES = re.compile(r"\\cdot(?![a-z])|\\times(?![a-z])|\*{1}(?!\*)")
_OVER = re.compile(r"/|\\div(?![a-z])")
_FRACTION = re.compile(r"\\[dtc]?frac(?![a-z])")
_DIGIT_PAIR = re.compile(r"\s*(\d)\s*(\d)")
_WRAPPER = re.compile(
    r"\\(?:text|textbf|textrm|textit|mathbf|mathrm|mathit|boldsymbol|bm|mbox|underline|boxed|fbox|mathsf|texttt)\s*\{"
)
_SIGN = re.compile(
    r"(?:\\text\s*\{\s*)?([-+\u2013]|(?:minus|negative)\b\s*|[\u8d1f\u8ca0]|\u30de\u30a4\u30ca\u30b9|\ub9c8\uc774\ub108\uc2a4\s*)(?:\s*\}(?=\s*\d))?(?![-+\u2013])"
)
_FACTORIAL = re.compile(r"!(?:\s*[=+/)}$\\-]|\.(?:\s|$)|\s*\*\s*\d)")  # else the mark ends a sentence
_SCALE = re.compile(
    r"(?:\s|\\[ ,;]|\\text\s*\{\s*)*(thousand|million|billion|trillion)(?![A-Za-z])\s*\}?", re.IGNORECASE
)
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_DEGREE = re.compile(r"\^\s*\{?\s*(?:\\(?:circ|degree|prime)|(?:\\[a-z]+\s*\{\s*)?(?:st|nd|rd|th)\s*\})")  # or 18^{th}
_LARGEST = 13_000  # bits; larger results stay unread
_DEPTH = 12


def read_number(text: str, start: int, notation: Notation = ENGLISH) -> Number | None:
    """Return the longest constant expression at `start` of a plain text (see `characters`), or None."""
    number = _sum(text, start, notation, 0)
    scale = _SCALE.match(text, number.end) if number is not None and number.simple else None
    if number is None or scale is None:
        return number
    return number._replace(value=number.value * _SCALES[scale[1].lower()], end=scale.end())


def skip_space(text: str, start: int) -> int:
    """Return the position after blanks and the LaTeX commands that are mere spacing."""
    match = _SPACE.match(text, start)
    return match.end() if match else start


def written(number: Number) -> str:
    """Return the normal form: an integer, a decimal if it was written as one and ends, else p/q."""
    value = number.value
    if value.denominator == 1:
        return str(value.numerator)
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if number.decimal and rest == 1:
        places = 0
        while value.denominator != 1 and places < 400:
            value, places = value * 10, places + 1
        digits = str(abs(value.numerator)).rjust(places + 1, "0")
        return ("-" if value < 0 else "") + digits[:-places] + "." + digits[-places:]
    return f"{value.numerator}/{value.denominator}"


def _sum(text: str, start: int, notation: Notation, depth: int) -> Number | None:
    """Return a sum of products, or None; a sign with nothing readable after it is left alone."""
    if depth > _DEPTH:
        return None
    place = skip_space(text, start)
    signed = _SIGN.match(text, place)
    negative = signed is not None and signed[1] != "+"
    if signed:
        place = skip_space(text, signed.end())
    total = _product(text, place, notation, depth)
    if total is None:
        return None
    if negative:
        total = total._replace(value=-total.value)
    while True:
        place = skip_space(text, total.end)
        sign = text[place : place + 1]
        if sign not in {"+", "-"} or text.startswith(("--", "+-"), place):
            return total
        term = _product(text, skip_space(text, place + 1), notation, depth)
        if term is None or (sign == "-" and total.simple and term.simple and 0 <= total.value < term.value):
            return total
        change = -term.value if sign == "-" else term.value
        total = Number(total.value + change, term.end, total.decimal or term.decimal, False)


def _product(text: str, start: int, notation: Notation, depth: int) -> Number | None:
    """Return a product or quotient of powers, or a mixed number such as 3\\frac12, or None."""
    total = _power(text, start, notation, depth)
    while total is not None:
        place = skip_space(text, total.end)
        times, over = _TIMES.match(text, place), _OVER.match(text, place)
        if _FRACTION.match(text, place) and total.simple and total.value.denominator == 1:
            part = _power(text, place, notation, depth)
            if part is None or not 0 < part.value < 1:
                return total
            total = Number(total.value + part.value, part.end, False, False)
            continue
        operator = times or over
        if operator is None:
            return total
        factor = _power(text, skip_space(text, operator.end()), notation, depth)
        if factor is None or (over and factor.value == 0):
            return total
        value = total.value / factor.value if over else total.value * factor.value
        if value.numerator.bit_length() > _LARGEST:
            return total
        total = Number(value, factor.end, total.decimal or factor.decimal, False)
    return total


def _power(text: str, start: int, notation: Notation, depth: int) -> Number | None:
    """Return an atom with its factorial and exponent, or None if it is too large to write out."""
    base = _atom(text, start, notation, depth)
    if base is None:
        return None
    if base.simple and not base.decimal and 2 < base.value <= 400 and _FACTORIAL.match(text, base.end):
        base = Number(Fraction(factorial(int(base.value))), base.end + 1, False, False)
    place = skip_space(text, base.end)
    if not text.startswith("^", place) and not (text.startswith("**", place) and text[place + 2 : place + 3].isdigit()):
        return base
    if _DEGREE.match(text, place):
        return base
    place += 1 if text[place] == "^" else 2
    exponent = _signed_literal(text, place, notation) or _atom(text, place, notation, depth + 1)
    if exponent is None:
        return None if text.startswith(("{", "-"), place) or text[place : place + 1].isalpha() else base
    if exponent.value.denominator != 1 or abs(exponent.value) * max(base.value.numerator.bit_length(), 1) > _LARGEST:
        return None
    if base.value == 0 and exponent.value < 0:
        return None
    return Number(base.value ** int(exponent.value), exponent.end, base.decimal, False)


def _signed_literal(text: str, start: int, notation: Notation) -> Number | None:
    """Return a negative literal, as an exponent without braces may be, or None."""
    if not text.startswith("-", start):
        return None
    literal = read_literal(text, start + 1, notation)
    return None if literal is None else literal._replace(value=-literal.value)


def _atom(text: str, start: int, notation: Notation, depth: int) -> Number | None:
    """Return a literal, a fraction, a root that comes out even, a binomial or something in brackets, or None."""
    if depth > _DEPTH:
        return None
    fraction = _FRACTION.match(text, start)
    if fraction:
        return _fraction(text, fraction.end(), notation, depth + 1)
    for opening, closing in (("(", ")"), ("{", "}")):
        if text.startswith(opening, start):
            return _inside(text, start + 1, closing, notation, depth + 1)
    wrapper = _WRAPPER.match(text, start)
    if wrapper:
        return _inside(text, wrapper.end(), "}", notation, depth + 1)
    if text.startswith("\\sqrt{", start):
        inner = _inside(text, start + 6, "}", notation, depth + 1)
        if inner is None or inner.value < 0 or inner.value.denominator != 1:
            return None
        root = isqrt(inner.value.numerator)
        return Number(Fraction(root), inner.end, False, False) if root * root == inner.value else None
    if text.startswith("\\binom{", start):
        upper = _inside(text, start + 7, "}", notation, depth + 1)
        lower = (
            _inside(text, upper.end + 1, "}", notation, depth + 1)
            if upper and text.startswith("{", upper.end)
            else None
        )
        if upper is None or lower is None or not 0 <= lower.value <= upper.value <= 2000:
            return None
        return Number(Fraction(comb(int(upper.value), int(lower.value))), lower.end, False, False)
    return read_literal(text, start, notation)


def _inside(text: str, start: int, closing: str, notation: Notation, depth: int) -> Number | None:
    """Return the expression that fills a bracket up to `closing`, or None."""
    inner = _sum(text, start, notation, depth)
    if inner is None:
        return None
    end = skip_space(text, inner.end)
    return inner._replace(end=end + 1) if text.startswith(closing, end) else None


def _fraction(text: str, start: int, notation: Notation, depth: int) -> Number | None:
    r"""Return \frac{p}{q} or \frac12, or None."""
    pair = _DIGIT_PAIR.match(text, start)
    if pair:
        if pair[2] == "0":
            return None
        return Number(Fraction(int(pair[1]), int(pair[2])), pair.end(), False, False)
    upper = _atom(text, skip_space(text, start), notation, depth)
    lower = _atom(text, skip_space(text, upper.end), notation, depth) if upper else None
    if upper is None or lower is None or lower.value == 0:
        return None
    return Number(upper.value / lower.value, lower.end, False, False)
