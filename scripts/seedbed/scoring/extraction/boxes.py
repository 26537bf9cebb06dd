r"""Boxes: \boxed{…} and \fbox{…}, from the last to the first."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from seedbed.scoring.extraction.latex import group_end

MOST = 500  # boxes looked at from the end, empty ones and placeholders
_OPENING = re.compile(r"\s*\{")
_BARE = re.compile(r"\s*\$?\s*([-\u2212]?\d[\d,]*(?:\.\d+)?)(?![\w{])")


class Box(NamedTuple):
    """A box: where its command begins, and its content, None if it never closes."""

    start: int
    content: tuple[int, int] | None
    end: int


def boxes_from_end(text: str, commands: tuple[str, ...]) -> Iterator[Box]:
    """Yield the boxes from the last to the first; a bare command without a group or number is a mere word."""
    places = {command: text.rfind("\\" + command) for command in commands}
    for _ in range(MOST):
        command = max(places, key=lambda name: places[name])
        start = places[command]
        if start < 0:
            return
        places[command] = text.rfind("\\" + command, 0, start)
        after = start + 1 + len(command)
        opening = _OPENING.match(text, after)
        if opening:
            end = group_end(text, opening.end())
            if end is None:
                yield Box(start, None, len(text))
            else:
                yield Box(start, (opening.end(), end), end + 1)
            continue
        bare = _BARE.match(text, after)
        if bare:
            yield Box(start, bare.span(1), bare.end())
