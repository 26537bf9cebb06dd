"""What a marked stretch of text says: a number, an expression, a letter, several values or none."""

import re
from itertools import pairwise
from math import factorial

from seedbed.scoring.extraction.candidates import Asked, Reading, refused
from seedbed.scoring.extraction.languages import (
    APPROXIMATE,
    BUT,
    FILLERS,
    NEGATION,
    NOT_BEHIND,
    OR,
    RANGE,
    UNKNOWN,
)
from seedbed.scoring.extraction.latex import plain, skip_decoration, top_level, unwrapped
from seedbed.scoring.extraction.numbers import (
    CONTINUED,
    CURRENCY,
    DECIMALS,
    ELLIPSIS,
    ENGLISH,
    IN_BOX,
    MIXED,
    MODULUS,
    NEXT_NUMBER,
    OPEN_RANGE,
    UNFINISHED,
    behind,
    closed,
    read_number,
    written,
)
from seedbed.scoring.extraction.options import is_denied_behind, read_box_letter, read_letter

_PLACEHOLDER = re.compile(
    r"(?:\.{2,}|\u2026|\\[lcv]?dots[bcimo]?|\\square|\\Box|\\quad|\\phantom\{.*\}|\\hspace\{.*\}|\\_|_+|\?+"
    r"|#+|\\cdot|-+|\*+|[\s\\]+|\\ldots\s*\.?|<.*>|\[.*(?:answer|value|number|result).*\]"
    r"|(?:(?:insert|put|your|the|my|a|an|correct|final|numerical|numeric|single|integer|exact)[\s\\_]+)*(?:answers?"
    r"|result|value|number|solution|letter|option|choice|content|here|response|expression"
    r"|integer)(?:\s+(?:here|goes here|letter))?)",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"-?[1-9][0-9]{0,14}|0")  # an integer in its normal form, as most boxes hold
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
_LABEL = re.compile(
    r"(?:\\text(?:bf)?\s*\{\s*)?(?:(?:the\s+)?(?:final\s+)?(?:answer|A N S W E R)\s*(?:is|:|=)"
    r"|ans(?:wer)?\s*[:=.])\s*\}?\s*",
    re.IGNORECASE,
)
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
_NAME = re.compile(r"[A-Z]{2,8}|[a-z]{2}")  # an equation of names is an answer as a whole
_VARIABLE = re.compile(r"(?<![\\A-Za-z])[A-Za-z](?![A-Za-z])")
AHEAD = 600  # characters behind a label that are looked at

