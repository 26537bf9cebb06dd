"""Mathematical answers behind a label: what stands between the delimiters, or a short plain phrase."""

import re

from scripts.evals.extraction.box_values import read_box
from scripts.evals.extraction.readings import Reading

_DELIMITERS = (("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$"))
_SENTENCE_END = re.compile(
    r"\n|[.!?;](?=\s|$)|<\||<(?=/)|\u3002|(?=\s+(?:because|since|as desired|which|where|for all|I hope))"
)
_MORE = re.compile(r"\s*(?:,|;|and|or|\\text\{ ?(?:and|or) ?\}|\\quad|where|\u548c|\u6216)\s*(?=\$|\\\()")
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
        return number._replace(value=text[number.start : number.end]) if "continued" not in number.flags else number
    stop = _SENTENCE_END.search(text, place, end)
    limit = stop.start() if stop else end
    trailing = _TRAILING.search(text[place:limit])
    limit = place + trailing.start() if trailing else limit
    phrase = text[place:limit]
    if not phrase or len(phrase) > 160 or _SENTENCE.search(phrase):
        return None
    mathematical = re.search(r"[\d\\$=^()]", phrase) is not None
    if not mathematical and len(phrase.split()) > 3:
        return None
    box = read_box(phrase, "math", "")
    if box is None or box.value is None:
        return box
    return box._replace(start=place + box.start, end=place + box.end, clean=mathematical)


def _opened(text: str, place: int) -> tuple[int, str] | None:
    """Return (where the delimiter stands, what closes it) if the value begins inside one."""
    for opening, closing in _DELIMITERS:
        before = text.rfind(opening, max(0, place - 12), place)
        if before >= 0 and not text[before + len(opening) : place].strip("{ \n\\,;!"):
            return before, closing
    return None
