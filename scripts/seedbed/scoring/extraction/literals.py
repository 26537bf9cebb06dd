"""One number as people write it: with any thousands separators, a decimal point or a decimal comma."""

import re
from fractions import Fraction
from typing import NamedTuple

_GROUPED = re.compile(
    r"[1-9]\d{0,2}(?P<sep>,[ ]?\\![ ]?|\{,\}|\\,|\\ |\\;|\\:|\\!|~|,|'|_"
    r"|[ ])\d{3}(?:(?P=sep)\d{3})*(?!\d)(?P<tail>\.\d+)?"
)
_INDIAN = re.compile(r"[1-9]\d?(?:,\d\d)+,\d{3}(?![\d,])(?P<tail>\.\d+)?")
_DOTTED = re.compile(r"[1-9]\d{0,2}(?P<groups>(?:\.\d{3})+)(?!\d)(?!\.\d)(?P<tail>,\d+)?")
_DECIMAL_COMMA = re.compile(r"(\d+)(?:,|\{,\})(\d+)(?![\d,])")
_COMMA_TAIL = re.compile(r",(\d+)(?![\d,])")
_PLAIN = re.compile(r"(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d{1,4}(?![A-Za-z\d]))?")


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
