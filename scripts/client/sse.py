"""Server-sent events, cut out of a byte stream that may break anywhere."""

BOM = b"\xef\xbb\xbf"


class EventReader:
    """Turns chunks of a `text/event-stream` body into the payloads of its events (WHATWG HTML, section 9.2)."""

    __slots__ = ("_after_cr", "_lines", "_name", "_started", "_tail", "error")

    def __init__(self) -> None:
        """Start before the first byte."""
        self._tail = b""
        self._lines: list[bytes] = []
        self._after_cr = False
        self._started = False
        self._name = b""
        self.error: bytes | None = None

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the `data` of every event that `chunk` completes, multi-line data joined by newlines."""
        # One whole event of one line a chunk is what a server sends while it generates.
        if (
            chunk.startswith(b"data: ")
            and chunk.endswith(b"\n\n")
            and chunk.find(b"\n", 6, -2) < 0
            and b"\r" not in chunk
            and not self._tail
            and not self._lines
            and not self._name
            and self._started
            and not self._after_cr
        ):
            return [chunk[6:-2]]
        return self._split(chunk)

    def _split(self, chunk: bytes) -> list[bytes]:
        """Return what `chunk` completes, whatever the line ends and wherever the chunks break."""
        if self._after_cr and chunk.startswith(b"\n"):
            chunk = chunk[1:]
        if not chunk:
            return []
        self._after_cr = chunk.endswith(b"\r")
        content = self._tail + chunk
        if not self._started:
            if len(content) < len(BOM) and BOM.startswith(content):
                self._tail = content
                return []
            self._started = True
            content = content.removeprefix(BOM)
        lines = content.splitlines(keepends=True)
        self._tail = b"" if not lines or lines[-1].endswith((b"\n", b"\r")) else lines.pop()
        events: list[bytes] = []
        for line in lines:
            self._line(line.rstrip(b"\r\n"), events)
        return events

    def _line(self, line: bytes, events: list[bytes]) -> None:
        """Take one line; an empty one ends an event, a colon opens a comment.

        What an event named `error` says becomes `error`, and no event follows it; Dynamo says it in a comment, old
        llama.cpp in a field of that name.
        """
        if not line:
            if self._name == b"error" and self.error is None:
                self.error = b"\n".join(self._lines)
            elif self._lines and self.error is None:
                events.append(b"\n".join(self._lines))
            self._lines.clear()
            self._name = b""
            return
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"event":
            self._name = value
        elif field == b"error":
            self._name = field
        if field in (b"data", b"error") or (not field and self._name == b"error"):
            self._lines.append(value)

    def close(self) -> list[bytes]:
        """Return the event that a clean end of the body left without its empty line, if there is one."""
        events: list[bytes] = []
        if self._tail:
            self._line(self._tail, events)
            self._tail = b""
        self._line(b"", events)
        return events
