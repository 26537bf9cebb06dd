"""Read JSON lines lazily: find the fields without decoding long strings, and decode a long text from its end."""

import json
import mmap
import re
from typing import NamedTuple

import msgspec

from seedbed.core.errors import InputError

LONG = frozenset({b"generation", b"reasoning_content", b"serialized_output"})  # left out of the short record
_QUOTES = 48  # quotes that a string may have however short it is
_SPARSE = 1500  # bytes a quote; where they are denser a parser is faster than jumping
_BACKSLASH = 0x5C
_COLON = re.compile(rb"\s*:\s*")
_COMMA = re.compile(rb"\s*([,}])\s*")
_SCALAR = re.compile(rb"[-+.\w]+")
_NESTED = re.compile(rb'["{}\[\]]')


class Fields(NamedTuple):
    """A line without its long fields, still JSON, and where the texts stand that were left out."""

    short: bytes
    generation: tuple[int, int] | None
    reasoning: tuple[int, int] | None


def split_fields(data: "bytes | mmap.mmap", start: int, end: int) -> Fields | None:
    """Return the fields of the JSON object in data[start:end], or None if it is better left to a parser."""
    if data[start : start + 1] != b"{" or data[end - 1 : end] != b"}":
        return None
    short: list[bytes] = []
    spans: dict[bytes, tuple[int, int]] = {}
    place = start + 1
    while True:
        if data[place : place + 1] != b'"':
            return None
        after_key = _string_end(data, place, end)
        if after_key is None:
            return None
        colon = _COLON.match(data, after_key, end)
        if colon is None:
            return None
        value = colon.end()
        after = _value_end(data, value, end)
        if after is None:
            return None
        key = data[place + 1 : after_key - 1]
        if key in LONG:
            spans[key] = (value, after)
        else:
            short.append(data[place:after])
        comma = _COMMA.match(data, after, end)
        if comma is None:
            return None
        place = comma.end()
        if comma[1] == b"}":
            if place != end:
                return None
            return Fields(b"{" + b",".join(short) + b"}", spans.get(b"generation"), spans.get(b"reasoning_content"))


def _string_end(data: "bytes | mmap.mmap", start: int, end: int) -> int | None:
    """Return the position after the string that begins at `start`, or None if it does not end or is full of quotes."""
    place = start
    quotes = 0
    while quotes < _QUOTES + (place - start) // _SPARSE:
        quotes += 1
        place = data.find(b'"', place + 1, end)
        if place < 0:
            return None
        before = place - 1
        while data[before] == _BACKSLASH:
            before -= 1
        if (place - before) % 2:
            return place + 1
    return None


def _value_end(data: "bytes | mmap.mmap", start: int, end: int) -> int | None:
    """Return the position after the value at `start`, or None."""
    first = data[start : start + 1]
    if first == b'"':
        return _string_end(data, start, end)
    if first not in {b"{", b"["}:
        scalar = _SCALAR.match(data, start, end)
        return scalar.end() if scalar else None
    depth, place = 0, start
    while True:
        mark = _NESTED.search(data, place, end)
        if mark is None:
            return None
        kind = mark[0]
        if kind == b'"':
            after = _string_end(data, mark.start(), end)
            if after is None:
                return None
            place = after
            continue
        place = mark.end()
        depth += 1 if kind in b"{[" else -1
        if depth == 0:
            return place


_text = msgspec.json.Decoder(str | None)
_TEXT_BACKSLASH = 0x5C


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
        if byte == _TEXT_BACKSLASH:
            low = raw[place + 1 : place + 3].lower() == b"ud" and raw[place + 3 : place + 4].lower() in b"cdef"
            if raw[place - 1] != _TEXT_BACKSLASH and not low:
                return place
        elif byte & 0xC0 != 0x80 and _TEXT_BACKSLASH not in raw[place - 6 : place]:
            return place
    return None