_SIDE = re.compile(
    r"(?:[A-Za-z](?:_\{?\w+\}?)?(?:\([^()\n]{0,12}\))?|\\[a-zA-Z]+(?:\{[^{}\n]{0,30}\}){0,2}"
    r"|[A-Za-z]+(?:\s+[A-Za-z]+){0,4}|[A-Za-z](?:\s*[-+*/]\s*[A-Za-z\d]+)+|"
    r"[A-Za-z](?:_\{?\w\}?)?(?:\s*[-+*]\s*[A-Za-z](?:_\{?\w\}?)?)+)\s*(?:&\s*)?(?:\\\)|\$|\*\*)?\s*=(?!=)\s*(?:\\\("
    r"|\$|\*\*)?"
)
_THEN_EQUALS = re.compile(
    r"(?: (?:(?!(?:or|and|to|but|so|is|are)\b)[a-z]{2,}|of \$?\d[\d,.]*)){0,2}\s*(?:\\\)|\$|\*\*)?\s*(?:="
    r"|\\equiv(?![a-z])|\u2261)\s*(?:\\\(|\$|\*\*)?\s*"
)
_SOLVED = re.compile(
    r"(?=[^=\n]*\d)(?=[^=\n]*[A-Za-z])[^=\n]{3,60}=[^=\n]{1,40}\n\s*\$?[A-Za-z]\s*=\s*(?=[-\d])"
)  # an equation, and below it its solution
_WITH_UNITS = re.compile(
    r"\$?\d[\d,.]*\s+[a-z]+\s+[xX*/+\u00d7-]\s+\$?\d[^=\n]{0,30}=\s*\$?(?=\d)"
)  # "24 hours x 7 = 168"
_BRACKET = re.compile(r"\[\s*(?=[-+\d$\\][^\[\](),;\n]{0,30}\](?!\())")  # around one value
_LINE_END = re.compile(
    r"[\s.,;!\u3002]*?(?:\n|$|\()|[.!;]\s|[\s]*<|\s*\[|\s+[A-Za-z]+(?:\^\{?\d\}?"
    r"|[\u00b2\u00b3])?(?:/[a-z]+)?(?:\s[A-Za-z]+)?[.!\s]*(?:\n|$)"
    r"|\s*[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3\u0980-\u09ff]{1,8}[.!\s]*(?:\n|$)"
)
_STRUCK = re.compile(r"\s*~~[^~\n]{1,60}~~\s*")  # taken back in Markdown
_RULE = re.compile(r"(?<=\n)[ \t]{0,3}(?:-{3,}|_{3,}|={3,})[ \t]*\n")  # a line across the page
_BULLET = re.compile(r"(?:[-*\u2022]|>)[ \t]+(?=\S)")  # of a list or a quotation that holds the value
_DELIMITERS = (("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$"))
_SENTENCE_END = re.compile(
    r"\n|[.!?;](?=\s|$)|<\||<(?=/)|\u3002|(?=,?\s+(?:but|so|because|since|as desired|which|where|for all|I hope))"
)
_MORE = re.compile(r"\s*(?:,|;|and|or|\\text\{ ?(?:and|or) ?\}|\\quad|where|\u548c|\u6216)\s*(?=\$|\\\()")
_SAYS = re.compile(r"\w|\\[a-zA-Z{]|[\u2205\u221e]")  # mere punctuation does not
_GOES_ON = re.compile(
    r"[ \t]*(?:[-+*/^_=]|\\(?:cdot|times|pm|cup|cap|div)(?![a-z]))[ \t]*(?:\d|\\[a-z({]|[({$]|[A-Za-z](?![A-Za-z]))"
    r"|[ \t]*\\(?:sqrt|frac|dfrac|tfrac|pi|log|ln|sin|cos|tan|left|begin|binom|overline|theta|alpha)(?![a-z])"
    r"|[(](?=[^)\n]*[\\\d+])|\$\s*\\[a-z]|[a-z](?![a-z])|,[ \t]?[-\\(]"
)  # a formula that a number only begins
_UNIT_BEHIND = re.compile(
    r"(?:\s+(?!(?:more|less|greater|fewer|times|than|or|and|if|when|for|of|to|in)\b)[a-z]+\^?\d?){0,3}"
    r"[\s.,;:!*)}\]]*(?:$|[A-Z<(])"
)
_IS = re.compile(r"\s+(?:is|equals)\s+(?=\$|\\\(|-?\d)")  # "$A$ is $5$"
_GLUED = re.compile(r"[-+*/^_(]")  # the same behind a formula
_TITLE = re.compile(r"(?:[A-Z][A-Za-z]{2,}(?: [A-Za-z]+){0,2}|A N S W E R ?):\s+(?=[$\\\d(-])")  # "Area: 5"
_WORDS_IN_BRACKETS = re.compile(r"\s+\((?:[A-Za-z]{2,}[ -]?)+\)[\s.]*$")
_MIXED_NUMBER = re.compile(r"\d+\s?\$[^$]+\$")
_PROSE = re.compile(r"(?<![\\A-Za-z{])[A-Za-z]{3,}\s+[A-Za-z]{2,}(?![A-Za-z(])(?!\})")
_PERCENT = re.compile(r"\s*\\?%")
_STOPS = re.compile(r"[\s.,;:!*`_\"'\u201d]+$")
_TRAILING = re.compile(r"(?:[\s.,;:!*`_\"'\u201d]|\\[\])])+$")
SENTENCE = re.compile(
    r"(?:\b(?:is|are|was|were|has|have|the|that|this|it|we|you|there|because|can|will|would|should|must|may)\b)",
    re.IGNORECASE,
)


def read_value(text: str, start: int, asked: Asked, negated: bool = False) -> Reading | None:
    """Return the value at `start` of a plain text; None if words stand there, a refusal if there is no single one."""
    reading = _read(text[start : start + AHEAD], asked, negated)
    return None if reading is None else reading.moved(start)


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
    reading = _labelled_number(text, place, end, asked, text.count("\n", 0, place))
    if asked.answer_type != "math":
        return reading
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
            found = _labelled_number(text, after, stop, asked, 0)
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
    return None if is_denied_behind(text, found.end, end) else found


