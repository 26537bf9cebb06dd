"""One line of the store: the key, and the record under it."""

import json
from typing import Any

import msgspec

_OPENING = b'{"key":"'
_RECORD = b'","record":'
_HEX = 64
_BODY = len(_OPENING) + _HEX + len(_RECORD)
_ENCODE = msgspec.json.Encoder().encode


class Verdict(msgspec.Struct):
    """What every record of ours says of itself."""

    status: str


class Sample(msgspec.Struct):
    """What every record in the store holds, whoever has written it."""

    id: str
    generation: str
    finish_reason: str
    num_generated_tokens: int
    seedbed: Verdict
    reasoning_content: str = ""


def line_of(key: str, record: dict[str, Any]) -> bytes:
    """Return the line of a sample."""
    return _OPENING + key.encode() + _RECORD + _encoded(record) + b"}\n"


def key_of(line: bytes) -> str | None:
    """Return the key of a whole line of the store, None for any other line."""
    if line.startswith(_OPENING) and line[_BODY - len(_RECORD) : _BODY] == _RECORD and line.endswith(b"}\n"):
        return line[len(_OPENING) : len(_OPENING) + _HEX].decode("ascii", "replace")
    return None


def sample_of(line: bytes, row: str | None) -> dict[str, Any]:
    """Return the record of a line; raises ValueError if it is no sample, or one of another row."""
    record = _decoded(line)
    found = msgspec.convert(record, Sample).id
    if row is not None and found != row:
        raise ValueError(f"it is of row {found!r}; expected {row!r}")
    return record


def record_of(line: bytes) -> dict[str, Any]:
    """Return the record of a line, empty if it cannot be read."""
    try:
        return _decoded(line)
    except (ValueError, RecursionError):
        return {}


def _encoded(record: dict[str, Any]) -> bytes:
    """Return a record as JSON, half a character escaped where a server has sent one."""
    try:
        return _ENCODE(record)
    except UnicodeEncodeError:
        return json.dumps(record).encode("ascii")


def _decoded(line: bytes) -> dict[str, Any]:
    """Return the record of a line; raises ValueError if it holds none."""
    try:
        value = msgspec.json.decode(line)
    except msgspec.DecodeError:
        value = json.loads(line)
    record = value.get("record") if isinstance(value, dict) else None
    if not isinstance(record, dict):
        raise ValueError("it holds no record")
    return record
