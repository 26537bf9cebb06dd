"""Outputs of seeds, `output-rs{seed}.jsonl`: find the files, read their lines and records, seal a finished file.

Files may be compressed. A finished file has a mark beside it, `.done`, with its size and the digest of its content.
"""

import json
import mmap
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple, TypeVar

import msgspec

from seedbed.core import files
from seedbed.core.digests import sha256
from seedbed.core.errors import InputError
from seedbed.records.lazy_json import Text, split_fields

Kind = TypeVar("Kind")


def decoded(line: bytes, decoder: "msgspec.json.Decoder[Kind]") -> Kind:
    """Return what a line holds; raises InputError, with the reason alone, where it is not what the decoder expects.

    Half a surrogate pair, as some tokenizers emit, is kept as it is; bytes that are not UTF-8 are refused.
    """
    try:
        if not line.isascii():
            line.decode("utf-8")
        return decoder.decode(line)
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 (byte {error.start} of the line)") from None
    except msgspec.ValidationError as error:
        raise InputError(str(error)) from None
    except msgspec.DecodeError as error:
        return _line_with_half_pairs(line, decoder, str(error))
    except RecursionError:
        raise InputError("brackets nested too deep") from None


def _line_with_half_pairs(line: bytes, decoder: "msgspec.json.Decoder[Kind]", fault: str) -> Kind:
    """Return what a line with half a surrogate pair holds; raises InputError with `fault` where it holds none."""
    if b"\\ud" not in line.lower():
        raise InputError(fault)
    try:
        found: Kind = msgspec.convert(json.loads(line), decoder.type)
        return found
    except msgspec.ValidationError as error:
        raise InputError(str(error)) from None
    except (ValueError, RecursionError):
        raise InputError(fault) from None


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


def mark_of(output: Path) -> Path:
    """Return the mark of an output; NeMo-Skills looks for its being there alone."""
    return output.with_name(f"{output.name}.done")


def seal(output: Path, source: str | None = None) -> None:
    """Write the mark of an output that has just been finished, or imported from `source`, atomically."""
    told = {"size": output.stat().st_size, "sha256": sha256(output)} | ({"source": source} if source else {})
    files.write(mark_of(output), json.dumps(told) + "\n")


def changed(output: Path, by_content: bool = True) -> str | None:
    """Return how an output differs from what it was when it was finished, None if it does not or has no such mark.

    By size alone this is cheap enough for every start of a run.
    """
    try:
        told = json.loads(mark_of(output).read_text(encoding="ascii"))
        size, digest = int(told["size"]), str(told["sha256"])
        found = output.stat().st_size
    except (OSError, ValueError, KeyError, TypeError):
        return None
    mend = "remove it and run snakemake, and it comes back from the store"
    if isinstance(told.get("source"), str):
        mend = f"it was imported from {told['source']}; remove its folder and import it again"
    if found != size:
        return f"{output} has {found} bytes, {size} when it was finished: {mend}"
    if by_content and sha256(output) != digest:
        return f"{output} was changed since it was finished: {mend}"
    return None


# What became of a request (one word a sample); `missing` stands for a record that is not there.
OK: Final = "ok"
TRUNCATED: Final = "truncated"
EMPTY: Final = "empty"
ERROR: Final = "error"
MISSING: Final = "missing"
STATUSES: Final = (OK, TRUNCATED, EMPTY, ERROR, MISSING)

# What a scorer made of a sample.
ANSWERED: Final = "answered"
NO_ANSWER: Final = "no_answer"
TIMEOUT: Final = "timeout"
STATES: Final = (ANSWERED, NO_ANSWER, TIMEOUT)


Count = Annotated[int, msgspec.Meta(ge=-(2**53), le=2**53)]  # anything larger is no count, and no float either


class Origin(msgspec.Struct, frozen=True, gc=False):
    """The part of our own extra key that scoring reads."""

    status: str | None = None
    flags: list[str] | None = None
    seed: int | None = None


class Record(msgspec.Struct, frozen=True, gc=False):
    """One record; texts stay undecoded JSON until somebody needs them, and any field may be missing."""

    id: str | int | None = None
    generation: msgspec.Raw = msgspec.Raw(b"null")
    reasoning_content: msgspec.Raw = msgspec.Raw(b"null")
    problem: msgspec.Raw = msgspec.Raw(b"null")
    expected_answer: str | int | float | None = None
    finish_reason: str | None = None
    num_generated_tokens: Count | float | None = None
    num_reasoning_tokens: Count | float | None = None
    num_answer_tokens: Count | float | None = None
    generation_start_time: float | None = None
    generation_end_time: float | None = None
    subset_for_metrics: str | list[str] | None = None
    options: msgspec.Raw = msgspec.Raw(b"null")
    seedbed: Origin | None = None

    @property
    def is_error(self) -> bool:
        """Return whether the request failed for good, in our words or in the peer's."""
        return (self.seedbed is not None and self.seedbed.status == ERROR) or self.finish_reason == "error"

    @property
    def is_truncated(self) -> bool:
        """Return whether the generation was cut at its token limit."""
        return self.finish_reason == "length"

    @property
    def tells_its_end(self) -> bool:
        """Return whether it is known why the generation ended."""
        return self.finish_reason is not None or (self.seedbed is not None and self.seedbed.status is not None)

    def expected(self) -> str | None:
        """Return the expected answer as text, or None if the record has none."""
        return None if self.expected_answer is None else str(self.expected_answer)


