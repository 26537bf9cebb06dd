"""What one line of `output-rs{seed}.jsonl` says, as far as scoring needs it."""

import json
from typing import Annotated, Any, Final

import msgspec

from scripts.errors import InputError
from scripts.evals.fields import split_fields
from scripts.evals.seedfiles import Line
from scripts.evals.texts import Text

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
_NO_OPTION = msgspec.Raw(b"")
_options = msgspec.json.Decoder(
    msgspec.defstruct("_Options", [(letter, msgspec.Raw, _NO_OPTION) for letter in _LETTERS])
)
_SHORT = 1 << 15  # bytes of a line that a parser reads faster than its quotes are jumped to


def open_record(line: Line, where: str) -> tuple[Record, Text, bool]:
    """Return (the record, its generation, whether its thought stands in a field of its own); raises InputError.

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
        thought = bytes(record.reasoning_content) not in _NO_TEXT
        return record, Text(bytes(record.generation), where), thought
    start, end = fields.generation or (0, 0)
    text = Text(line.data, where, start, end) if fields.generation else Text(b"null", where)
    thought = fields.reasoning is not None and line.data[slice(*fields.reasoning)][:4] not in _NO_TEXT
    return record, text, thought


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
    """Return one sample's line of a file's trace: a generation made anew has another end, so another trace."""
    return f"{identity}\t{end}\t{tokens}\t{finish_reason}\n".encode()