def _labelled_number(text: str, place: int, end: int, asked: Asked, lines: int) -> Reading | None:
    """Return the number at `place`, the last of a chain of equals signs, or what continues it ("so m+n = 7")."""
    flags: tuple[str, ...] = ()
    about = APPROXIMATE.match(text, place, end)
    if about:
        flags, place = ("approximate",), skip_filling(text, about.end(), end)
    named = False
    solved = _SOLVED.match(text, place, end) or _WITH_UNITS.match(text, place, end)
    place = solved.end() if solved else place
    while side := _SIDE.match(text, place, end):
        named = True
        place = skip_filling(text, side.end(), end)
    currency = CURRENCY.match(text, place, end)
    if currency:
        place = skip_decoration(text, currency.end(), end)
    if text.startswith(("($", "(\\("), place) and read_number(text, place, asked.notation) is None:
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
    while equals := _THEN_EQUALS.match(text, closed(text, number.end, end), end):
        following = skip_filling(text, equals.end(), end)
        more = read_number(text, following, asked.notation)
        if more is None:
            break
        place, number = following, more
    instead = NOT_BEHIND.match(text, number.end, end)
    if instead:
        return _labelled_number(text, skip_filling(text, instead.end(), end), end, asked, 0)
    after = behind(text, number, end, lines)
    if after is None:
        return _formula(text, place, end, asked)
    if UNFINISHED.match(text, after, end) or UNFINISHED.match(text, number.end, end):
        return _formula(text, place, end, asked)
    continued = CONTINUED.match(text, after, end)
    if continued:
        further = _labelled_number(text, skip_filling(text, continued.end(), end), end, asked, 0)
        if further is not None and further.value is not None:
            return further._replace(flags=(*further.flags, "continued"))
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
            further = _labelled_number(text, skip_filling(text, continued.end(), end), end, asked, 0)
            if further is not None and further.value is not None:
                return further._replace(flags=(*further.flags, "continued"))
        return box._replace(start=place + box.start, end=place + box.end)
    return None


def skip_filling(text: str, start: int, end: int) -> int:
    """Return where a value begins behind decoration and filling words."""
    place = start
    while True:
        before = place
        struck = _STRUCK.match(text, place, end)
        place = skip_decoration(text, struck.end() if struck else place, end)
        fillers = FILLERS.match(text, place, end)
        if fillers and fillers.end() > place:
            place = fillers.end()
        rule = _RULE.match(text, place, end) if "\n" in text[start:place] else None
        if rule:
            place = rule.end()
        bullet = _BULLET.match(text, place, end) if "\n" in text[start:place] else None
        if bullet:
            place = bullet.end()
        if place == before:
            return place


def skip_currency(text: str, start: int, end: int) -> int:
    """Return where a second value would begin."""
    place = skip_decoration(text, start, end)
    currency = CURRENCY.match(text, place, end)
    return skip_decoration(text, currency.end(), end) if currency else place


def is_placeholder(content: str, answer_type: str) -> bool:
    """Return whether a box is empty or only says where an answer goes."""
    if _PLAIN.fullmatch(content):
        return False
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
    if answer_type != "choice" and _PLAIN.fullmatch(content):
        return Reading(content, 0, len(content))
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
    return _boxed_number(content, text, start, end, answer_type)


def _expression(content: str, text: str, start: int, end: int) -> Reading:
    """Return a mathematical answer as written, without a mere name before its last equals sign."""
    equals = top_level(text, start, end, _EQUALS)
    first = text[start : equals[0][0]] if equals else ""
    if any(first.strip() and first.strip() in text[left[1] : right[0]] for left, right in pairwise(equals)):
        return Reading(content[start:end], start, end)  # several equations
    if (
        equals
        and not _NAME.fullmatch(text[equals[-1][1] : end].strip())
        and (_SIMPLE_SIDE.fullmatch(first) or (_CONSTANT.fullmatch(first) and text[equals[-1][1] : end].strip()))
    ):
        last = text[equals[-1][1] : end]
        commas = top_level(text, start, end, re.compile(r","))
        if not commas and (len(equals) > 1 or not _VARIABLE.search(last)):
            start, end = unwrapped(text, equals[-1][1], end)
    return Reading(content[start:end], start, end)


