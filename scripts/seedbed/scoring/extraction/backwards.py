"""Matches of a short pattern from the last to the first, without reading the whole of a long text."""

import functools
import re
from collections.abc import Iterator

CHUNK = 1 << 14  # characters looked at at a time
REACH = 200  # no match of such a pattern is longer


def matches_from_end(
    pattern: "re.Pattern[str]",
    text: str,
    start: int,
    end: int,
    needles: tuple[str, ...] = (),
    inside: "re.Pattern[str] | None" = None,
    chunk: int = CHUNK,
) -> "Iterator[re.Match[str]]":
    """Yield the matches that begin in [start, end), last first; none of them may be longer than REACH.

    With `needles`, lower-case words of which every match holds one, only their surroundings are searched, and of those
    only the ones in which `inside` matches too, a simpler pattern that matches within every match.
    """
    stop = end
    while stop > start:
        begin = max(start, stop - chunk)
        # Matches that begin before this chunk settle where those in it may begin.
        first, last = max(start, begin - REACH), min(end, stop + REACH)
        found = []
        for low, high in _surroundings(text, first, last, needles) if needles else [(first, last)]:
            if inside is not None and not inside.search(text, low, high):
                continue
            for match in pattern.finditer(text, low, high):
                if begin <= match.start() < stop:
                    found.append(match)
        yield from reversed(found)
        stop = begin


def _surroundings(text: str, start: int, end: int, needles: tuple[str, ...]) -> list[tuple[int, int]]:
    """Return the stretches of text[start:end] within REACH of a needle, joined where they meet."""
    piece = text[start:end]
    lower = piece.lower()
    if len(lower) != len(piece):
        return [(start, end)]
    places = []
    for needle in _ascii(needles) if lower.isascii() else needles:
        place = lower.find(needle)
        while place >= 0:
            places.append(place)
            place = lower.find(needle, place + REACH // 2)
    stretches: list[tuple[int, int]] = []
    for place in sorted(places):
        low, high = max(start, start + place - REACH), min(end, start + place + REACH)
        if stretches and low <= stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], high)
        else:
            stretches.append((low, high))
    return stretches


@functools.lru_cache(maxsize=32)
def _ascii(needles: tuple[str, ...]) -> tuple[str, ...]:
    """Return the needles that may stand in an ASCII text."""
    return tuple(needle for needle in needles if needle.isascii())
