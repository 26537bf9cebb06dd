"""Rows of a benchmark, `test.jsonl`: read, check and write them.

Also checks that the outputs of all seeds are about the same problems.
"""

import json
import os
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, overload

import msgspec

from seedbed.core.errors import InputError
from seedbed.records.outputs import decoded

Row = dict[str, Any]
REQUIRED = ("id", "problem", "expected_answer")


class _Id(msgspec.Struct, frozen=True):
    """A row of which only the id is wanted."""

    id: str


_id = msgspec.json.Decoder(_Id)


def read_rows(path: Path) -> list[Row]:
    """Return the checked rows of a jsonl file; raises InputError with a line."""
    return list(iter_rows(path))


def iter_rows(path: Path) -> Iterator[Row]:
    """Yield the checked rows of a jsonl file, one in memory at a time; raises InputError with a line."""
    try:
        stream = path.open("rb")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    with stream:
        yield from checked(objects(stream, str(path)), str(path))


class RowFile(Sequence[Row]):
    """The rows of a dataset's file, checked while they are passed over, and read again one by one by their numbers."""

    def __init__(self, path: Path) -> None:
        """Remember the file; nothing is read yet."""
        self._path = path
        self._places: array[int] = array("Q")

    def __iter__(self) -> Iterator[Row]:
        """Yield every row, checked; raises InputError with a line."""
        places: array[int] = array("Q")
        try:
            stream = self._path.open("rb")
        except OSError as error:
            raise InputError(f"{self._path}: {error.strerror}") from error
        with stream:
            yield from checked(objects(_noted(stream, places), str(self._path)), str(self._path))
        self._places = places

    def __len__(self) -> int:
        """Return the number of rows that the last pass has found."""
        return len(self._places)

    @overload
    def __getitem__(self, number: int) -> Row: ...
    @overload
    def __getitem__(self, number: slice) -> list[Row]: ...
    def __getitem__(self, number: int | slice) -> Row | list[Row]:
        """Return one row, or several, read from where the last pass has found them."""
        if isinstance(number, slice):
            return [self[one] for one in range(*number.indices(len(self)))]
        with self._path.open("rb") as stream:
            stream.seek(self._places[number])
            return next(checked(objects([stream.readline()], str(self._path)), str(self._path)))


def _noted(stream: IO[bytes], places: "array[int]") -> Iterator[bytes]:
    """Yield the lines of a stream, the place of every line that is not empty added to `places`."""
    place = 0
    for line in stream:
        if line.strip():
            places.append(place)
        place += len(line)
        yield line


def read_ids(path: Path) -> list[str]:
    """Return the ids of a prepared dataset in its order, the texts unread; raises InputError with a line."""
    try:
        with path.open("rb") as stream:
            return [decoded(line, _id).id for line in stream if line.strip()]
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    except InputError as error:
        raise InputError(f"{path}: {error}; expected one row a line") from None


def checked(rows: Iterable[tuple[str, Row]], label: str) -> Iterator[Row]:
    """Yield the rows of (where, row) with id, problem and expected_answer as text; raises InputError naming where."""
    places: dict[str, str] = {}
    for where, row in rows:
        for field in REQUIRED:
            if field not in row:
                raise InputError(f"{where}: the field {field!r} is missing; expected {', '.join(REQUIRED)}")
            if isinstance(row[field], int) and not isinstance(row[field], bool):
                row[field] = str(row[field])
            if not isinstance(row[field], str) or not row[field].strip():
                raise InputError(f"{where}: {field} is {_told(row[field])}; expected some text or an integer")
        if row["id"] in places:
            first = places[row["id"]].removeprefix(f"{label}, ")
            raise InputError(f"{where}: id {row['id']!r} is on {first} already; expected every id once")
        places[row["id"]] = where
        yield {**{field: row[field] for field in REQUIRED}, **row}
    if not places:
        raise InputError(f"{label}: found no row; expected at least one JSON object a line")


def objects(stream: Iterable[bytes], label: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (where it is, object) of a jsonl stream; empty lines are passed over."""
    for number, line in enumerate(stream, start=1):
        if not line.strip():
            continue
        where = f"{label}, line {number}"
        try:
            value = json.loads(line.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise InputError(f"{where}: byte {error.start} of the line is not UTF-8; expected UTF-8 text") from None
        except json.JSONDecodeError as error:
            raise InputError(
                f"{where}: not whole JSON ({error.msg} at column {error.colno}); expected one object a line"
            ) from None
        yield where, as_object(value, where)


def as_object(value: object, where: str) -> dict[str, Any]:
    """Return `value` if it is an object; raises InputError."""
    if not isinstance(value, dict):
        raise InputError(f"{where}: found {type(value).__name__}; expected a JSON object")
    return value


def write_rows(rows: Iterable[Row], out: Path) -> None:
    """Write rows as ASCII-escaped JSON, one per line, atomically."""
    out.parent.mkdir(parents=True, exist_ok=True)
    part = out.with_name(f".{out.name}.{os.getpid()}.part")
    try:
        with part.open("w", encoding="ascii") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
        os.replace(part, out)
    finally:
        part.unlink(missing_ok=True)


def _told(value: object) -> str:
    """Return a value for a message: whole when it is short by nature, else its type, so that no text is repeated."""
    return type(value).__name__ if isinstance(value, list | dict) else repr(value)


class Key(msgspec.Struct, frozen=True, gc=False):
    """What a problem is: its expected answer and a mark of its wording, where the records give them."""

    expected: str | None
    wording: int | None = None  # the hash of the problem's text, good within this process
    line: int = 0


def check_problems(path: Path, found: Mapping[str, Key], expected: Mapping[str, Key], first: str) -> None:
    """Raise InputError, with a line, unless the file has exactly the expected problems; `first` is who expects them."""
    extra = [identity for identity in found if identity not in expected]
    missing = [identity for identity in expected if identity not in found]
    if extra:
        raise InputError(f"{path}:{found[extra[0]].line}: problem {_few(extra)} is not in {first}")
    if missing:
        raise InputError(
            f"{path}:{max(key.line for key in found.values())}: ends with {len(found)} problems, but {first} has "
            f"{len(expected)}; missing {_few(missing)}"
        )
    for identity, key in found.items():
        other = expected[identity]
        reworded = key.wording is not None and other.wording is not None and key.wording != other.wording
        if key.expected != other.expected or reworded:
            raise InputError(f"{path}:{key.line}: {identity} is another problem than in {first}: expected the same one")


def _few(names: list[str]) -> str:
    """Return the first few names, and how many more there are."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def expected_answers(path: Path) -> dict[str, str]:
    """Return the expected answers of a dataset by id."""
    return {str(row["id"]): str(row["expected_answer"]) for row in iter_rows(path)}
