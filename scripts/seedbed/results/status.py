"""The status of a model on a benchmark: the coverage of its samples, and which metrics were made from just those."""

import functools
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from seedbed.config.settings import Settings
from seedbed.core import files
from seedbed.core.errors import InputError
from seedbed.datasets.rows import label
from seedbed.health import repetition
from seedbed.records import import_record, paths
from seedbed.records.coverage import INVALID, cover
from seedbed.records.dataset import read_ids
from seedbed.results.verdict import Pair, last_line
from seedbed.scoring.definition import digest_of
from seedbed.scoring.score_files import as_json, read_details

FILES = ("metrics*.json", "samples-*.csv", "scorers.json", "statistics.json", "coverage.json")


def files_in(folder: Path) -> str:
    """Return which kinds of files stand in a folder of outputs, by their patterns."""
    return ", ".join([paths.OUTPUTS, *(pattern for pattern in FILES if any(folder.glob(pattern)))])


def known_pairs(settings: Settings, besides: Iterable[Pair]) -> list[Pair]:
    """Return those of some pairs that the configuration knows, then all others whose outputs are there, in order."""
    known = settings.known_benchmarks()
    found = [*besides, *sorted(_with_outputs())]
    return list(dict.fromkeys(pair for pair in found if pair[0] in settings.models and pair[1] in known))


def unconfigured_models(settings: Settings) -> str:
    """Return a line on outputs of models that are not in the configuration, which no table shows; "" for none."""
    names = sorted({model for model, _ in _with_outputs()} - set(settings.models))
    return f"also in results/, not of this configuration: {', '.join(names)}" if names else ""


def _with_outputs() -> set[Pair]:
    """Return every (model, benchmark) whose outputs stand in results/, of whatever configuration."""
    outputs = paths.RESULTS.glob(f"*/{paths.EVAL_RESULTS}/*/{paths.OUTPUTS}*")
    return {(path.parts[-4], path.parts[-2]) for path in outputs}


def terms_of(settings: Settings, record: dict[str, Any], pair: Pair) -> dict[str, Any]:
    """Return what a pair is judged by: the terms of the last run about it, else those of the configuration."""
    if known := record.get("asked", {}).get("/".join(pair)):
        return dict(known)
    try:
        return {"scorers": list(settings.scorers), **settings.terms(*pair)}
    except InputError:
        limit = settings.config["errors"]["max_failed_fraction"]
        return {"scorers": list(settings.scorers), "fingerprint": None, "seeds": settings.seeds, "max_fraction": limit}


def coverage_of(settings: Settings, pair: Pair, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Compute and write coverage.json of a pair; INVALID, with the reason, where the dataset itself is not there."""
    model, benchmark = pair
    folder, dataset = paths.outputs_folder(*pair), paths.dataset_folder(benchmark)
    ids, faults = _ids(benchmark)
    found = cover(folder, ids, wanted["seeds"], wanted["max_fraction"], wanted["fingerprint"])
    if not found["faults"]:
        temperature = settings.model(model)["sampling"].get("temperature")
        repeated = repetition.find([folder / name for name in found["outputs"]], temperature)
        found["remarks"] = [remark for remark in [repeated.line(model)] if remark]
        if repeated.samples:
            found["flags"][repetition.FLAG] = repeated.samples
    try:
        if imported := import_record.read(folder):
            found["imported"] = {"from": imported["from"], "source": imported["source"]}
    except InputError as error:
        faults.append({"seed": None, "fault": str(error)})
    if faults:
        found |= {"faults": faults + found["faults"], "verdict": INVALID}
    found = {"model": model, "benchmark": benchmark, "part": label(dataset), **found}
    if folder.is_dir():
        files.write(folder / "coverage.json", as_json(found))
    return found


def _ids(benchmark: str) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the ids of a prepared dataset, or none and why it is not there."""
    try:
        return read_ids(paths.dataset(benchmark)), []
    except InputError as error:
        said = last_line(paths.LOGS / "prepare_dataset" / f"{benchmark}.log")
        return [], [{"seed": None, "fault": said or str(error)}]


def stale_scorers(settings: Settings, scorers: Iterable[str], folder: Path, coverage: dict[str, Any]) -> list[str]:
    """Return those of the scorers whose metrics were not made from just the outputs that count now, by their files."""
    expected = {name: output["trace"] for name, output in coverage["outputs"].items()}
    return [scorer for scorer in scorers if not _made_from(expected, _file_of(settings, scorer), folder, scorer)]


def _made_from(outputs: dict[str, str], file: str | None, folder: Path, scorer: str) -> bool:
    """Return whether a scorer's metrics were made from `outputs`, and by its present file if that is recorded."""
    try:
        details = read_details(folder, scorer)
    except InputError:
        return False
    return bool(details["outputs"] == outputs and details.get("definition", file) == file)


@functools.cache
def _file_of(settings: Settings, scorer: str) -> str | None:
    """Return the digest of what a scorer's file says now, None where it says nothing that can be read."""
    try:
        return digest_of(settings.scorers[scorer])
    except (InputError, KeyError):
        return None