_TEXTS = ("generation", "reasoning_content", "problem", "options")
_NO_TEXT = (b"null", b'""')
_record = msgspec.json.Decoder(Record)
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LISTED = re.compile(r"^\s*\(?[A-Z][).:]\s*(.*)$", re.MULTILINE)  # an option on a line of its own
_NO_OPTION = msgspec.Raw(b"")
_options = msgspec.json.Decoder(
    msgspec.defstruct("_Options", [(letter, msgspec.Raw, _NO_OPTION) for letter in _LETTERS])
)
_SHORT = 1 << 15  # bytes of a line that a parser reads faster than its quotes are jumped to


def open_record(line: Line, where: str) -> tuple[Record, Text, Text | None]:
    """Return (the record, its generation, its thought where that is in a field of its own); raises InputError.

    Long texts are jumped over where that is faster than parsing them; every byte is still checked to be UTF-8.
    """
    fields = split_fields(line.data, line.start, line.end) if line.end - line.start > _SHORT else None
    if fields is not None:
        _check_encoding(line, where)
        try:
            record = _record.decode(fields.short)
        except (msgspec.DecodeError, RecursionError):
            fields = None  # the whole line says better what is wrong
    if fields is None:
        whole = bytes(line.data[line.start : line.end])
        record = decode_record(whole, where)
        thought = bytes(record.reasoning_content)
        return record, Text(bytes(record.generation), where), None if thought in _NO_TEXT else _text(thought, where)
    start, end = fields.generation or (0, 0)
    text = Text(line.data, where, start, end) if fields.generation else Text(b"null", where)
    if fields.reasoning is None or line.data[slice(*fields.reasoning)][:4] in _NO_TEXT:
        return record, text, None
    start, end = fields.reasoning
    told = line.data[start : start + 1] == b'"'
    return record, text, Text(line.data, where, start, end) if told else Text(b"null", where)


def _text(raw: bytes, where: str) -> Text:
    """Return a text that is JSON; anything but a string is an empty one."""
    return Text(raw if raw.startswith(b'"') else b"null", where)


def _check_encoding(line: Line, where: str) -> None:
    """Raise InputError unless the line is UTF-8."""
    with memoryview(line.data) as view, view[line.start : line.end] as part:
        try:
            str(part, "utf-8")
        except UnicodeDecodeError as error:
            place = error.start
        else:
            return
    raise InputError(f"{where}: not UTF-8 (byte {place} of the line): expected UTF-8 JSON lines")


def decode_record(line: bytes, where: str) -> Record:
    """Return the record on `line`; raises InputError, naming `where` (file and line), if it is not one."""
    if not line.isascii():
        try:
            line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise InputError(
                f"{where}: not UTF-8 (byte {error.start} of the line): expected UTF-8 JSON lines"
            ) from None
    try:
        return _record.decode(line)
    except msgspec.ValidationError as error:
        raise InputError(f"{where}: not a record: {error}") from None
    except msgspec.DecodeError as error:
        record = _with_half_pairs(line)
        if record is None:
            raise InputError(f"{where}: cut or broken line: expected one JSON object, found {error}") from None
        return record
    except RecursionError:
        raise InputError(f"{where}: not a record: brackets nested too deep") from None


def _with_half_pairs(line: bytes) -> Record | None:
    """Return the record on a line that holds half a surrogate pair, as some tokenizers emit, or None if it is none."""
    if b"\\ud" not in line.lower():
        return None
    try:
        fields: dict[str, Any] = json.loads(line)
        texts = {name: msgspec.Raw(json.dumps(fields.pop(name)).encode()) for name in _TEXTS if name in fields}
        return msgspec.structs.replace(msgspec.convert(fields, Record), **texts)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None


def option_letters(line: bytes, options: msgspec.Raw) -> str:
    """Return the letters of a multiple-choice row: its keys A, B, … or what its `options` list; "" if neither tells."""
    count = _lettered(line)
    if count > 1:
        return _LETTERS[:count]
    value: object = msgspec.json.decode(options)
    if isinstance(value, list | dict):
        if isinstance(value, dict) and all(len(key) == 1 for key in value):
            return "".join(sorted(str(key).upper() for key in value))
        return _LETTERS[: len(value)]
    if isinstance(value, str):
        return _letters_of_listing(value)
    return ""


def option_words(line: bytes, options: msgspec.Raw) -> tuple[str, ...]:
    """Return the words of a multiple-choice row's options in the order of their letters; () where it has none."""
    row = json.loads(line)
    value = row.get("option_texts") or msgspec.json.decode(options)
    if isinstance(value, str):
        value = _LISTED.findall(value)
    if isinstance(value, dict):
        value = [value[key] for key in sorted(value)]
    if not isinstance(value, list) or not value:
        value = [row[letter] for letter in _LETTERS[: _lettered(line)]]
    return tuple(str(one).strip() for one in value)


def _lettered(line: bytes) -> int:
    """Return how many of the keys A, B, … a record that was read before has without a gap."""
    try:
        values = msgspec.structs.astuple(_options.decode(line))
    except msgspec.DecodeError:
        keys = json.loads(line)
        values = tuple(letter if letter in keys else _NO_OPTION for letter in _LETTERS)
    return next((place for place, value in enumerate(values) if value is _NO_OPTION), len(values))


def _letters_of_listing(text: str) -> str:
    """Return the letters of options written as "ABCD" or as lines "A) …"."""
    if 2 <= len(text) <= 26 and text.isascii() and text.isalpha() and text.isupper():
        return text
    found = [line.strip().lstrip("(")[:2] for line in text.splitlines()]
    return "".join(mark[0] for mark in found if len(mark) == 2 and "A" <= mark[0] <= "Z" and mark[1] in ").:")


def trace_line(identity: object, end: object, tokens: object, finish_reason: object) -> bytes:
    """Return one sample's line of a file's trace: a new generation ends at another time, so the trace differs."""
    return f"{identity}\t{end}\t{tokens}\t{finish_reason}\n".encode()
