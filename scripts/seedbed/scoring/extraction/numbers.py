"""Numbers as people and models write them: exact values of constant expressions, and what may follow a number."""

import re
from fractions import Fraction
from math import comb, factorial, isqrt
from typing import NamedTuple

from seedbed.scoring.extraction.languages import DENIED_BEHIND

_GROUPED = re.compile(
    r"[1-9]\d{0,2}(?P<sep>,[ ]?\\![ ]?|\{,\}|\\,|\\ |\\;|\\:|\\!|~|,|'|_"
    r"|[ ])\d{3}(?:(?P=sep)\d{3})*(?!\d)(?P<tail>\.\d+)?"
)
_INDIAN = re.compile(r"[1-9]\d?(?:,\d\d)+,\d{3}(?![\d,])(?P<tail>\.\d+)?")
_DOTTED = re.compile(r"[1-9]\d{0,2}(?P<groups>(?:\.\d{3})+)(?!\d)(?!\.\d)(?P<tail>,\d+)?")
_DECIMAL_COMMA = re.compile(r"(\d+)(?:,|\{,\})(\d+)(?![\d,])")
_COMMA_TAIL = re.compile(r",(\d+)(?![\d,])")
_PLAIN = re.compile(r"(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d{1,4}(?![A-Za-z\d]))?")
_SPACE = re.compile(
    r"(?:[ \t\n~]|\\[,;:! ]|\\quad|\\qquad|\\displaystyle|\\textstyle|\\left(?![a-z])|\\right(?![a-z])"
    r"|\\[bB]igg?[lr]?(?![a-z]))*"
)
_TIMES = re.compile(r"\\cdot(?![a-z])|\\times(?![a-z])|\*{1}(?!\*)|(?<=\s)[xX](?=\s+[$\d])")
_OVER = re.compile(r"/|\\div(?![a-z])")
_FRACTION = re.compile(r"\\[dtc]?frac(?![a-z])")
_DIGIT_PAIR = re.compile(r"\s*(\d)\s*(\d)")
_WRAPPER = re.compile(
    r"\\(?:text|textbf|textrm|textit|mathbf|mathrm|mathit|boldsymbol|bm|mbox|underline|boxed|fbox|mathsf|texttt)\s*\{"
)
_SIGN = re.compile(
    r"(?:\\text\s*\{\s*)?([-+\u2013]|(?:minus|negative)\b\s*|[\u8d1f\u8ca0]|\u30de\u30a4\u30ca\u30b9"
    r"|\ub9c8\uc774\ub108\uc2a4\s*)(?:\s*\}(?=\s*\d))?(?![-+\u2013])"
)
_FACTORIAL = re.compile(r"!(?:\s*[=+/)}$\\-]|\.(?:\s|$)|\s*\*\s*\d)")  # else the mark ends a sentence
_SCALE = re.compile(
    r"(?:\s|\\[ ,;]|\\text\s*\{\s*)*(thousand|million|billion|trillion)(?![A-Za-z])\s*\}?", re.IGNORECASE
)
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_DEGREE = re.compile(r"\^\s*\{?\s*(?:\\(?:circ|degree|prime)|(?:\\[a-z]+\s*\{\s*)?(?:st|nd|rd|th)\s*\})")  # or 18^{th}
_MONEY = re.compile(r"\\?[$\u20ac\u00a3](?=\d)")
_LARGEST = 13_000  # bits; larger results stay unread
_DEPTH = 12
CURRENCY = re.compile(
    r"(?:USD?|EUR|GBP|Rs\.?|CA|AU?|R|HK|NT|S)?\s*(?:\\\$|[$\u20ac\u00a3\u00a5\u20a9\u20bd\u20b9\u09f3\uffe5])\s*"
    r"|\\?#(?=\d)|Rs\.?\s*(?=\d)|\\(?:pounds|euro)\s*|(?:USD|EUR|GBP|INR|RMB|CNY|shilingi|dola|[TK]Sh)\s+"
)
MODULUS = re.compile(
    r"\s*(?:\\text\s*\{\s*\(?\s*mod[^{}]*\}(?:\s*\d+\s*\))?|\\pmod\s*\{?[^{}\s]+\}?|\\bmod\s*\S+|\\mod\s*\S+"
    r"|\(\s*(?:\\text\{)?mod\b[^()]*\)|mod\s+\d+)"
)
CJK = "\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3"
_UNIT = (
    r"(?:\^\s*\{?\s*\\circ\s*\}?\s*[CFK]?|\u00b0\s*[CFK]?|\u00ba|\\degree|\\circ|\\%|%|\\\$"
    r"|[$\u20ac\u00a3\u00a5\u20a9\u20bd\u20b9]"
    r"|\\(?:text|mathrm|textrm|mbox|rm|textnormal|textit|mathit|textbf|mathbf|operatorname|hbox)\s*\{[^{}\d]*\}"
    r"|\^\s*\{?\s*(?:\\(?:text|mathrm|textrm)\s*\{\s*)?(?:st|nd|rd|th)\s*\}\s*\}?"
    r"|_\s*\{?\s*(?:10|[a-z]|\\text\{[a-z]+\})(?![\w])\s*\}?|\^\s*\{?\s*-?[1-4]\s*\}?|[\u00b2\u00b3]"
    r"|\\(?:[,;:! ]|q?quad|,|cdot(?=\s*\\(?:text|mathrm)))|[\s~]|/(?=\s*\\?[A-Za-z]))"
)
IN_BOX = re.compile(
    rf"(?:{_UNIT}|(?<=[\s~,}}]|\d)[A-Za-z\u00b5\u03bc\u0400-\u04ff\u00c0-\u00ff]{{2,}}\.?"
    rf"|[{CJK}\u0900-\u0dff\u0e00-\u0e7f\u0600-\u06ff]+|(?<=\d)\s*[msgLlhtK](?![A-Za-z]))*"
)
ATTACHED = re.compile(
    r"(?:cm|mm|km|m|dm|kg|mg|g|lb|lbs|oz|ml|l|L|s|ms|h|hr|hrs|min|mph|kmh|ft|in|yd|mi|Hz|kHz|W|kW|J|kJ|N|Pa"
    r"|kPa|V|mol|K|C|F|dollars|units?|cents?|pts?|"
    r"percent|pct|deg|degrees)(?:/(?:s|h|hr|min|m|L|l|mol))?(?:\^?\{?[23]\}?|[\u00b2\u00b3])?(?![A-Za-z0-9_])"
)
CLOSERS = re.compile(rf"(?:{_UNIT}|\}}|\\\)|\\\]|\*+|_+(?=\W|$)|`+|[\"'\u201d\u201c\u00bb\u300d\u300f)\]]|\\\\|&)*")
ELLIPSIS = re.compile(r"\s*[-+*,]\s*(?:\\(?:[lcv]?dots|cdots)|\.\.\.|\u2026)")  # of a sum whose value comes behind it
MIXED = re.compile(
    r"\s*(?:hours?|hrs?|h|minutes?|min|days?|weeks?|months?|years?|feet|foot|ft|yards?|pounds?|lbs?|dollars?"
    r"|euros?|meters?|m|km)"
    r",?\s+(?:and\s+)?\d+\s*(?:minutes?|min|seconds?|sec|s|hours?|days?|weeks?|months?|inch(?:es)?|in"
    r"|ounces?|oz|cents?|cm|m)\b"
)
OPEN_RANGE = re.compile(
    r"\s*(?:or\s+(?:more|less|fewer|higher|lower|above|below|greater)\b|\+(?=\s*(?:$|[.,\n]))|\u00b1"
    r"|\\pm(?![a-z])|\+/-|oder\s+mehr|ou\s+(?:plus|mais)|o\s+(?:m\u00e1s|pi\u00f9)"
    r"|\u0438\u043b\u0438\s+(?:\u0431\u043e\u043b\u0435\u0435|\u043c\u0435\u043d\u0435\u0435)"
    r"|(?<!\n)[\u4ee5][\u4e0a\u4e0b]|\uc774[\uc0c1\ud558])"
)
UNFINISHED = re.compile(
    r"(?:\s+[A-Za-z]{2,})?(?:\s*\([^()\n]{1,60}\))?(?:\s*(?:\+|\*(?!\*)|\\(?:times|cdot"
    r"|div)(?![a-z]))\s*[$\\(]{0,2}(?:\d|[A-Za-z](?![A-Za-z]))|\s*/\s*[$(]*\d|\s+-\s+\d*[A-Za-z](?![A-Za-z])"
    r"|[ \t]*[=+/-](?=[ \t]*(?:\n|$)))"
)  # a calculation whose result was not read
NEXT_NUMBER = re.compile(r"[ \t]+\d+(?![\d.,]*[\w/])")  # numbers side by side
_CONNECTIVE = (
    r"(?:\band\s+(?=[$\\(]{0,3}[A-Za-z]\s*[-+])|\b(?:so|thus|hence|therefore|giving|which\s+gives|making"
    r"|meaning|and\s+so|then|whence|where"
    r"|therefore,)\b|\u6240\u4ee5|\u56e0\u6b64|\u6545|\u3088\u3063\u3066|\u3057\u305f\u304c\u3063\u3066"
    r"|\ub530\ub77c\uc11c|\b(?:also|somit|daher|donc|ainsi|as\u00ed|luego|entonces|logo|portanto|quindi|dunque"
    r"|\u0437\u043d\u0430\u0447\u0438\u0442|\u043f\u043e\u044d\u0442\u043e\u043c\u0443)\b|\u21d2"
    r"|\\Rightarrow|\\implies)"
)
_TERM = r"[A-Za-z](?:_\{?\w\}?)?"
CONTINUED = re.compile(
    rf"[^\n]{{0,120}}?{_CONNECTIVE}[^\n=]{{0,60}}?(?:\$"
    rf"|\\\()?\s*(?<![A-Za-z\\]){_TERM}(?:\s*[-+*]\s*{_TERM})+\s*(?:\$|\\\))?\s*(?:=|is)\s*",
    re.IGNORECASE,
)
_SYMBOLIC = re.compile(
    r"\s*(?:\\(?:sqrt|pi|sin|cos|tan|ln|log|alpha|beta|theta|varphi|phi|infty|binom|sum|int|left|begin|frac"
    r"|dfrac|tfrac)(?![a-z])|[\u221a\u03c0]|\^)|\([a-z]"
)
_ATTACHED_WORD = re.compile(r"(?:st|nd|rd|th)(?![A-Za-z])|[A-Za-z_]|-[A-Za-z]|:\d|\.\d|,\d|'\d|/\d")
_PART_OF = re.compile(r"\s+(?:out\s+)?of\s+(?:the|these|those|all|\d)")  # "3 of the 14 are red"
_LIST_ITEM = re.compile(r"[.)]\s+\S")


