"""A long text that is still JSON: read whole, or from its end only as far as needed."""

import json

import msgspec

from scripts.errors import InputError

_text = msgspec.json.Decoder(str | None)
_BACKSLASH = 0x5C


class Text:
    """One text field of a record; decoding waits until it is asked for."""

    __slots__ = ("_full", "_raw", "_where")

    def __init__(self, raw: "msgspec.Raw | bytes", where: str) -> None:
        """Keep the JSON of a string or null, and `where` (file and line) for complaints."""
        self._raw = raw if isinstance(raw, bytes) else bytes(raw)
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
            self._full = self._decoded(self._raw)
        return self._full

    def size(self) -> int:
        """Return an upper bound of the length in characters, at no cost."""
        return len(self._raw) if self._full is None else len(self._full)

    def tail(self, size: int) -> tuple[str, bool]:
        """Return (an end of the text of about `size` bytes of JSON, whether that is all of it)."""
        if self._full is not None or len(self._raw) <= 2 * size:
            return self.full(), True
        start = self._boundary(len(self._raw) - size)
        if start is None:
            return self.full(), True
        return self._decoded(b'"' + self._raw[start:]), False

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return character positions counted from the end (negative or 0) as positions from the beginning."""
        length = len(self.full())
        return length + start, length + end

    def _boundary(self, start: int) -> int | None:
        """Return the first place from `start` on that is inside no escape, no surrogate pair and no UTF-8 character."""
        raw = self._raw
        for place in range(start, min(start + 256, len(raw) - 1)):
            byte = raw[place]
            if byte == _BACKSLASH:
                low_surrogate = (
                    raw[place + 1 : place + 3].lower() == b"ud" and raw[place + 3 : place + 4].lower() in b"cdef"
                )
                if raw[place - 1] != _BACKSLASH and not low_surrogate:
                    return place
            elif byte & 0xC0 != 0x80 and _BACKSLASH not in raw[place - 6 : place]:
                return place
        return None

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
