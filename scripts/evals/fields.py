"""The fields of a JSON line found without reading its long strings: quotes are jumped to, the rest is left alone."""

import mmap
import re
from typing import NamedTuple

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