class Number(NamedTuple):
    """A number read from a text: its exact value, where it ends, and whether it was written with a decimal point."""

    value: Fraction
    end: int
    decimal: bool
    simple: bool  # one literal, no arithmetic


class Notation(NamedTuple):
    """How a language writes numbers."""

    dot_groups: bool = False  # 1.234 is 1234
    comma_decimals: bool = False  # 3,5 is 3.5


ENGLISH = Notation()
DECIMALS = Notation(comma_decimals=True)
EUROPEAN = Notation(True, True)


def read_literal(text: str, start: int, notation: Notation) -> Number | None:
    """Return one number as written with any thousands separators, or None."""
    if not (text[start : start + 1].isdigit() or text[start : start + 1] == "."):
        return None
    dotted = _DOTTED.match(text, start)
    if dotted and (notation.dot_groups or dotted["tail"] or dotted["groups"].count(".") > 1):
        digits = text[start : dotted.end()].replace(".", "").replace(",", ".")
        return Number(Fraction(digits), dotted.end(), bool(dotted["tail"]), True)
    grouped = _GROUPED.match(text, start) or _INDIAN.match(text, start)
    if grouped:
        tail = grouped["tail"] or ""
        comma_tail = _COMMA_TAIL.match(text, grouped.end()) if notation.comma_decimals and not tail else None
        if comma_tail and not grouped[0].count(","):
            digits = re.sub(r"\D", "", grouped[0]) + "." + comma_tail[1]
            return Number(Fraction(digits), comma_tail.end(), True, True)
        digits = re.sub(r"\D", "", text[start : grouped.end() - len(tail)]) + tail
        return Number(Fraction(digits), grouped.end(), bool(tail), True)
    comma = _DECIMAL_COMMA.match(text, start) if notation.comma_decimals else None
    if comma:
        return Number(Fraction(f"{comma[1]}.{comma[2]}"), comma.end(), True, True)
    literal = _PLAIN.match(text, start)
    if literal is None or len(literal[0]) > 4000:
        return None
    return Number(Fraction(literal[0]), literal.end(), "." in literal[0], True)


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


