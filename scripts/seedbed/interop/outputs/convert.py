"""Convert the records of other tools into records of this project, and find the problems that they answer.

An id is added and unknown fields are left out; nothing else changes. The problems are those of a prepared benchmark, or
are gathered from the records.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from seedbed.core.errors import InputError
from seedbed.interop.outputs.find import SGL_EVAL, SIMPLE, Source
from seedbed.records import paths
from seedbed.records.dataset import Row, iter_rows
from seedbed.records.lazy_json import Text
from seedbed.records.outputs import Record, decode_record, read_lines

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
        """Return the wording of its problem, None where it is not known."""
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
                for name in _OF_A_SERVER:  # written as 0 where the server has not sent them
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


UNKNOWN = "(unknown: the outputs do not hold the problem)"
_KEPT = re.compile(r"options|subset_for_metrics|[A-Z]")


@dataclass
class _Known:
    """What is known of a problem, and where from."""

    expected: str | None
    problem: str | None
    place: tuple[Any, ...]
    where: str
    row: Row


@dataclass
class Problems:
    """The problems of one benchmark by id; `dataset` is the file of the prepared rows, None where there is none."""

    benchmark: str
    form: str
    dataset: Path | None = None
    known: dict[str, _Known] = field(default_factory=dict)
    reworded: set[str] = field(default_factory=set)
    _worded: dict[tuple[str, int], str] = field(default_factory=dict)
    _seen: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, benchmark: str, form: str) -> "Problems":
        """Return those of resources/{benchmark}/test.jsonl, or none yet; raises InputError if that file is unusable."""
        path = paths.dataset(benchmark)
        if not path.is_file():
            return cls(benchmark, form)
        found, seen = cls(benchmark, form, path), Counter[str]()
        for row in iter_rows(path):
            identity = str(row["id"])
            known = _Known(str(row["expected_answer"]), row["problem"], (), str(path), row)
            found.known[identity] = known
            found._worded[row["problem"], seen[row["problem"]]] = identity
            seen[row["problem"]] += 1
        return found

    def begin_seed(self) -> None:
        """Forget which wordings have been seen: within a seed, equal ones without an id are different problems."""
        self._seen.clear()

    def identity(self, taken: Taken) -> str:
        """Return the id of a record's problem: its own, or that of its wording, or of its position."""
        if taken.record.id is not None:
            identity = str(taken.record.id)
            if not identity.isprintable() and any("\ud800" <= one <= "\udfff" for one in identity):
                raise InputError(f"{taken.where}: id: found {identity!r}; expected whole characters")
            return identity
        problem = taken.problem()
        if problem is None:
            if self.dataset is not None:
                raise InputError(
                    f"{taken.where}: no id and no problem; expected one of them to find it in {self.dataset}"
                )
            return f"{self.benchmark}-{taken.position}"
        wording = problem, self._seen[problem]
        self._seen[problem] += 1
        if wording not in self._worded:
            if self.dataset is not None:
                raise InputError(
                    f"{taken.where}: no id, and its problem is not in {self.dataset}; expected one of those"
                )
            self._worded[wording] = f"{self.benchmark}-{len(self._worded)}"
        return self._worded[wording]

    def add(self, identity: str, taken: Taken) -> None:
        """Check a record against what is known of its problem, or note it; raises InputError if it is another one."""
        expected, problem = taken.record.expected(), taken.problem()
        known = self.known.get(identity)
        if known is None:
            if self.dataset is not None:
                raise InputError(
                    f"{taken.where}: {identity!r} is not in {self.dataset}; expected its ids, or another --benchmark"
                )
            if expected is None or not expected.strip():
                raise InputError(
                    f"{taken.where}: no expected_answer; expected --columns expected_answer=NAME, or the benchmark"
                    f" prepared before (snakemake resources/{self.benchmark}/test.jsonl)"
                )
            self.known[identity] = _Known(expected, problem, self._place(identity, taken), taken.where, _row(taken))
            return
        if expected is not None and expected != known.expected:
            raise InputError(
                f"{taken.where}: {identity}: expected_answer {expected!r}, where {known.where} has {known.expected!r};"
                " expected one and the same problem"
            )
        if problem is not None and known.problem is not None and problem != known.problem:
            if self.dataset is None:
                raise InputError(f"{taken.where}: {identity} is another problem than at {known.where}")
            self.reworded.add(identity)

    def _place(self, identity: str, taken: Taken) -> tuple[Any, ...]:
        """Return what orders the rows: the position in a file, or the id where files are in order of completion."""
        if self.form == SGL_EVAL:
            return tuple((len(part), part) for part in re.split(r"(\d+)", identity))
        return (taken.position, len(self.known))

    def rows(self) -> list[Row]:
        """Return the gathered problems as rows of a dataset, in their order."""
        return [
            {"id": identity, "problem": known.problem or UNKNOWN, "expected_answer": known.expected, **known.row}
            for identity, known in sorted(self.known.items(), key=lambda one: one[1].place)
        ]


def _row(taken: Taken) -> Row:
    """Return what else of a record belongs to its problem: options, letters, subsets."""
    return {name: json.loads(value) for name, value in taken.fields.items() if _KEPT.fullmatch(name)}
