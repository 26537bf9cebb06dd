"""A long text that is still JSON: read whole, or from its end only as far as needed."""

import json
import mmap

import msgspec

from scripts.errors import InputError

_text = msgspec.json.Decoder(str | None)
_BACKSLASH = 0x5C


class Text:
    """One text field of a record; decoding waits until it is asked for, and a map must stay open until then."""

    __slots__ = ("_data", "_end", "_full", "_start", "_where")

    def __init__(self, data: "bytes | mmap.mmap", where: str, start: int = 0, end: int | None = None) -> None:
        """Keep the JSON of a string or null in data[start:end], and `where` (file and line) for complaints."""
        self._data = data
        self._start = start
        self._end = len(data) if end is None else end
        self._where = where
        self._full: str | None = None

    @classmethod
    def of(cls, text: str) -> "Text":
        """Return a Text that holds `text` already decoded."""
        made = cls(b"null", "text")
        made._full = text
        return made

    def full(self) -> str:
        """Return the whole text, null as ""; raises InputError if the field holds something else."""
        if self._full is None:
            self._full = self._decoded(bytes(self._data[self._start : self._end]))
        return self._full

    def tail(self, size: int) -> tuple[str, bool]:
        """Return (an end of the text of about `size` bytes of JSON, whether that is all of it)."""
        if self._full is not None or self._end - self._start <= 2 * size:
            return self.full(), True
        raw = bytes(self._data[self._end - size : self._end])
        start = _boundary(raw)
        if start is None:
            return self.full(), True
        return self._decoded(b'"' + raw[start:]), False

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return positions counted from the end (negative or 0) as a slice of the text.

        They are counted from the beginning if the whole text was read anyway, or if the slice ends with the text.
        """
        if self._full is None and end < 0:
            return start, end
        length = len(self.full())
        return length + start, length + end

    def _decoded(self, raw: bytes) -> str:
        """Return the string that `raw` is; half a surrogate pair, which some tokenizers emit, is kept as it is."""
        try:
            return _text.decode(raw) or ""
        except msgspec.DecodeError as error:
            try:
                value = json.loads(raw)
            except ValueError:
                value = 0
            if value is None or isinstance(value, str):
                return value or ""
            raise InputError(f"{self._where}: expected a string or null: {error}") from None


def _boundary(raw: bytes) -> int | None:
    """Return the first place of a piece of JSON that is inside no escape, no surrogate pair and no UTF-8 character."""
    for place in range(6, min(256, len(raw) - 1)):
        byte = raw[place]
        if byte == _BACKSLASH:
            low = raw[place + 1 : place + 3].lower() == b"ud" and raw[place + 3 : place + 4].lower() in b"cdef"
            if raw[place - 1] != _BACKSLASH and not low:
                return place
        elif byte & 0xC0 != 0x80 and _BACKSLASH not in raw[place - 6 : place]:
            return place
    return None
