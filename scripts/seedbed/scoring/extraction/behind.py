"""What stands behind a number: units and closing brackets, or something that makes it another thing."""

import re

from seedbed.scoring.extraction.hedges import DENIED_BEHIND
from seedbed.scoring.extraction.literals import Number
from seedbed.scoring.extraction.units import ATTACHED, CLOSERS, MODULUS

_SYMBOLIC = re.compile(
    r"\s*(?:\\(?:sqrt|pi|sin|cos|tan|ln|log|alpha|beta|theta|varphi|phi|infty|binom|sum|int|left|begin|frac"
    r"|dfrac|tfrac)(?![a-z])|[\u221a\u03c0]|\^)|\([a-z]"
)
_ATTACHED_WORD = re.compile(r"(?:st|nd|rd|th)(?![A-Za-z])|[A-Za-z_]|-[A-Za-z]|:\d|\.\d|,\d|'\d|/\d")
_LIST_ITEM = re.compile(r"[.)]\s+\S")


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
    if attached and not re.match(r"_\{?\d|_(?=\W|$)|__", text[place : place + 3]):
        return None
    if (
        _LIST_ITEM.match(text, place, end)
        and number.simple
        and (lines > 0 or (number.value == 1 and re.search(r"\s2[.)]\s", text[place : place + 600])))
    ):
        return None
    after = closed(text, place, end)
    if DENIED_BEHIND.match(text, after, end):
        return None
    return after


def _degree(text: str, place: int, end: int) -> bool:
    """Return whether the exponent behind a number is a degree sign or belongs to its unit."""
    return re.match(r"\s*\^\s*\{?\s*\\(?:circ|degree)", text[place : min(place + 20, end)]) is not None
