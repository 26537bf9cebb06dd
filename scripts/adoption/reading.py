"""The lines of existing outputs as records of ours: only an id is added, only what is unknown is left out."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import msgspec

from scripts.adoption.sources import SGL_EVAL, SIMPLE, Source
from scripts.errors import InputError
from scripts.evals.records import Record, decode_record
from scripts.evals.seedfiles import read_lines
from scripts.evals.texts import Text

POSITION = "_async_position"
COLUMNS = {"tokens": "num_generated_tokens"}  # what --columns calls shorter than the field is
NAMED = (
    "id", "problem", "expected_answer", "generation", "seed", "finish_reason", "tokens", "reasoning_content",
    "generation_start_time", "generation_end_time", "subset_for_metrics", "options",
)  # fmt: skip
_OF_A_SERVER = ("num_generated_tokens", "num_reasoning_tokens", "num_answer_tokens")
_EMPTY = (b"null", b'""')
_object = msgspec.json.Decoder(dict[str, msgspec.Raw])
Fields = dict[str, bytes]


@dataclass(frozen=True)
class Taken:
    """One record: where it stood, its position in the dataset, what it says, and its line as it is to be written."""

    where: str
    position: int
    record: Record
    seed: int | None
    fields: Fields
    line: bytes

    def problem(self) -> str | None:
        """Return the wording of its problem, None where it is not told."""
        return Text(bytes(self.record.problem), self.where).full() or None

    def with_id(self, identity: str) -> bytes:
        """Return its line with an id put before everything else."""
        return _written({"id": json.dumps(identity).encode(), **self.fields})


@dataclass
class Reader:
    """Reads files of one format; `columns` maps our fields to theirs; `torn` names the lines that were dropped."""

    form: str
    columns: Mapping[str, str] = field(default_factory=dict)
    torn: list[str] = field(default_factory=list)
    left_out: set[str] = field(default_factory=set)

    def records(self, source: Source) -> Iterator[Taken]:
        """Yield the records of a file in its order; raises InputError, naming file and line, for one that is none."""
        position, cut = -1, ""
        for number, line in read_lines(source.path):
            if cut:
                raise InputError(cut)
            where = f"{source.path}:{number}"
            try:
                record = decode_record(line, where)
            except InputError as error:
                if not source.partial or "cut or broken line" not in str(error):
                    raise
                cut = str(error)
                continue
            position += 1
            yield self._taken(line, record, where, position)
        if cut:
            self.torn.append(f"{cut.split(': ')[0]}: the last line is cut; it is dropped, its sample counts as missing")
        if position < 0:
            raise InputError(f"{source.path}:1: empty: expected one record a problem")

    def _taken(self, line: bytes, record: Record, where: str, position: int) -> Taken:
        """Return one record; its line is kept as it is unless something of it must change."""
        before = _fields(line, where)
        fields = self._ours(before, where)
        seed = None
        if POSITION in before:
            position = _whole(fields.pop(POSITION), f"{where}: {POSITION}")
        if self.form == SIMPLE and "seed" in fields:
            seed = _whole(fields["seed"], f"{where}: {self.columns.get('seed', 'seed')}")
        if fields != before or list(fields) != list(before):
            line = _written(fields)
            record = decode_record(line, where)
        if "generation" not in fields:
            known = f"expected --columns generation=NAME, one of: {', '.join(before)}" if self.form == SIMPLE else ""
            raise InputError(
                f"{where}: no generation" + (f"; {known}" if known else ": expected the text of an answer")
            )
        if fields["generation"][:1] not in (b'"', b"n"):
            raise InputError(f"{where}: generation: expected a string or null, found {fields['generation'][:20]!r}")
        return Taken(where, position, record, seed, fields, line)

    def _ours(self, fields: Fields, where: str) -> Fields:
        """Return the fields under our names, without those that only seem to say something."""
        fields = dict(fields)
        if self.form == SIMPLE and self.columns:
            fields = self._renamed(fields, where)
        if self.form == SGL_EVAL:
            if fields.get("num_generated_tokens") == b"0" and fields.get("generation", b"null") not in _EMPTY:
                for name in _OF_A_SERVER:  # written as 0 where the server has not told them
                    fields.pop(name, None)
            if fields.get("num_reasoning_tokens") == b"0" and fields.get("reasoning_content", b"null") not in _EMPTY:
                fields.pop("num_reasoning_tokens")
                fields.pop("num_answer_tokens", None)
            if fields.get("problem") == b'""':
                del fields["problem"]
        for name in ("finish_reason", *_OF_A_SERVER, "problem"):
            if fields.get(name) == b"null":
                del fields[name]
        return fields

    def _renamed(self, fields: Fields, where: str) -> Fields:
        """Return the fields of a line with named columns; raises InputError where a column is not there."""
        for ours, theirs in self.columns.items():
            if theirs not in fields:
                raise InputError(f"{where}: no column {theirs!r} (--columns {ours}=…); found {', '.join(fields)}")
        names = {theirs: COLUMNS.get(ours, ours) for ours, theirs in self.columns.items()}
        taken = set(names.values())
        self.left_out |= {name for name in fields if name in taken and name not in names}
        return {names.get(name, name): value for name, value in fields.items() if name in names or name not in taken}


def _fields(line: bytes, where: str) -> Fields:
    """Return the fields of a line, their values still JSON; raises InputError."""
    try:
        return {name: bytes(value) for name, value in _object.decode(line).items()}
    except msgspec.DecodeError:
        return {name: json.dumps(value).encode() for name, value in json.loads(line).items()}  # half a surrogate pair


def _written(fields: Fields) -> bytes:
    """Return a line of these fields."""
    return b"{" + b", ".join(json.dumps(name).encode() + b": " + value for name, value in fields.items()) + b"}"


def _whole(value: bytes, what: str) -> int:
    """Return a number from 0 on; raises InputError."""
    if not value.isdigit():
        raise InputError(f"{what}: found {value[:40].decode(errors='replace')}; expected a whole number")
    return int(value)
