"""Import existing outputs: copy them atomically into a results folder, with a record of their origin.

Also prepares the rows of their benchmark, and writes a benchmark file where none is shipped under its name.
"""

import contextlib
import json
import re
import shutil
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import yaml

from seedbed.config.benchmark import load_benchmark
from seedbed.config.catalogue import shipped
from seedbed.core import files
from seedbed.core.digests import sha256
from seedbed.core.errors import InputError
from seedbed.core.schema import nearest, read_yaml
from seedbed.datasets.prepare import prepare
from seedbed.interop.outputs.convert import NAMED, Problems, Reader, Taken
from seedbed.interop.outputs.find import SIMPLE, Folder, Source, folders, without_gaps
from seedbed.records import import_record, paths
from seedbed.records.dataset import write_rows
from seedbed.records.outputs import seal
from seedbed.scoring.answers import narrowest
from seedbed.scoring.score_files import as_json

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_RESERVED = ("config", "comparisons", "report-data")  # other names in results/
_OF_THE_RUN = ["sampling", "prompt", "server"]  # fields that outputs never have


@dataclass(frozen=True)
class Request:
    """What to import: a folder or file, its format, and what the command line says about it."""

    root: Path
    form: str
    columns: Mapping[str, str]
    model: str | None = None
    benchmark: str | None = None
    seeds: Sequence[int] | None = None

    def folders(self) -> list[Folder]:
        """Return the folders to import, of several only that of the named benchmark; raises InputError for none."""
        found = folders(self.root, self.form)
        if self.benchmark is None or len(found) == 1:
            return found
        names = [str(folder.benchmark) for folder in found]
        if self.benchmark not in names:
            raise InputError(f"--benchmark: found {self.benchmark!r}; {nearest(self.benchmark, names)}")
        return [found[names.index(self.benchmark)]]

    def names(self, folder: Folder, alone: bool) -> tuple[str, str]:
        """Return (model, benchmark) of a folder, by the command line or the folder itself; raises InputError."""
        model = self.model or (folder.model or "").rstrip("/").rsplit("/", 1)[-1]
        benchmark = (self.benchmark if alone else None) or folder.benchmark or ""
        for option, name in (("--model", model), ("--benchmark", benchmark)):
            if not _NAME.fullmatch(name) or name in _RESERVED:
                found = f"found {name!r}" if name else f"{self.root} does not tell it"
                raise InputError(f"{option}: {found}; expected a name of letters, digits, dots, dashes, underscores")
        return model, benchmark


def columns(text: str, form: str) -> dict[str, str]:
    """Return the source's column of each of our fields, from OURS=THEIRS,…; raises InputError."""
    found: dict[str, str] = {}
    for pair in filter(None, text.split(",")):
        ours, equals, theirs = pair.partition("=")
        if not equals or not theirs or ours not in NAMED:
            hint = nearest(ours, NAMED) if equals else "expected OURS=THEIRS"
            raise InputError(f"--columns: found {pair!r}; {hint}")
        found[ours] = theirs
    if found and form != SIMPLE:
        raise InputError(f"--columns: expected with --from {SIMPLE} alone; {form} names its fields itself")
    return found


def refuse_generated(models: Iterable[str]) -> None:
    """Raise InputError where a model of the run in this folder, whose outputs are generated, has the same name."""
    config = read_yaml(paths.CONFIG) if paths.CONFIG.is_file() else {}
    known = config.get("models") if isinstance(config, dict) else None
    for name in models:
        model = known.get(name, {"imported": True}) if isinstance(known, dict) else {"imported": True}
        if not isinstance(model, dict) or "imported" not in model:
            raise InputError(f"--model: found {name!r}, a model of the run in {paths.CONFIG}; expected another name")


@dataclass
class Imported:
    """The imported outputs of one model and benchmark; `judged` is the grade in the records of each sample, if any."""

    model: str
    benchmark: str
    problems: Problems
    metrics: Path | None
    record: dict[str, Any] = field(default_factory=dict)
    judged: dict[tuple[str, int], bool] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """Return the folder of its outputs."""
        return paths.outputs_folder(self.model, self.benchmark)


