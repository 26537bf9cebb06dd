"""Decide whether a run is good enough: gate.json, one last line, and an exit code for those who watch by machine.

By hand: python -m seedbed gate DIR --require "pass@1 >= 70" --require "not worse than REFERENCE by 2 points".
Exit codes: 0 all pass, 1 one fails, 3 none fails but one cannot be told, 2 unusable input.
"""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from seedbed.core import files as notes
from seedbed.core import files as whole
from seedbed.core.errors import InputError
from seedbed.decisions import criteria as gates
from seedbed.decisions import declared
from seedbed.decisions.criteria import EXIT_CODES, Criterion
from seedbed.decisions.declared import Case, read_config
from seedbed.decisions.evidence import Subject
from seedbed.decisions.scored_folder import RESULTS
from seedbed.records import import_record
from seedbed.records.coverage import cover
from seedbed.records.dataset import read_rows
from seedbed.records.outputs import seed_files, seed_of
from seedbed.scoring.answers import ANSWER_TYPES
from seedbed.scoring.score_files import STRICT, as_json

Coverages = Mapping[tuple[str, str], Mapping[str, Any]]
OUT, PASSED = RESULTS / "gate.json", RESULTS / "gate.passed"
_SHOWN = 3  # criteria that the last line tells of; all are in gate.json


def judge(subjects: Iterable[Subject]) -> dict[str, Any]:
    """Return the content of gate.json."""
    criteria = []
    for subject in subjects:
        case = subject.case
        for asked in case.criteria:
            decision = subject.decide(asked)
            names = {"model": case.model, "benchmark": case.benchmark, "scorer": case.scorer}
            criteria.append(names | {name: getattr(decision, name) for name in decision.__struct_fields__})
    result = gates.overall(entry["result"] for entry in criteria)
    return {"result": result, "exit_code": EXIT_CODES[result], "criteria": criteria}


def line(told: Mapping[str, Any]) -> str:
    """Return the last line of a run: the result, and the first criteria that did not pass; the others are counted."""
    wanting = [entry for entry in told["criteria"] if entry["result"] != gates.PASS]
    wanting.sort(key=lambda entry: entry["result"] != gates.FAIL)
    size = len(told["criteria"])
    head = f"gate: {told['result'].upper()}: {size - len(wanting)} of {size} criteria pass"
    several = len({entry["scorer"] for entry in told["criteria"]}) > 1
    shown = [f"{entry['result']}: {_named(entry, several)}: {entry['words']}" for entry in wanting[:_SHOWN]]
    rest = [f"{len(wanting) - _SHOWN} more in {OUT.name}"] if len(wanting) > _SHOWN else []
    return "; ".join([head, *shown, *rest])


def _named(entry: Mapping[str, Any], several: bool) -> str:
    """Return which criterion of which model and benchmark an entry is about, of a stored folder only the last parts.

    The scorer too where there are `several`.
    """
    asked = gates.criterion(entry["criterion"])
    text, path = asked.text, Path(asked.reference)
    if path.is_absolute():
        text = text.replace(asked.reference, "/".join(path.parts[-2:]))
    return f"{entry['benchmark']} / {entry['model']}{', ' + entry['scorer'] if several else ''}: {text}"


def of_run(config: dict[str, Any], coverages: Coverages) -> dict[str, Any]:
    """Return gate.json of a run's effective configuration; what is in no `coverages` is read from its files."""
    known = dict(coverages)
    subjects = []
    for case in declared.cases(config):
        pair, told = (case.model, case.benchmark), _snapshot(case)
        if pair not in known:
            known[pair] = _coverage(config, case, told.get("made_of"))
        subjects.append(Subject(case, known[pair], told.get("sampling", {}).get("temperature"), None))
    return judge(subjects)


