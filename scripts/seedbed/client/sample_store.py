"""The append-only store of finished samples: one file per model, benchmark and seed, one line per sample.

A line holds the key, a digest of everything that shapes the answer, and the record under it.
"""

import fcntl
import json
import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from seedbed.core.errors import RunError
from seedbed.records import paths

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


ROOT = paths.STORE


def path_of(model: str, benchmark: str, seed: int, root: Path = ROOT) -> Path:
    """Return the file of one seed."""
    return root / model / benchmark / f"rs{seed}.jsonl"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a line is in its file, in bytes."""

    offset: int
    length: int


class Store:
    """One file of the store, held by one writer at a time; nothing in it is ever rewritten but by `drop`."""

    def __init__(self, path: Path) -> None:
        """Open and lock the file, made if missing; raises RunError if another process holds it or it is read-only."""
        self.path = path
        self.warnings: list[str] = []
        self._index: dict[str, Place] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._fd = _locked(path)
        except BlockingIOError as error:
            raise RunError(f"{path}: another process is writing these samples; expected one job a seed") from error
        except OSError as error:
            raise RunError(f"{path}: cannot be written: {error.strerror}; expected a folder that can") from error
        self._end = self._scan()

    def __enter__(self) -> Self:
        """Return the open store."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file, which frees its lock."""
        os.close(self._fd)

    def __contains__(self, key: str) -> bool:
        """Tell whether a finished sample stands under `key`."""
        return key in self._index

    def __len__(self) -> int:
        """Return the number of samples, those of earlier configs included."""
        return len(self._index)

    def _scan(self) -> int:
        """Index the lines and return where the next one goes; a torn last line is dropped with a warning."""
        with os.fdopen(os.dup(self._fd), "rb") as file:
            offset = file.seek(0)
            for line in file:
                if not line.endswith(b"\n"):
                    self.warnings.append(f"{self.path}: the last line is torn ({len(line)} bytes) and was dropped")
                    os.ftruncate(self._fd, offset)
                    return offset
                key = key_of(line)
                if key is None:
                    self.warnings.append(f"{self.path}: the line at byte {offset} is no sample and is passed over")
                else:
                    self._index[key] = Place(offset, len(line))
                offset += len(line)
        return offset

    def add(self, key: str, record: dict[str, Any]) -> None:
        """Append one finished sample by one write; raises RunError if the disk does not take it, the file as before."""
        line = line_of(key, record)
        try:
            written = os.write(self._fd, line)
            while 0 < written < len(line):
                # A short write is how a full disk begins; the next one tells why.
                written += os.write(self._fd, line[written:])
        except OSError as error:
            os.ftruncate(self._fd, self._end)
            raise RunError(
                f"{self.path}: cannot be written: {error.strerror}; the {len(self)} samples before it are kept"
            ) from error
        self._index[key] = Place(self._end, len(line))
        self._end += len(line)

    def get(self, key: str, row: str | None = None) -> dict[str, Any]:
        """Return the record under `key`; raises RunError if its line is damaged or of another row, KeyError if none."""
        place = self._index[key]
        try:
            return sample_of(os.pread(self._fd, place.length, place.offset), row)
        except (ValueError, RecursionError) as error:
            number = os.pread(self._fd, place.offset, 0).count(b"\n") + 1
            raise RunError(
                f"{self.path}, line {number}: the sample cannot be read: {error}; "
                f"drop it with `python -m seedbed store drop`, it is then generated again"
            ) from error

    def sync(self) -> None:
        """Wait until what was written has reached the disk; raises RunError where only that tells that it is full."""
        try:
            os.fsync(self._fd)
        except OSError as error:
            raise RunError(f"{self.path}: cannot be written: {error.strerror}; its last samples may be lost") from error


def drop(path: Path, ids: Collection[str] | None) -> int:
    """Remove the samples of the named rows (None: all) atomically, and return how many there were."""
    with Store(path) as store:
        kept = path.with_name(f".{path.name}.kept")
        dropped = 0
        with kept.open("wb") as file:
            for line in lines(path):
                if key_of(line) is not None and (ids is None or record_of(line).get("id") in ids):
                    dropped += 1
                else:
                    file.write(line)
            file.flush()
            os.fsync(file.fileno())
        if dropped == len(store) and kept.stat().st_size == 0:
            kept.unlink()
            path.unlink()
        else:
            os.replace(kept, path)
    return dropped


def lines(path: Path) -> Iterator[bytes]:
    """Yield the whole lines of a file of the store."""
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                yield line


def _locked(path: Path) -> int:
    """Return a locked descriptor of the file that is at `path` now; raises BlockingIOError if it is held."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # `drop` may have put another file there between the two calls.
            if os.path.exists(path) and os.path.samestat(os.fstat(descriptor), os.stat(path)):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
