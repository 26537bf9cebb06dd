"""Mathematical answers behind a label: what stands between the delimiters, or a short plain phrase."""

import re

from seedbed.scoring.extraction.box_values import read_box
from seedbed.scoring.extraction.hedges import NEGATION
from seedbed.scoring.extraction.languages import LANGUAGES
from seedbed.scoring.extraction.nouns import noun_pattern
from seedbed.scoring.extraction.readings import Reading

_DELIMITERS = (("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$"))
_SENTENCE_END = re.compile(
    r"\n|[.!?;](?=\s|$)|<\||<(?=/)|\u3002|(?=\s+(?:because|since|as desired|which|where|for all|I hope))"
)
_FORMULA = re.compile(r"\$\$(.+?)\$\$|\\\[(.+?)\\\]|\\\((.+?)\\\)|(?<!\\)\$((?:[^$\\]|\\.)+)\$", re.DOTALL)
_MORE = re.compile(r"\s*(?:,|;|and|or|\\text\{ ?(?:and|or) ?\}|\\quad|where|\u548c|\u6216)\s*(?=\$|\\\()")
_SAYS = re.compile(r"\w|\\[a-zA-Z{]|[\u2205\u221e]")  # mere punctuation does not
_PERCENT = re.compile(r"\s*\\?%")
_NAMES = re.compile(r"Answer\b")
_RELATES = re.compile(
    r"[=<>\u2260\u2264\u2265\u2208]|\\(?:[lg]eq?q?|[lg]eqslant|neq?|lt|gt|in|equiv|approx|subset)(?![a-z])"
)
_STATES = re.compile(
    r"(?::|\b(?:is|are|equals?|was|be|get|gives?|obtain|answer|ist|est|es|é|è|равно|равен)|是|为|為|は)[\s*_]*$",
    re.IGNORECASE,
)  # what joins a formula to the sentence that states it
_TRAILING = re.compile(r"[\s.,;:!*`_\"'\u201d]+$")
_SENTENCE = re.compile(
    r"(?:\b(?:is|are|was|were|has|have|the|that|this|it|we|you|there|because|can|will|would|should|must|may)\b)",
    re.IGNORECASE,
)


def read_expression(text: str, place: int, end: int, number: Reading | None) -> Reading | None:
    """Return the expression at `place`; `number` is what a reader of numbers saw there."""
    opened = _opened(text, place)
    if opened is not None:
        start, closing = opened
        place = start + len(closing)
        close = text.find(closing, place, end)
        if close < 0:
            return None
        if not _MORE.match(text, close + len(closing), end):
            box = read_box(text[place:close], "math", "")
            if box is None or box.value is None or not box.value.strip():
                return None
            tail = text[close + len(closing) : end].split("\n", 1)[0]
            clean = re.match(r"[\s.,;:!*)}\]]*(?:$|[A-Z<(])", tail) is not None
            if number is not None and "continued" in number.flags:
                return number
            return box._replace(start=place + box.start, end=place + box.end, clean=clean)
        place = start
    if number is not None and number.value is not None and opened is None:
        if "continued" in number.flags:
            return number
        percent = _PERCENT.match(text, number.end, end)
        last = percent.end() if percent else number.end
        return number._replace(value=text[number.start : last], end=last)
    stop = _SENTENCE_END.search(text, place, end)
    limit = stop.start() if stop else end
    trailing = _TRAILING.search(text[place:limit])
    limit = place + trailing.start() if trailing else limit
    phrase = text[place:limit]
    if not _SAYS.search(phrase) or len(phrase) > 160 or _SENTENCE.search(phrase):
        return None
    mathematical = re.search(r"[\d\\$=^()]", phrase) is not None
    if not mathematical and len(phrase.split()) > 3:
        return None
    box = read_box(phrase, "math", "")
    if box is None or box.value is None:
        return box
    if "$" in box.value:  # several formulas: each keeps its delimiters
        return Reading(phrase, place, limit, mathematical, box.flags)
    return box._replace(start=place + box.start, end=place + box.end, clean=mathematical)


def read_bare(text: str) -> Reading | None:
    """Return the answer of a reply that is one short line: the line itself, or the only formula in its sentence."""
    start = len(text) - len(text.lstrip())
    line = text.strip()
    if not line or len(line) > 200 or len(re.sub(r"\\\[\s*|\s*\\\]|\$\$\s*|\s*\$\$", "", line).split("\n")) > 1:
        return None
    if noun_pattern(tuple(LANGUAGES)).fullmatch(re.sub(r"^\W+|[\W_]+$", "", line.lstrip("_"))):
        return None  # a label and nothing behind it
    formulas = list(_FORMULA.finditer(line))
    before, after = (line[: formulas[0].start()], line[formulas[0].end() :]) if formulas else (line, "")
    words = before + after
    if len(formulas) == 1 and (
        ":" in words or _SENTENCE.search(words) or len(words.split()) > 2 or _NAMES.match(words)
    ):
        if (
            NEGATION.search(words)
            or "?" in after
            or not (_RELATES.search(formulas[0][0]) or not before.strip() or _STATES.search(before))
        ):
            return None
        content = next(group for group in formulas[0].groups() if group is not None)
        start, line = start + formulas[0].start() + formulas[0][0].index(content), content
    elif _SENTENCE.search(line) and not (formulas and formulas[0].start() == 0):
        return None
    elif len(formulas) > 1:
        return Reading(line, start, start + len(line))
    box = read_box(line, "math", "")
    if box is None or not (box.value or "").strip():
        return None
    return box._replace(start=start + box.start, end=start + box.end)


def _opened(text: str, place: int) -> tuple[int, str] | None:
    """Return (where the delimiter stands, what closes it) if the value begins inside one."""
    for opening, closing in _DELIMITERS:
        before = text.rfind(opening, max(0, place - 12), place)
        if before >= 0 and not text[before + len(opening) : place].strip("{ \n\\,;!"):
            return before, closing
    return None