def _amount(text: str, start: int) -> int:
    """Return where an operand begins that may be an amount of money: behind blanks and a currency's sign."""
    place = skip_space(text, start)
    money = _MONEY.match(text, place)
    return money.end() if money else place


def _sum(text: str, start: int, notation: Notation, depth: int) -> Number | None:
    """Return a sum of products, or None; a sign with nothing readable after it is left alone."""
    if depth > _DEPTH:
        return None
    place = skip_space(text, start)
    signed = _SIGN.match(text, place)
    negative = signed is not None and signed[1] != "+"
    if signed:
        place = _amount(text, signed.end())
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
        term = _product(text, _amount(text, place + 1), notation, depth)
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
        attached = operator is None and total.simple and text.startswith("(", total.end)
        if operator is None and not attached:
            return total
        factor = _power(text, _amount(text, operator.end()) if operator else total.end, notation, depth)
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
    inner = _sum(text, _amount(text, start), notation, depth)
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


def closed(text: str, start: int, end: int) -> int:
    """Return the position behind units, closing brackets and a modulus."""
    attached = ATTACHED.match(text, start, end)
    place = attached.end() if attached else start
    while True:
        before = place
        modulus = MODULUS.match(text, place, end)
        if modulus:
            place = modulus.end()
        closers = CLOSERS.match(text, place, end)
        if closers:
            place = closers.end()
        if place == before:
            # blanks belong to what follows
            while place > start and text[place - 1] in " \n\t":
                place -= 1
            return place


def behind(text: str, number: Number, end: int, lines: int) -> int | None:
    """Return where the text goes on behind a number and its units, or None if what follows makes it something else."""
    place = number.end
    if DENIED_BEHIND.match(text, place, end) or (_SYMBOLIC.match(text, place, end) and not _degree(text, place, end)):
        return None
    attached = not ATTACHED.match(text, place, end) and _ATTACHED_WORD.match(text, place, end)
    if attached and not re.match(r"_\{?10(?!\d)|_(?=\W|$)|__", text[place : place + 5]):
        return None
    if (
        _LIST_ITEM.match(text, place, end)
        and number.simple
        and (lines > 0 or (number.value == 1 and re.search(r"\s2[.)]\s", text[place : place + 600])))
    ):
        return None
    after = closed(text, place, end)
    return None if DENIED_BEHIND.match(text, after, end) or _PART_OF.match(text, after, end) else after


def _degree(text: str, place: int, end: int) -> bool:
    """Return whether the exponent behind a number is a degree sign or belongs to its unit."""
    return re.match(r"\s*\^\s*\{?\s*\\(?:circ|degree)", text[place : min(place + 20, end)]) is not None
