"""Existing outputs, copied into a results folder: whole or not at all, and with a record of where they came from.

The benchmark of imported outputs: its rows prepared, and a file of its own where none is shipped under its name.
"""

import contextlib
import json
import shutil
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import yaml

from seedbed.config.benchmark import load_benchmark
from seedbed.config.catalogue import shipped
from seedbed.core import files
from seedbed.core import files as whole
from seedbed.core.digests import sha256
from seedbed.core.errors import InputError
from seedbed.datasets.prepare import prepare
from seedbed.interop.outputs.convert import Problems, Reader, Taken
from seedbed.interop.outputs.find import SIMPLE, Folder, Source, without_gaps
from seedbed.records import import_record, paths
from seedbed.records.dataset import write_rows
from seedbed.records.outputs import seal
from seedbed.scoring.answers import narrowest
from seedbed.scoring.score_files import as_json

_OF_THE_RUN = ["sampling", "prompt", "server"]  # what no record tells


@dataclass
class Adopted:
    """What was taken over for one model and benchmark; `judged` is what the records themselves say of each sample."""

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
            raise InputError(
                f"{taken.where}: id {identity} stands at {places[identity]} too: expected every id once{hint}"
            )
        places[identity] = taken.where
        self.sources.setdefault(seed, {})[source] = None
        if seed not in self.files:
            self.files[seed] = self.stack.enter_context((self.staged / paths.output_name(seed)).open("wb"))
        self.files[seed].write((taken.line if taken.record.id is not None else taken.with_id(identity)) + b"\n")
        record = taken.record
        self.unknown["finish_reason"] += not record.tells_its_end
        self.unknown["num_generated_tokens"] += record.num_generated_tokens is None
        self.unknown["times"] += record.generation_start_time is None or record.generation_end_time is None


def adopt(
    source: Folder, root: Path, reader: Reader, model: str, benchmark: str, wanted: Sequence[int] | None
) -> Adopted:
    """Copy a folder's outputs to results/{model}/eval-results/{benchmark}, whole or not at all; raises InputError."""
    found = Adopted(model, benchmark, Problems.of(benchmark, reader.form), source.metrics)
    if found.folder.exists() and any(found.folder.iterdir()):
        raise InputError(
            f"{found.folder} is there already; expected another --model or --benchmark, or remove it first"
        )
    files = list(source.files)
    told = [file.seed for file in files if file.seed is not None]
    if reader.form != SIMPLE:
        chosen = without_gaps(told, wanted, root)
        files = [file for file in files if file.seed in chosen]
    staged = found.folder.with_name(f".{benchmark}.importing")
    shutil.rmtree(staged, ignore_errors=True)
    staged.mkdir(parents=True)
    try:
        with contextlib.ExitStack() as stack:
            copies = _Copies(staged, stack)
            for number, file in enumerate(files):
                _copy(file, number, reader, found, copies)
        chosen = without_gaps(sorted(copies.files), wanted, root)
        for seed in set(copies.files) - set(chosen):
            (staged / paths.output_name(seed)).unlink()
        found.record = _record(source, root, reader, found, copies, chosen)
        for seed in chosen:
            seal(staged / paths.output_name(seed), ", ".join(map(str, copies.sources[seed])))
        whole.write(staged / import_record.NAME, as_json(found.record))
        if found.folder.is_dir():
            found.folder.rmdir()
        staged.rename(found.folder)
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    return found


def _copy(file: Source, number: int, reader: Reader, found: Adopted, copies: _Copies) -> None:
    """Write the records of one file to those of their seeds; of two files without a seed the first is seed 0."""
    hint = " (--columns seed=NAME tells samples of one problem apart)" if reader.form == SIMPLE else ""
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


def _record(
    source: Folder, root: Path, reader: Reader, found: Adopted, copies: _Copies, chosen: Sequence[int]
) -> dict[str, Any]:
    """Return imported.json: where every seed came from, what is not known, and what has to be told."""
    problems = len(found.problems.known)
    remarks = [*source.remarks, *reader.torn]
    remarks += [f"column {name!r} is left out: another column was named for it" for name in sorted(reader.left_out)]
    if found.problems.reworded:
        count = len(found.problems.reworded)
        remarks.append(f"{count} problems are worded otherwise than in {found.problems.dataset}; ids and answers agree")
    remarks += [f"{name} tells no seed; it is imported as seed {seed}" for name, seed in copies.numbered.items()]
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
                "source": [_told(path) for path in copies.sources[seed]],
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


def _told(path: Path) -> dict[str, Any]:
    """Return what tells a source file: path, size in bytes and SHA-256."""
    return {"path": str(path), "size": path.stat().st_size, "sha256": sha256(path)}


def prepared(found: Adopted, answer_type: str | None) -> dict[str, Path]:
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
    told = prepare(load_benchmark(str(own.resolve()), []).definition, folder / "test.jsonl")
    files.write(folder / "source.json", json.dumps(told, indent=2) + "\n")
    return {name: own}
