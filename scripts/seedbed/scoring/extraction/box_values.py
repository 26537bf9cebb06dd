"""What the content of a box says, for each answer type."""

import re
from itertools import pairwise
from math import factorial

from seedbed.scoring.extraction.characters import plain
from seedbed.scoring.extraction.hedges import NEGATION, OR, RANGE, UNKNOWN
from seedbed.scoring.extraction.latex import top_level, unwrapped
from seedbed.scoring.extraction.letters import read_box_letter
from seedbed.scoring.extraction.literals import DECIMALS, ENGLISH
from seedbed.scoring.extraction.numbers import read_number, written
from seedbed.scoring.extraction.readings import Reading, refused
from seedbed.scoring.extraction.units import CURRENCY, IN_BOX, MODULUS

_PLACEHOLDER = re.compile(
    r"(?:\.{2,}|\u2026|\\[lcv]?dots[bcimo]?|\\square|\\Box|\\quad|\\phantom\{.*\}|\\hspace\{.*\}|\\_|_+|\?+"
    r"|#+|\\cdot|-+|\*+|[\s\\]+|\\ldots\s*\.?"
    r"|<.*>|\[.*(?:answer|value|number|result).*\]"
    r"|(?:(?:insert|put|your|the|my|a|an|correct|final|numerical|numeric|single|integer)\s+)*(?:answers?"
    r"|result|value|number|solution|letter|option|choice|content|here|response|expression"
    r"|integer)(?:\s+(?:here|goes here|letter))?)",
    re.IGNORECASE,
)
_JOINS = re.compile(r"[,;]|\\text\s*\{\s*(?:and|or)\s*\}|\band\b|\bor\b|\\q?quad|\u548c|\u6216")
_SYMBOLS = frozenset({"\\pi", "\\infty", "\\emptyset", "\\varnothing"})
_BOUND = re.compile(r"[<>\u2264\u2265\u00b1]|\\(?:leq?|geq?|lt|gt|neq?|pm|mp|leqslant|geqslant)(?![a-z])")
_JOINED = re.compile(r"\b(?:or|and|to)\b|--|\u2013")
_LETTER_ALONE = re.compile(r"[A-Za-z]|\\[a-z]+")
_EQUALS = re.compile(
    r"=|\\equiv(?![a-z])|:=|\\(?:implies|Rightarrow|rightarrow|to|iff|Longrightarrow"
    r"|longrightarrow)(?![a-z])|\u2192|\u21d2|\u2261"
)
_ABOUT = re.compile(r"\\approx(?:eq)?(?![a-z])|\u2248|\\simeq(?![a-z])|\\doteq(?![a-z])")
OPTION = re.compile(
    r"(?:\\text(?:bf|rm)?\s*\{|\\math(?:bf|rm)\s*\{|\{)?\s*(?:\(\s*([A-Ja-j])\s*\)"
    r"|([A-J])\s*[).:](?=[\s\\~}$]|\d))\s*\}?(?:\s|\\[ ,;:!]|~|\\q?quad|[.:)])*"
)
_LABEL = re.compile(r"(?:(?:the\s+)?(?:final\s+)?answer\s*(?:is|:|=)|ans(?:wer)?\s*[:=.])\s*", re.IGNORECASE)
_WORDS = re.compile(
    r"(?:\\text(?:bf|rm|it)?\s*\{[^{}\d]*\}\s*[:,]?|[A-Za-z\u00c0-\u024f\u0400-\u04ff]{2,}[:,]?"
    r"|[\s~]|\\[ ,;:!]|\\q?quad)+"
)
_SIMPLE_SIDE = re.compile(
    r"\s*(?:[A-Za-z](?:_\{?\w+\}?)?'?|\\[a-zA-Z]+(?:_\{?\w+\}?)?|[A-Za-z]\s*\\?(?:left)?\([^()]*\)"
    r"|\|?[A-Z]{2,4}\|?|\\(?:text|mathrm|overline|angle|operatorname|mathbf)\s*\{?[^{}=]*\}?"
    r"|[A-Za-z](?:\s*[-+*]\s*[A-Za-z])+)\s*"
)
_CONSTANT = re.compile(
    r"(?=[^=]*\d)(?:[\d\s+*/().{}^!-]|\\(?:[dt]?frac|cdot|times|div|sqrt|left|right|binom|pi)(?![a-z])|\\[$,;:! ])+"
)  # a left side without variables
_VARIABLE = re.compile(r"(?<![\\A-Za-z])[A-Za-z](?![A-Za-z])")


def is_placeholder(content: str, answer_type: str) -> bool:
    """Return whether a box is empty or only says where an answer goes."""
    text = plain(content)
    start, end = unwrapped(text, 0, len(text))
    inner = text[start:end].strip()
    if not inner or (len(inner) <= 80 and _PLACEHOLDER.fullmatch(inner)):
        return True
    return (
        answer_type in {"integer", "decimal"} and _LETTER_ALONE.fullmatch(inner) is not None and inner not in _SYMBOLS
    )


def read_box(content: str, answer_type: str, letters: str) -> Reading | None:
    """Return what a box says; None if it is no answer of this type (only a formula where a letter is asked for)."""
    text = plain(content)
    start, end = unwrapped(text, 0, len(text))
    label = _LABEL.match(text, start, end)
    if label:
        start, end = unwrapped(text, label.end(), end)
    if answer_type == "choice":
        return read_box_letter(text, start, end, letters)
    if UNKNOWN.match(text, start, end):
        return refused(start, end, "unknown")
    if answer_type == "math":
        return _expression(content, text, start, end)
    return _number(content, text, start, end, answer_type)