@dataclass
class _Copies:
    """The files being written: by seed where each id stood, and how many records do not tell a field."""

    staged: Path
    stack: contextlib.ExitStack
    files: dict[int, IO[bytes]] = field(default_factory=dict)
    places: dict[int, dict[str, str]] = field(default_factory=dict)
    sources: dict[int, dict[Path, None]] = field(default_factory=dict)
    unknown: Counter[str] = field(default_factory=Counter)
    numbered: dict[str, int] = field(default_factory=dict)

    def add(self, seed: int, identity: str, taken: Taken, source: Path, hint: str) -> None:
        """Write one record; raises InputError where its seed has the id already."""
        places = self.places.setdefault(seed, {})
        if identity in places:
            raise InputError(f"{taken.where}: id {identity} is at {places[identity]} too: expected every id once{hint}")
        places[identity] = taken.where
        self.sources.setdefault(seed, {})[source] = None
        if seed not in self.files:
            self.files[seed] = self.stack.enter_context((self.staged / paths.output_name(seed)).open("wb"))
        self.files[seed].write((taken.line if taken.record.id is not None else taken.with_id(identity)) + b"\n")
        record = taken.record
        self.unknown["finish_reason"] += not record.tells_its_end
        self.unknown["num_generated_tokens"] += record.num_generated_tokens is None
        self.unknown["times"] += record.generation_start_time is None or record.generation_end_time is None


def import_folder(request: Request, source: Folder, model: str, benchmark: str) -> Imported:
    """Copy a folder's outputs atomically to results/{model}/eval-results/{benchmark}; raises InputError."""
    reader = Reader(request.form, request.columns)
    found = Imported(model, benchmark, Problems.of(benchmark, reader.form), source.metrics)
    if found.folder.exists() and any(found.folder.iterdir()):
        raise InputError(f"{found.folder} already exists; expected another --model or --benchmark, or remove it first")
    outputs = list(source.files)
    seeds = [file.seed for file in outputs if file.seed is not None]
    if reader.form != SIMPLE:
        chosen = without_gaps(seeds, request.seeds, request.root)
        outputs = [file for file in outputs if file.seed in chosen]
    staged = found.folder.with_name(f".{benchmark}.importing")
    shutil.rmtree(staged, ignore_errors=True)
    staged.mkdir(parents=True)
    try:
        with contextlib.ExitStack() as stack:
            copies = _Copies(staged, stack)
            for number, file in enumerate(outputs):
                _copy(file, number, reader, found, copies)
        chosen = without_gaps(sorted(copies.files), request.seeds, request.root)
        for seed in set(copies.files) - set(chosen):
            copies.files.pop(seed)
            (staged / paths.output_name(seed)).unlink()
        found.record = _record(source, request.root, reader, found, copies)
        for seed in chosen:
            seal(staged / paths.output_name(seed), ", ".join(map(str, copies.sources[seed])))
        files.write(staged / import_record.NAME, as_json(found.record))
        if found.folder.is_dir():
            found.folder.rmdir()
        staged.rename(found.folder)
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    return found


def _copy(file: Source, number: int, reader: Reader, found: Imported, copies: _Copies) -> None:
    """Write the records of one file to those of their seeds; of two files without a seed the first is seed 0."""
    hint = " (--columns seed=NAME distinguishes the samples of one problem)" if reader.form == SIMPLE else ""
    found.problems.begin_seed()
    for taken in reader.records(file):
        seed = taken.seed if taken.seed is not None else file.seed
        if seed is None:
            seed = copies.numbered[file.path.name] = number
        identity = found.problems.identity(taken)
        found.problems.add(identity, taken)
        copies.add(seed, identity, taken, file.path, hint)
        if (verdict := taken.fields.get("symbolic_correct")) in (b"true", b"false"):
            found.judged[identity, seed] = verdict == b"true"


