"""The gates of a run: judged from its files, written to gate.json, summed up in one line."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from seedbed.config.settings import Settings
from seedbed.core import files
from seedbed.core.errors import InputError
from seedbed.decisions import criteria, declared
from seedbed.decisions.criteria import EXIT_CODES
from seedbed.decisions.declared import Case
from seedbed.decisions.evidence import Subject
from seedbed.records import paths, run_record
from seedbed.records.coverage import cover
from seedbed.records.dataset import read_rows
from seedbed.records.outputs import seed_files, seed_of
from seedbed.results.status import coverage_of, terms_of
from seedbed.scoring.score_files import as_json

Coverages = Mapping[tuple[str, str], Mapping[str, Any]]
_SHOWN = 3  # criteria that the line names; all are in gate.json


def judge(subjects: Iterable[Subject]) -> dict[str, Any]:
    """Return the content of gate.json."""
    decided = []
    for subject in subjects:
        case = subject.case
        for asked in case.criteria:
            decision = subject.decide(asked)
            names = {"model": case.model, "benchmark": case.benchmark, "scorer": case.scorer}
            decided.append(names | {name: getattr(decision, name) for name in decision.__struct_fields__})
    result = criteria.overall(entry["result"] for entry in decided)
    return {"result": result, "exit_code": EXIT_CODES[result], "criteria": decided}


def judge_run(settings: Settings, coverages: Coverages) -> dict[str, Any]:
    """Return gate.json of a run; a coverage that is not in `coverages` is computed as the summary computes it."""
    record, known = run_record.read(), dict(coverages)
    subjects = []
    for case in declared.cases(settings.config):
        pair = (case.model, case.benchmark)
        if pair not in known:
            known[pair] = coverage_of(settings, pair, terms_of(settings, record, pair))
        subjects.append(Subject(case, known[pair], _temperature(case), None))
    return judge(subjects)


def judge_ended_run(settings: Settings, coverages: Coverages, failed_since: float | None) -> dict[str, Any]:
    """Judge a run that has ended and write gate.json; unless all pass, remove the marker, so that it is asked again.

    `failed_since`: of a run that failed, when it started. Unless its own gate job ran, and so was all that failed, an
    inconclusive gate is no more than a failure (exit code 1).
    """
    asked = failed_since is None or (paths.GATE.is_file() and paths.GATE.stat().st_mtime >= failed_since)
    judged = judge_run(settings, coverages)
    if judged["result"] != criteria.PASS:
        paths.GATE_PASSED.unlink(missing_ok=True)
    if paths.GATE.parent.is_dir():
        files.write(paths.GATE, as_json(judged))
    return judged if asked else judged | {"exit_code": EXIT_CODES[criteria.FAIL]}


def judge_folder(folder: Path, scorer: str, require: Sequence[str], answer_type: str | None) -> dict[str, Any]:
    """Return the judgement on any folder of outputs; the problems are those of its first seed.

    Raises InputError where nothing is required, or a reference cannot be used.
    """
    if not require:
        raise InputError(f"{folder}: nothing is required of it; expected --require 'pass@1 >= 70' or another criterion")
    outputs = seed_files(folder)
    ids = [str(row["id"]) for row in read_rows(outputs[0])]
    asked = tuple(criteria.criterion(text) for text in require)
    case = Case(paths.model_of(folder), folder.resolve().name, scorer, folder, asked, ())
    subject = Subject(case, cover(folder, ids, [seed_of(path) for path in outputs], 0.0), None, answer_type)
    for one in case.criteria:
        if one.reference:
            subject.reference(one.reference)
    return judge([subject])


def line(judged: Mapping[str, Any]) -> str:
    """Return the last line of a run: the result, and the first criteria that did not pass; the others are counted."""
    wanting = [entry for entry in judged["criteria"] if entry["result"] != criteria.PASS]
    wanting.sort(key=lambda entry: entry["result"] != criteria.FAIL)
    size = len(judged["criteria"])
    head = f"gate: {judged['result'].upper()}: {size - len(wanting)} of {size} criteria pass"
    several = len({entry["scorer"] for entry in judged["criteria"]}) > 1
    shown = [f"{entry['result']}: {_named(entry, several)}: {entry['words']}" for entry in wanting[:_SHOWN]]
    rest = [f"{len(wanting) - _SHOWN} more in {paths.GATE.name}"] if len(wanting) > _SHOWN else []
    return "; ".join([head, *shown, *rest])


def _named(entry: Mapping[str, Any], several: bool) -> str:
    """Return which criterion of which model and benchmark an entry is about, of a stored folder only the last parts.

    The scorer too where there are `several`.
    """
    asked = criteria.criterion(entry["criterion"])
    text, path = asked.text, Path(asked.reference)
    if path.is_absolute():
        text = text.replace(asked.reference, "/".join(path.parts[-2:]))
    return f"{entry['benchmark']} / {entry['model']}{', ' + entry['scorer'] if several else ''}: {text}"


def _temperature(case: Case) -> float | None:
    """Return the temperature with which a model was asked a benchmark, None where no run has left it."""
    client = files.read_json(paths.client_config(case.model)) or {}
    found: float | None = client.get("benchmarks", {}).get(case.benchmark, {}).get("sampling", {}).get("temperature")
    return found
