"""What may stand between a label and its value: decoration, filling words, a list's bullet, a currency."""

import re

from seedbed.scoring.extraction.languages import FILLERS
from seedbed.scoring.extraction.latex import skip_decoration
from seedbed.scoring.extraction.units import CURRENCY

_STRUCK = re.compile(r"\s*~~[^~\n]{1,60}~~\s*")  # taken back in Markdown
_RULE = re.compile(r"(?<=\n)[ \t]{0,3}(?:-{3,}|_{3,}|={3,})[ \t]*\n")  # a line across the page
_BULLET = re.compile(r"(?:[-*\u2022]|>)[ \t]+(?=\S)")  # of a list or a quotation that holds the value


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
