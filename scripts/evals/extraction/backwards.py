"""Matches of a short pattern from the last to the first, without reading the whole of a long text."""

import re
from collections.abc import Iterator

CHUNK = 1 << 14  # characters looked at at a time
REACH = 200  # no match of such a pattern is longer


def matches_from_end(
    pattern: "re.Pattern[str]", text: str, start: int, end: int, chunk: int = CHUNK
) -> "Iterator[re.Match[str]]":
    """Yield the matches that begin in [start, end), last first; none of them may be longer than REACH."""
    stop = end
    while stop > start:
        begin = max(start, stop - chunk)
        found = []
        place = max(start, begin - REACH)  # matches that begin before this chunk settle where those in it may begin
        for match in pattern.finditer(text, place, min(end, stop + REACH)):
            if match.start() >= stop:
                break
            if match.start() >= begin:
                found.append(match)
        yield from reversed(found)
        stop = begin