def _boxed_number(content: str, text: str, start: int, end: int, answer_type: str) -> Reading:
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


def read_expression(text: str, place: int, end: int, number: Reading | None) -> Reading | None:
    """Return the expression at `place`; `number` is what a reader of numbers saw there."""
    if number is not None and "continued" in number.flags:
        return number
    opened = _opened(text, place, end)
    if opened is not None:
        begin, start, close, after = opened
        name = _IS.match(text, after, end)
        if name and len(text[start:close]) < 12:
            return read_value(text[:end], name.end(), Asked("math", ""))
        if not _MORE.match(text, after, end) and not _GLUED.match(text, after, end):
            box = read_box(_without_aside(text[start:close]), "math", "")
            value = "" if box is None else box.value or ""
            if box is None or not value.strip() or is_placeholder(value, "math") or not is_balanced(value):
                return None
            tail = text[after:end].split("\n", 1)[0]
            return box.moved(start)._replace(clean=_UNIT_BEHIND.match(tail) is not None)
        place = begin
    elif number is not None and number.value is not None and not _GOES_ON.match(text, number.end, end):
        percent = _PERCENT.match(text, number.end, end)
        last = percent.end() if percent else number.end
        return number._replace(value=text[number.start : last], end=last)
    return _phrase(text, place, end)


def _phrase(text: str, place: int, end: int) -> Reading | None:
    """Return the expression or the few words that are written without delimiters, up to the end of their sentence."""
    stop = _SENTENCE_END.search(text, place, end)
    limit = stop.start() if stop else end
    title = _TITLE.match(text, place, limit)
    place = title.end() if title else place
    trailing = (_STOPS if "\\(" in text[place:limit] else _TRAILING).search(text[place:limit])
    limit = place + trailing.start() if trailing else limit
    phrase = _without_aside(text[place:limit])
    if not _SAYS.search(phrase) or len(phrase) > 160 or SENTENCE.search(phrase) or is_placeholder(phrase, "math"):
        return None
    if APPROXIMATE.fullmatch(phrase):
        return None
    if not is_balanced(phrase):
        return None
    mathematical = re.search(r"[\d\\$=^()]", phrase) is not None
    if not mathematical and len(phrase.split()) > 3:
        return None
    box = read_box(phrase, "math", "")
    if box is None or box.value is None:
        return box
    if _MIXED_NUMBER.fullmatch(phrase):
        return Reading(phrase.replace("$", ""), place, place + len(phrase), True, box.flags)
    if "$" in box.value or "\\(" in box.value:  # several formulas: each keeps its delimiters
        return Reading(phrase, place, place + len(phrase), mathematical, box.flags)
    return box.moved(place)._replace(clean=mathematical)


def is_balanced(formula: str) -> bool:
    """Return whether the groups of a formula are closed, or the text was cut inside it."""
    opened, closed = formula.count("{") - formula.count("\\{"), formula.count("}") - formula.count("\\}")
    return opened == closed and formula.count("\\begin") == formula.count("\\end")


def _without_aside(phrase: str) -> str:
    """Return a phrase without the words in brackets that end it, as in "65 (cubic units)"."""
    aside = _WORDS_IN_BRACKETS.search(phrase)
    return phrase[: aside.start()] if aside else phrase


def _opened(text: str, place: int, end: int) -> tuple[int, int, int, int] | None:
    """Return where the formula around `place` begins, with its content's start and end, and where it is closed.

    A dollar that no other one closes in its paragraph is money, and so is one with a sentence behind it.
    """
    for opening, closing in _DELIMITERS:
        begin = text.rfind(opening, max(0, place - 40), place)
        start = begin + len(opening)
        if begin < 0 or skip_decoration(text, start, place) < place:
            continue
        close = text.find(closing, place, end)
        while close > 0 and closing[0] == "$" and text[close - 1] == "\\":
            close = text.find(closing, close + 1, end)
        inside = text[start:close]
        money = closing == "$" and (inside.count("(") > inside.count(")") and "]" not in inside)
        if (
            close >= 0
            and "\n\n" not in inside
            and not money
            and not (closing == "$" and _PROSE.search(_without_aside(inside)))
        ):
            return begin, start, close, close + len(closing)
    return None
