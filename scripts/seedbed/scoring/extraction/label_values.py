"""What stands directly behind a label: a number, a letter or an expression, with what is said around it."""

import re
from typing import NamedTuple

from seedbed.scoring.extraction.behind import behind, closed
from seedbed.scoring.extraction.box_values import OPTION, read_box
from seedbed.scoring.extraction.continuations import CONTINUED, ELLIPSIS, MIXED, NEXT_NUMBER, OPEN_RANGE
from seedbed.scoring.extraction.hedges import APPROXIMATE, BUT, DENIED_BEHIND, NEGATION, NOT_BEHIND, OR, RANGE, UNKNOWN
from seedbed.scoring.extraction.latex import skip_decoration
from seedbed.scoring.extraction.leading import skip_currency, skip_filling
from seedbed.scoring.extraction.letters import read_letter
from seedbed.scoring.extraction.literals import ENGLISH, Notation
from seedbed.scoring.extraction.numbers import read_number, written
from seedbed.scoring.extraction.readings import Reading, refused
from seedbed.scoring.extraction.units import CURRENCY

REACH = 600  # characters behind a label that are looked at

_SIDE = re.compile(
    r"(?:[A-Za-z](?:_\{?\w+\}?)?(?:\([^()\n]{0,12}\))?|\\[a-zA-Z]+(?:\{[^{}\n]{0,30}\}){0,2}"
    r"|[A-Za-z]+(?:\s+[A-Za-z]+){0,4}|[A-Za-z](?:\s*[-+*/]\s*[A-Za-z\d]+)+|"
    r"[A-Za-z](?:_\{?\w\}?)?(?:\s*[-+*]\s*[A-Za-z](?:_\{?\w\}?)?)+)\s*(?:&\s*)?(?:\\\)|\$|\*\*)?\s*=(?!=)\s*(?:\\\(|\$|\*\*)?"
)
_EQUALS = re.compile(r"\s*(?:\\\)|\$|\*\*)?\s*(?:=|\\equiv(?![a-z])|\u2261)\s*(?:\\\(|\$|\*\*)?\s*")
_BRACKET = re.compile(r"\[\s*(?=[-+\d$\\][^\[\](),;\n]{0,30}\](?!\())")  # around one value
_LINE_END = re.compile(
    r"[\s.,;!\u3002]*?(?:\n|$|\()|[.!;]\s|[\s]*<|\s*\[|\s+[A-Za-z]+(?:\^\{?\d\}?"
    r"|[\u00b2\u00b3])?(?:/[a-z]+)?(?:\s[A-Za-z]+)?[.!\s]*(?:\n|$)|\s*[\u4e00-\u9fff\uac00-\ud7a3]{1,3}[.!\s]*(?:\n|$)"
)


class Asked(NamedTuple):
    """What kind of value is looked for, and how its language writes numbers."""

    answer_type: str
    letters: str
    notation: Notation = ENGLISH


def read_value(text: str, start: int, asked: Asked, negated: bool = False) -> Reading | None:
    """Return the value at `start` of a plain text; None if words stand there, a refusal if there is no single one."""
    reading = _read(text[start : start + REACH], asked, negated)
    return None if reading is None else reading._replace(start=start + reading.start, end=start + reading.end)


def _read(text: str, asked: Asked, negated: bool) -> Reading | None:
    """Return the value at the beginning of a stretch."""
    end = len(text)
    place = skip_filling(text, 0, end)
    if negated or NEGATION.match(text, place, end):
        return _corrected(text, place, end, asked)
    if asked.answer_type == "choice":
        return _letter(text, place, end, asked)
    if UNKNOWN.match(text, place, end):
        return refused(place, place, "unknown")
    if RANGE.match(text, place, end):
        return refused(place, place, "range")
    reading = _number(text, place, end, asked, text.count("\n", 0, place))
    if asked.answer_type != "math":
        return reading
    from seedbed.scoring.extraction.expressions import read_expression

    return read_expression(text, place, end, reading)


def _corrected(text: str, place: int, end: int, asked: Asked) -> Reading | None:
    """Return the value behind "but" in "not 12 but 13", or None: a denied value is no answer."""
    line = text.find("\n", place, end)
    stop = line if line >= 0 else end
    for but in BUT.finditer(text, place, min(stop, place + 120)):
        if but.end() == but.start():
            continue
        after = skip_filling(text, but.end(), stop)
        if asked.answer_type == "choice":
            found = read_letter(text, after, stop, asked.letters)
        else:
            found = _number(text, after, stop, asked, 0)
        if found is not None and found.value is not None:
            return found._replace(flags=(*found.flags, "negated"))
    return None