def _expression(content: str, text: str, start: int, end: int) -> Reading:
    """Return a mathematical answer as written, without a mere name before its last equals sign."""
    equals = top_level(text, start, end, _EQUALS)
    first = text[start : equals[0][0]] if equals else ""
    if any(first.strip() and first.strip() in text[left[1] : right[0]] for left, right in pairwise(equals)):
        return Reading(content[start:end], start, end)  # several equations
    if equals and (_SIMPLE_SIDE.fullmatch(first) or (_CONSTANT.fullmatch(first) and text[equals[-1][1] : end].strip())):
        last = text[equals[-1][1] : end]
        commas = top_level(text, start, end, re.compile(r","))
        if not commas and (len(equals) > 1 or not _VARIABLE.search(last)):
            start, end = unwrapped(text, equals[-1][1], end)
    return Reading(content[start:end], start, end)


def _number(content: str, text: str, start: int, end: int, answer_type: str) -> Reading:
    """Return the one number in a box; several are refused, what is no number is answered as it stands."""
    whole = (start, end)
    notation = DECIMALS if answer_type == "decimal" else ENGLISH
    if top_level(text, start, end, _BOUND):
        return refused(*whole, "range")
    if len(top_level(text, start, end, _EQUALS)) > 1 and _several_equations(text, start, end):
        return refused(*whole, "several")
    about = top_level(text, start, end, _ABOUT)
    flags: tuple[str, ...] = ()
    if about:
        flags = ("approximate",)
        if read_number(text, _last_side(text, start, about[0][0])[0]):
            end = about[0][0]
        else:
            start = about[0][1]
    start, end = _last_side(text, start, end)
    modulus = re.search(MODULUS.pattern + r"\s*$", text[start:end])
    if modulus and modulus.start() > 0:
        end = start + modulus.start()
    start, end = unwrapped(text, start, end)
    option = OPTION.match(text, start, end)
    if option and read_number(text, _value_start(text, option.end(), end)):
        start = option.end()
    place = _value_start(text, start, end)
    number = read_number(text[:end], place, notation)
    if number is None:
        words = _WORDS.match(text, place, end)
        after = _value_start(text, words.end(), end) if words else place
        if words and (NEGATION.search(words[0]) or RANGE.search(words[0])):
            return refused(*whole, "words")
        number = read_number(text[:end], after, notation) if words else None
        place = after
        if number is None:
            return _not_a_number(content, text, *whole)
    rest = IN_BOX.match(text, number.end, end)
    tail = text[rest.end() if rest else number.end : end].strip()
    bracketed = tail in {")", "\\}", "]", "\\rbrace"} and text[place - 1 : place] in {"(", "{", "["}
    if tail == "!" and number.simple and 2 < number.value <= 400:
        return Reading(str(factorial(int(number.value))), place, number.end + 1, True, flags)
    if tail in {"!"} or not tail or bracketed or tail in {".", ","}:
        percent = "%" in text[number.end : end] and answer_type == "decimal"
        return Reading(written(number) + ("%" if percent else ""), place, number.end, True, flags)
    if re.search(r"\d", tail) and _JOINED.search(text, number.end, end):
        return refused(*whole, "several")
    several = OR.match(text, rest.end() if rest else number.end, end)
    if several and re.search(r"\d", text[several.end() : end]):
        return refused(*whole, "several")
    return _not_a_number(content, text, *whole)


def _several_equations(text: str, start: int, end: int) -> bool:
    """Return whether commas or words join several equations, as in "x = 3, y = 5"."""
    cuts = [start, *(place for span in top_level(text, start, end, _JOINS) for place in span), end]
    sides = [text[cuts[index] : cuts[index + 1]] for index in range(0, len(cuts), 2)]
    return sum("=" in side for side in sides) > 1


def _not_a_number(content: str, text: str, start: int, end: int) -> Reading:
    """Return a box that is no plain number: several values and pure words are no answer, a formula is a wrong one."""
    inner = text[start:end]
    if re.search(r"\d\s*(?:,|;|\\text\{\s*(?:or|and|to)\b|\bor\b|\band\b|\\lor|\u6216|\u548c)", inner):
        return refused(start, end, "several")
    if inner.startswith(("\\pm", "\u00b1")):
        return refused(start, end, "several")
    if not re.search(r"\d|\\[a-zA-Z]", re.sub(r"\\(?:text|mathrm|textbf)\s*", "", inner)):
        return refused(start, end, "words")
    return Reading(content[start:end], start, end, True, ("not-a-number",))


def _last_side(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the last part of a chain of equals signs."""
    equals = top_level(text, start, end, _EQUALS)
    return (equals[-1][1], end) if equals and text[equals[-1][1] : end].strip() else (start, end)


def _value_start(text: str, start: int, end: int) -> int:
    r"""Return where a number may begin behind blanks, an opening bracket of one value, and currency."""
    place = unwrapped(text, start, end)[0]
    for mark in ("\\{", "\\lbrace"):
        if text.startswith(mark, place):
            place += len(mark)
    currency = CURRENCY.match(text, place, end)
    if currency:
        place = currency.end()
    return place
