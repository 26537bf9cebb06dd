"""Rows of a benchmark: read, checked, written."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from scripts.errors import InputError

Row = dict[str, Any]
REQUIRED = ("id", "problem", "expected_answer")


def read_rows(path: Path, columns: Mapping[str, str] | None = None) -> list[Row]:
    """Return the checked rows of a jsonl file, `columns` naming the source's fields; raises InputError with a line."""
    rows: list[Row] = []
    lines: dict[str, int] = {}
    for number, raw in _objects(path):
        where = f"{path}, line {number}"
        row = _row(raw, columns or {}, where)
        if row["id"] in lines:
            raise InputError(
                f"{where}: id {row['id']!r} stands on line {lines[row['id']]} already; expected every id once"
            )
        lines[row["id"]] = number
        rows.append(row)
    if not rows:
        raise InputError(f"{path}: found no row; expected at least one JSON object a line")
    return rows


def _objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line number, JSON object) of a jsonl file; empty lines are passed over."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            value = json.loads(line.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise InputError(f"{where}: byte {error.start} of the line is not UTF-8; expected UTF-8 text") from error
        except json.JSONDecodeError as error:
            raise InputError(
                f"{where}: not whole JSON ({error.msg} at column {error.colno}); expected one object a line"
            ) from error
        if not isinstance(value, dict):
            raise InputError(f"{where}: found {type(value).__name__}; expected a JSON object")
        yield number, value


def _row(raw: dict[str, Any], columns: Mapping[str, str], where: str) -> Row:
    """Return one row with our field names first, its required fields as text."""
    row: Row = {}
    for field in dict.fromkeys([*REQUIRED, *columns]):
        column = columns.get(field, field)
        if column not in raw:
            raise InputError(
                f"{where}: the field {column!r} is missing; expected {', '.join(columns.get(f, f) for f in REQUIRED)}"
            )
        row[field] = raw[column]
    for field in REQUIRED:
        if isinstance(row[field], int) and not isinstance(row[field], bool):
            row[field] = str(row[field])
        if not isinstance(row[field], str) or not row[field].strip():
            raise InputError(f"{where}: {columns.get(field, field)} is {row[field]!r}; expected some text")
    taken = set(columns.values())
    return row | {key: value for key, value in raw.items() if key not in row and key not in taken}


def write_rows(rows: Iterable[Row], out: Path) -> None:
    """Write rows as ASCII-escaped JSON, one a line, there whole or not at all."""
    out.parent.mkdir(parents=True, exist_ok=True)
    part = out.with_name(f".{out.name}.{os.getpid()}.part")
    try:
        with part.open("w", encoding="ascii") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
        os.replace(part, out)
    finally:
        part.unlink(missing_ok=True)