def judged(config: dict[str, Any], coverages: Coverages, since: float | None) -> dict[str, Any]:
    """Judge a run whose end is told, and write gate.json; unless all pass the marker goes, so that it is asked again.

    `since`: of a run that failed, when it started. Unless its own gate came to its turn, and so was all that failed,
    a gate that cannot tell is no more than a failure (exit code 1).
    """
    asked = since is None or (OUT.is_file() and OUT.stat().st_mtime >= since)
    told = of_run(config, coverages)
    if told["result"] != gates.PASS:
        PASSED.unlink(missing_ok=True)
    if OUT.parent.is_dir():
        whole.write(OUT, as_json(told))
    return told if asked else told | {"exit_code": EXIT_CODES[gates.FAIL]}


def _snapshot(case: Case) -> dict[str, Any]:
    """Return what a model was asked a benchmark with, {} where no run has left it."""
    client = notes.read_json(Path("run") / case.model / "client.json") or {}
    told: dict[str, Any] = client.get("benchmarks", {}).get(case.benchmark, {})
    return told


def _coverage(config: Mapping[str, Any], case: Case, fingerprint: str | None) -> dict[str, Any]:
    """Return what of a model's samples is there; nothing, where the dataset is not."""
    try:
        ids = [str(row["id"]) for row in read_rows(Path("resources") / case.benchmark / "test.jsonl")]
    except InputError:
        ids = []
    start, count = config["seeds"]["start"], config["seeds"]["count"]
    seeds: Sequence[int] = range(start, start + count)
    if "imported" in config["models"][case.model]:
        seeds = import_record.seeds(case.model, case.benchmark)
    return cover(case.folder, ids, seeds, config["errors"]["max_fraction"], fingerprint)


def by_hand(folder: Path, scorer: str, require: Sequence[str], answer_type: str | None) -> dict[str, Any]:
    """Return the judgement on any folder of outputs; the problems are those of its first seed.

    Raises InputError where nothing is required, or a reference cannot be used.
    """
    if not require:
        raise InputError(f"{folder}: nothing is required of it; expected --require 'pass@1 >= 70' or another criterion")
    files = seed_files(folder)
    ids = [str(row["id"]) for row in read_rows(files[0])]
    above = folder.resolve().parent
    model = (above.parent if above.name == "eval-results" else above).name
    case = Case(model, folder.resolve().name, scorer, folder, _criteria(require), ())
    coverage = cover(folder, ids, [seed_of(path) for path in files], 0.0)
    subject = Subject(case, coverage, None, answer_type)
    for asked in case.criteria:
        if asked.reference:
            subject.reference(asked.reference)
    return judge([subject])


def _criteria(require: Iterable[str]) -> tuple[Criterion, ...]:
    """Return the criteria of sentences given by hand."""
    return tuple(gates.criterion(text) for text in require)


def main() -> int:
    """Run the command; returns 0 pass, 1 fail, 3 cannot tell."""
    parser = argparse.ArgumentParser(prog="python -m seedbed gate", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="a folder with output-rs*.jsonl")
    parser.add_argument("--config", type=Path, help="a run's results/config.yaml, whose gates are meant")
    parser.add_argument("--require", action="append", default=[], help="a criterion; may be repeated")
    parser.add_argument("--scorer", default=STRICT, help="the scorer whose answers count (strict)")
    parser.add_argument("--answer-type", choices=ANSWER_TYPES, help="for outputs not scored yet; told if left out")
    parser.add_argument("--out", type=Path, help="the JSON file to write")
    parser.add_argument("--passed", type=Path, help="a marker, written if all pass: what --out holds then")
    options = parser.parse_args()
    if (options.folder is None) == (options.config is None):
        raise InputError("expected a folder with --require, or --config results/config.yaml")
    if options.config is not None:
        config = read_config(options.config)
        if options.require or not config["gates"]:
            raise InputError(f"{options.config}: expected `gates` in it, and no --require beside it")
        told = of_run(config, {})
    else:
        told = by_hand(options.folder, options.scorer, options.require, options.answer_type)
    if options.out is not None:
        whole.write(options.out, as_json(told))
    print(line(told))
    if told["result"] == gates.PASS and options.passed is not None:
        whole.write(options.passed, as_json(told))
    return int(told["exit_code"])