def _record(source: Folder, root: Path, reader: Reader, found: Imported, copies: _Copies) -> dict[str, Any]:
    """Return imported.json: the origin of every seed, what is not known, and remarks for people."""
    chosen = sorted(copies.files)
    problems = len(found.problems.known)
    remarks = [*source.remarks, *reader.torn]
    remarks += [f"column {name!r} is left out: another column was named for it" for name in sorted(reader.left_out)]
    if found.problems.reworded:
        count = len(found.problems.reworded)
        remarks.append(f"{count} problems are worded otherwise than in {found.problems.dataset}; ids and answers agree")
    remarks += [
        f"{name} has no seed in its name; it is imported as seed {seed}" for name, seed in copies.numbered.items()
    ]
    for seed in chosen:
        if missing := problems - len(copies.places[seed]):
            remarks.append(f"seed {seed}: {missing} of {problems} problems are missing")
    return {
        "from": reader.form,
        "source": str(root),
        "time": time.time(),
        "model": found.model,
        "benchmark": found.benchmark,
        "files": [
            {
                "seed": seed,
                "records": len(copies.places[seed]),
                "source": [_identified(path) for path in copies.sources[seed]],
            }
            for seed in chosen
        ],
        "problems": problems,
        "rows": "the outputs" if found.problems.dataset is None else str(found.problems.dataset),
        "unknown": {name: copies.unknown[name] for name in ("finish_reason", "num_generated_tokens", "times")},
        "sampling": dict(source.sampling) or None,
        "not_told": [name for name in _OF_THE_RUN if name != "sampling" or not source.sampling],
        "remarks": remarks,
    }


def _identified(path: Path) -> dict[str, Any]:
    """Return the path of a source file, its size in bytes and its SHA-256."""
    return {"path": str(path), "size": path.stat().st_size, "sha256": sha256(path)}


def describe(found: Imported) -> list[str]:
    """Return lines for people: what was imported, and what of it is not known."""
    record = found.record
    samples, count = sum(file["records"] for file in record["files"]), len(record["files"])
    unknown = [f"{name} of {number}" for name, number in record["unknown"].items() if number]
    return [
        f"{found.benchmark} / {found.model}: {samples} samples of {count} seeds from {record['source']}",
        f"  unknown: {', '.join([*unknown, *record['not_told']])}",
        *(f"  {remark}" for remark in record["remarks"]),
    ]


def prepare_benchmark(found: Imported, answer_type: str | None) -> dict[str, Path]:
    """Write resources/{benchmark}, unless it is prepared; returns the benchmark's own file by its name, if it has one.

    Under a shipped name the rows are marked as taken from outputs: a model of a run is not asked them.
    """
    name = found.benchmark
    folder = paths.dataset_folder(name)
    own = folder / f"{name}.yaml"
    if found.problems.dataset is not None:
        return {name: own} if own.is_file() else {}
    folder.mkdir(parents=True, exist_ok=True)
    rows = found.problems.rows()
    if name in shipped("benchmarks"):
        write_rows(rows, folder / "test.jsonl")
        record = {
            "benchmark": name,
            "source": {"imported": found.record["source"]},
            "sha256": sha256(folder / "test.jsonl"),
            "rows": len(rows),
            "part": None,
        }
        files.write(folder / "source.json", json.dumps(record, indent=2) + "\n")
        return {}
    write_rows(rows, folder / "rows.jsonl")
    definition = {
        "description": f"Problems of the outputs imported from {found.record['source']}; their prompt is not known.",
        "source": {"file": "rows.jsonl", "rows": len(rows)},
        "prompt": "{problem}",
        "answer_type": answer_type or narrowest(row["expected_answer"] for row in rows),
    }
    files.write(own, yaml.safe_dump(definition, sort_keys=False, allow_unicode=True, width=110))
    record = prepare(load_benchmark(str(own.resolve()), []).definition, folder / "test.jsonl")
    files.write(folder / "source.json", json.dumps(record, indent=2) + "\n")
    return {name: own}
