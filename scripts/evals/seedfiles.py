"""Seed files: which there are, which seed each holds, and their lines, plain or compressed."""

import mmap
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from scripts.errors import InputError

_PACKED = 1 << 14  # bytes of a .zst file unpacked at once
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
    number = 0
    try:
        for line in _gz_lines(path) if path.suffix == ".gz" else _zst_lines(path):
            number += 1
            yield line.rstrip(b"\n")
    except ImportError:
        raise InputError(f"{path}: reading .zst needs the package zstandard") from None
    except Exception as error:
        if isinstance(error, EOFError | OSError) or type(error).__name__ in {"ZstdError", "error"}:
            raise InputError(f"{path}:{number + 1}: cut or broken compressed file: {error}") from None
        raise


def _gz_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a .gz file."""
    import gzip

    with gzip.open(path, "rb") as stream:
        yield from stream


def _zst_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a .zst file."""
    begun: list[bytes] = []  # of the line that goes on
    for piece in _zst_pieces(path):
        *lines, rest = piece.split(b"\n")
        for line in lines:
            yield b"".join([*begun, line])
            begun = []
        begun.append(rest)
    if last := b"".join(begun):
        yield last


def _zst_pieces(path: Path) -> Iterator[bytes]:
    """Yield what a .zst file holds, frame after frame; raises EOFError if the last of them is cut."""
    import zstandard

    frame = None
    with path.open("rb") as file:
        while packed := file.read(_PACKED):
            while packed:
                frame = frame or zstandard.ZstdDecompressor().decompressobj()
                yield frame.decompress(packed)
                packed = frame.unused_data if frame.eof else b""
                frame = None if frame.eof else frame
    if frame is not None:
        raise EOFError("ended inside a frame")
