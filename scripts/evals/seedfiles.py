"""Seed files: which there are, which seed each holds, and their lines, plain or compressed."""

import mmap
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from scripts.errors import InputError

_NAME = re.compile(r"output-rs(\d+)\.jsonl(?:\.gz|\.zst)?")
_DROP_EVERY = 1 << 24  # bytes of a mapped file after which the pages already read are given back


def seed_of(path: Path) -> int:
    """Return the seed in the name of an output file; raises InputError for any other name."""
    match = _NAME.fullmatch(path.name)
    if match is None:
        raise InputError(f"{path}: expected a name like output-rs42.jsonl (or .jsonl.gz, .jsonl.zst)")
    return int(match[1])


def seed_files(folder: Path) -> list[Path]:
    """Return the seed files of a folder by seed; raises InputError if there are none or a seed is there twice."""
    if not folder.is_dir():
        raise InputError(f"{folder}: expected a folder with output-rs*.jsonl")
    files = [path for path in folder.iterdir() if _NAME.fullmatch(path.name) and path.is_file()]
    if not files:
        raise InputError(f"{folder}: no output-rs*.jsonl (nor .gz, .zst) in this folder")
    return in_seed_order(files)


def in_seed_order(files: list[Path]) -> list[Path]:
    """Return the files as NeMo-Skills counts them (names sorted as strings); raises InputError if a seed is double."""
    seen: dict[int, Path] = {}
    for path in files:
        seed = seed_of(path)
        if seed in seen:
            raise InputError(f"{path}: seed {seed} is in {seen[seed].name} too: expected one file a seed")
        seen[seed] = path
    return sorted(files, key=lambda path: f"output-rs{seed_of(path)}.jsonl")


class Line(NamedTuple):
    """A line of a seed file: its number from 1, and the bytes data[start:end] without the newline."""

    number: int
    data: "bytes | mmap.mmap"
    start: int
    end: int


def read_spans(path: Path) -> Iterator[Line]:
    """Yield the lines that are not blank; a mapped one is good only until the next is asked for."""
    if path.suffix in {".gz", ".zst"}:
        yield from (
            Line(number, line, 0, len(line)) for number, line in enumerate(_compressed_lines(path), 1) if line.strip()
        )
        return
    yield from _mapped_lines(path)


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield (line number from 1, line without its newline), blank lines left out."""
    for line in read_spans(path):
        yield line.number, bytes(line.data[line.start : line.end])


def _mapped_lines(path: Path) -> Iterator[Line]:
    """Yield the lines of a plain file through a memory map, of which only the last few MB stay resident."""
    size = path.stat().st_size
    if size == 0:
        return
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        start = dropped = number = 0
        while start < size:
            end = data.find(b"\n", start)
            if end < 0:
                end = size
            number += 1
            if end > start and (end - start > 80 or data[start:end].strip()):
                yield Line(number, data, start, end - (data[end - 1 : end] == b"\r"))
            start = end + 1
            if start - dropped > _DROP_EVERY:
                keep = min(start, size) // mmap.PAGESIZE * mmap.PAGESIZE
                data.madvise(mmap.MADV_DONTNEED, dropped, keep - dropped)
                dropped = keep


def _compressed_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a .gz or .zst file; raises InputError if the stream is cut or no such stream."""
    import gzip
    import io

    try:
        if path.suffix == ".gz":
            with gzip.open(path, "rb") as stream:
                for line in stream:
                    yield line.rstrip(b"\n")
            return
        import zstandard

        with path.open("rb") as file, zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True) as raw:
            for line in io.BufferedReader(raw, 1 << 20):
                yield line.rstrip(b"\n")
    except (EOFError, OSError) as error:
        raise InputError(f"{path}: cut or broken compressed file: {error}") from None
    except ImportError:
        raise InputError(f"{path}: reading .zst needs the package zstandard") from None
    except Exception as error:
        if type(error).__name__ == "ZstdError":
            raise InputError(f"{path}: cut or broken compressed file: {error}") from None
        raise
