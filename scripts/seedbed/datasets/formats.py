"""Read the rows of a source: jsonl, json, csv or parquet, compressed or inside a tar or zip archive.

Parquet is read by pandas and pyarrow. Csv is not: pandas pads a short line without an error and knows no line numbers.
"""

import bz2
import csv
import fnmatch
import gzip
import io
import lzma
import mmap
import os
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, cast

import msgspec

from seedbed.core.errors import InputError
from seedbed.records.dataset import as_object
from seedbed.records.dataset import objects as jsonl


def unpacked(path: Path) -> IO[bytes]:
    """Return a stream of the content of a file, which its ending may call compressed: .gz, .bz2, .xz or .zst."""
    if path.suffix == ".gz":
        return cast(IO[bytes], gzip.open(path))
    if path.suffix == ".bz2":
        return cast(IO[bytes], bz2.open(path))
    if path.suffix == ".xz":
        return cast(IO[bytes], lzma.open(path))
    if path.suffix == ".zst":
        import zstandard

        return io.BufferedReader(cast(io.RawIOBase, zstandard.open(path)), 1 << 20)
    return path.open("rb")


def members(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield (name, stream) of the regular files of an archive in the order in which they stand there."""
    try:
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as packed:
                for entry in packed.infolist():
                    if not entry.is_dir():
                        with packed.open(entry) as stream:
                            yield entry.filename, stream
            return
        with tarfile.open(path) as archive:
            for member in archive:
                if member.isfile() and (content := archive.extractfile(member)) is not None:
                    yield member.name, content
    except (tarfile.TarError, zipfile.BadZipFile) as error:
        raise InputError(f"{path}: {' '.join(str(error).split())}; expected a whole archive") from None


Numbered = tuple[str, dict[str, Any]]
FORMATS = ("jsonl", "json", "csv", "parquet")
BATCH = 10_000  # rows of a parquet file in memory at a time
_PACKED = (".gz", ".bz2", ".xz", ".zst")
_ARCHIVES = (".tar", ".zip", ".tgz", *(f".tar{ending}" for ending in _PACKED[:3]))
_NAMES = {".ndjson": "jsonl", ".txt": "jsonl"}


def objects(path: Path, source: Mapping[str, Any]) -> Iterator[Numbered]:
    """Yield (where it is, object) of every row; raises InputError naming the file and line, never its text.

    `source` may say what the name does not: `format`, `header` (the columns of a csv without a first line of names) and
    `members` (a pattern of the files in an archive, whose rows get a column `member`, the file's name).
    """
    if path.name.endswith(_ARCHIVES):
        found = False
        for name, stream in members(path):
            if fnmatch.fnmatchcase(name, source.get("members", "*")):
                found = True
                for where, value in _rows(stream, name, f"{path}, {name}", source):
                    yield where, {**value, "member": Path(name).name.split(".")[0]}
        if not found:
            raise InputError(f"{path}: no member is like {source.get('members', '*')!r} (source.members)")
        return
    try:
        with unpacked(path) as stream:
            yield from _rows(stream, path.name, str(path), source)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error
    except EOFError as error:
        raise InputError(f"{path}: cut short ({error}); expected a whole compressed file") from error


def _rows(stream: IO[bytes], name: str, label: str, source: Mapping[str, Any]) -> Iterator[Numbered]:
    """Return the rows of one file in the format that the source or its name tells."""
    bare = name
    while Path(bare).suffix in _PACKED:
        bare = bare.removesuffix(Path(bare).suffix)
    suffix = Path(bare).suffix
    kind = source.get("format") or _NAMES.get(suffix, suffix.removeprefix("."))
    if kind == "jsonl":
        return jsonl(stream, label)
    if kind == "json":
        return _json(stream, label)
    if kind == "csv":
        return _csv(stream, label, source.get("header"))
    if kind == "parquet":
        return _parquet(stream, label)
    raise InputError(f"{label}: found a file {suffix or 'without an ending'}; expected source.format, {FORMATS}")


def _json(stream: IO[bytes], label: str) -> Iterator[Numbered]:
    """Yield the objects of a file that is one list; they are decoded one by one, so a large file costs little."""
    plain = _is_plain(stream) and os.fstat(stream.fileno()).st_size
    content: Any = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) if plain else stream.read()
    try:
        parts = msgspec.json.decode(content, type=list[msgspec.Raw])
        for number, part in enumerate(parts, start=1):
            where = f"{label}, object {number}"
            yield where, as_object(msgspec.json.decode(part), where)
    except UnicodeDecodeError as error:
        raise InputError(f"{label}: byte {error.start} is not UTF-8; expected UTF-8 text") from None
    except msgspec.DecodeError as error:
        raise InputError(f"{label}: {error}; expected a list of objects") from None


def _csv(stream: IO[bytes], label: str, header: list[str] | None) -> Iterator[Numbered]:
    """Yield the lines of a csv file as objects of text, an empty cell as None."""
    csv.field_size_limit(1 << 30)
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
    lines = csv.reader(text)
    try:
        names = header or next(lines, [])
        for cells in lines:
            if not cells:
                continue
            where = f"{label}, line {lines.line_num}"
            if len(cells) != len(names):
                raise InputError(f"{where}: found {len(cells)} columns; expected {len(names)}")
            yield where, {name: cell or None for name, cell in zip(names, cells, strict=True)}
    except UnicodeDecodeError as error:
        raise InputError(
            f"{label}: after line {lines.line_num}: not UTF-8; expected UTF-8 text ({error.reason})"
        ) from None
    except csv.Error as error:
        raise InputError(f"{label}, line {lines.line_num}: {error}; expected csv") from None
    finally:
        text.detach()


def _parquet(stream: IO[bytes], label: str) -> Iterator[Numbered]:
    """Yield the rows of a parquet file, one batch of rows in memory at a time; integers stay integers beside nulls."""
    import pandas  # 0.5 s with pyarrow: only a parquet source pays for it
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    stream = stream if _is_plain(stream) else io.BytesIO(stream.read())
    number = 0
    try:
        for batch in ParquetFile(stream).iter_batches(BATCH):
            table = batch.to_pandas(types_mapper=pandas.ArrowDtype).astype(object)
            for value in table.where(table.notna(), None).to_dict("records"):
                number += 1
                yield f"{label}, row {number}", {str(name): _plain(cell) for name, cell in value.items()}
    except (ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(f"{label}: {type(error).__name__}: {error}; expected parquet") from None


def _is_plain(stream: IO[bytes]) -> bool:
    """Return whether a stream is a file on the disk, neither unpacked on the way nor inside an archive."""
    return isinstance(getattr(stream, "raw", None), io.FileIO)


def _plain(cell: Any) -> Any:
    """Return a cell of a table as plain Python: arrays as lists, numbers as numbers, what is missing as None."""
    if hasattr(cell, "tolist"):
        cell = cell.tolist()
    if isinstance(cell, list):
        return [_plain(part) for part in cell]
    if isinstance(cell, dict):
        return {name: _plain(part) for name, part in cell.items()}
    if isinstance(cell, bytes):
        return cell.decode("utf-8")
    return None if cell is None or cell != cell else cell
