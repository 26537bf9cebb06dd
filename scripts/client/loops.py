"""Degenerate loops: a text that goes on repeating itself."""

PROBE = 48
REPEATS = 3


def period(text: bytes | bytearray, span: int) -> int | None:
    """Return the length of the piece that the last `span` bytes repeat at least three times, None if they do not."""
    if span <= 0 or len(text) < span:
        return None
    tail = bytes(text[-span:])
    probe = tail[-min(PROBE, span // REPEATS) :]
    at = len(tail) - len(probe)
    longest = span // REPEATS
    while (found := tail.rfind(probe, 0, at + len(probe) - 1)) >= 0:
        length = len(tail) - len(probe) - found
        if length > longest:
            return None
        if tail[length:] == tail[:-length]:
            return length
        at = found
    return None


class LoopWatch:
    """Looks at a growing answer each time it has grown by a quarter of the span: no loop of 1.25 spans escapes."""

    __slots__ = ("_next", "_span", "_text", "found")

    def __init__(self, span: int | None) -> None:
        """`span` in bytes; None or 0 never looks."""
        self._span = span or 0
        self._next = self._span
        self._text: bytearray | None = None
        self.found: int | None = None

    def look(self, text: bytearray, reasoning: bytearray) -> bool:
        """Return whether a loop has been seen so far; what grows is the reasoning until there is a text."""
        if not self._span:
            return False
        grows = text or reasoning
        if grows is not self._text:
            self._text, self._next = grows, self._span
        if len(grows) >= self._next and self.found is None:
            self._next = len(grows) + max(1, self._span // 4)
            self.found = period(grows, self._span)
        return self.found is not None

    def last(self, text: bytearray, reasoning: bytearray) -> bool:
        """Return whether a loop was seen, looking once more at the ends of the finished answer."""
        if self.found is None and self._span:
            self.found = period(text, self._span) or period(reasoning, self._span)
        return self.found is not None

    def cut(self, text: bytearray, reasoning: bytearray) -> bool:
        """Cut a finished answer where it would have been cut while it grew; return whether there was a loop."""
        for grown in (reasoning, text) if self._span else ():
            for at in range(self._span, len(grown) + 1, max(1, self._span // 4)):
                if (found := period(grown[at - self._span : at], self._span)) is None:
                    continue
                self.found = found
                end = at
                while end < len(grown) and grown[end] & 0xC0 == 0x80:
                    end += 1
                del grown[end:]
                if grown is reasoning:
                    text.clear()
                return True
        return False