def _letter(text: str, place: int, end: int, asked: Asked) -> Reading | None:
    """Return an option letter, or the one that replaces it in Japanese or Korean, or None if it is denied behind."""
    found = read_letter(text, place, end, asked.letters)
    if found is None or found.value is None:
        return found
    instead = NOT_BEHIND.match(text, found.end, end)
    if instead:
        return read_letter(text, instead.end(), end, asked.letters)
    return None if DENIED_BEHIND.match(text, found.end, end) else found


def _number(text: str, place: int, end: int, asked: Asked, lines: int) -> Reading | None:
    """Return the number at `place`, the last of a chain of equals signs, or what continues it ("so m+n = 7")."""
    flags: tuple[str, ...] = ()
    about = APPROXIMATE.match(text, place, end)
    if about:
        flags, place = ("approximate",), skip_filling(text, about.end(), end)
    named = False
    while side := _SIDE.match(text, place, end):
        named = True
        place = skip_filling(text, side.end(), end)
    currency = CURRENCY.match(text, place, end)
    if currency:
        place = skip_decoration(text, currency.end(), end)
    if text.startswith(("($", "(\\("), place):
        place = skip_decoration(text, place + 1, end)
    bracket = _BRACKET.match(text, place, end)
    if bracket:
        place = bracket.end()
    option = OPTION.match(text, place, end)
    if option and read_number(text, skip_decoration(text, option.end(), end), asked.notation):
        place = skip_decoration(text, option.end(), end)
    number = read_number(text, place, asked.notation)
    if number is None or ELLIPSIS.match(text, number.end, end):
        return _formula(text, place, end, asked)
    while equals := _EQUALS.match(text, closed(text, number.end, end), end):
        following = skip_filling(text, equals.end(), end)
        more = read_number(text, following, asked.notation)
        if more is None:
            break
        place, number = following, more
    instead = NOT_BEHIND.match(text, number.end, end)
    if instead:
        return _number(text, skip_filling(text, instead.end(), end), end, asked, 0)
    after = behind(text, number, end, lines)
    if after is None:
        return _formula(text, place, end, asked)
    continued = CONTINUED.match(text, after, end)
    if continued:
        further = _number(text, skip_filling(text, continued.end(), end), end, asked, 0)
        if further is not None and further.value is not None:
            return further._replace(flags=(*further.flags, "continued"), clean=further.clean)
    if OPEN_RANGE.match(text, after, end):
        return refused(place, after, "range")
    if MIXED.match(text, number.end, end):
        return refused(place, after, "several")
    if NEXT_NUMBER.match(text, after, end):
        return refused(place, after, "several")
    several = OR.match(text, after, end)
    if several and several.end() > after:
        other = skip_currency(text, several.end(), end)
        side = _SIDE.match(text, other, end) if named else None
        if side:
            other = skip_currency(text, side.end(), end)
        second = read_number(text, other, asked.notation)
        if second is not None and text[several.start() : several.end()].strip(" ") != "-":
            return refused(place, second.end, "several")
        if second is not None:
            return refused(place, second.end, "range")
    percent = "%" in text[number.end : after] and asked.answer_type == "decimal"
    clean = _LINE_END.match(text, after, end) is not None
    return Reading(written(number) + ("%" if percent else ""), place, number.end, clean, flags)


def _formula(text: str, place: int, end: int, asked: Asked) -> Reading | None:
    """Return a formula between math delimiters that is no number: answered, and wrong for a number; else None."""
    for opening, closing in (("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]")):
        before = text.rfind(opening, max(0, place - 12), place)
        if before < 0 or text[before + len(opening) : place].strip("{ \n"):
            continue
        close = text.find(closing, place, end)
        if close < 0:
            return None
        inner = text[place:close]
        if not re.search(r"\d|\\(?:sqrt|pi|frac)", inner) or re.match(r"\\frac\{[a-z]", inner):
            return None
        box = read_box(inner, asked.answer_type, asked.letters)
        if box is None:
            return None
        continued = CONTINUED.match(text, close + len(closing), end)
        if continued:
            further = _number(text, skip_filling(text, continued.end(), end), end, asked, 0)
            if further is not None and further.value is not None:
                return further._replace(flags=(*further.flags, "continued"))
        return box._replace(start=place + box.start, end=place + box.end)
    return None
