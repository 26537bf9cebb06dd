"""What a run has used, for results/run.json: rows, seconds by stage, tokens, and GPU-hours."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from seedbed.core import files
from seedbed.records import paths
from seedbed.serving.spec.server_file import roles

METADATA = Path(".snakemake/metadata")
_SERVED = ("loading", "busy", "idle")  # states in which a server holds its GPUs


def of_run(record: Mapping[str, Any], coverages: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what the run of a record has used since it started; tokens are those of all outputs that count now."""
    started = record.get("started") or 0.0
    models = {
        model: _server(model, entry, started) for model, entry in record.get("provenance", {}).get("models", {}).items()
    }
    hours = [entry["gpu_hours"] for entry in models.values() if entry.get("gpu_hours") is not None]
    return {
        "stages": stages(started),
        "datasets": {name: files.read_json(paths.dataset_source(name)) for name in _benchmarks(coverages)},
        "outputs": {f"{one['model']}/{one['benchmark']}": outputs(one) for one in coverages},
        "servers": models,
        "gpu_hours": sum(hours) if hours else None,
    }


def _benchmarks(coverages: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the benchmarks of some coverages, each once."""
    return list(dict.fromkeys(str(coverage["benchmark"]) for coverage in coverages))


def stages(since: float) -> dict[str, dict[str, float]]:
    """Return by rule the jobs since a time, the seconds from the first start to the last end, and their sum."""
    jobs: dict[str, dict[Any, tuple[float, float]]] = {}
    for path in METADATA.glob("*") if METADATA.is_dir() else ():
        try:
            entry = json.loads(path.read_bytes())
            span = float(entry["starttime"]), float(entry["endtime"])
            rule, job = str(entry["rule"]), entry.get("job_hash") or span
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if span[0] >= since:
            jobs.setdefault(rule, {})[job] = span  # a job with several outputs has an entry for each
    return {
        rule: _span(list(found.values())) for rule, found in sorted(jobs.items(), key=lambda one: min(one[1].values()))
    }


def _span(spans: list[tuple[float, float]]) -> dict[str, float]:
    """Return jobs and seconds of one rule."""
    starts, ends = [start for start, _ in spans], [end for _, end in spans]
    return {
        "jobs": len(spans),
        "seconds": round(max(ends) - min(starts), 3),
        "job_seconds": round(sum(ends) - sum(starts), 3),
    }


def outputs(coverage: Mapping[str, Any]) -> dict[str, Any]:
    """Return samples and tokens (None: not all known) of a pair's outputs, and the traces that identify them."""
    outputs = coverage["outputs"]
    tokens = [output["tokens"] for output in outputs.values()]
    return {
        "samples": sum(output["samples"] for output in outputs.values()),
        "tokens": None if None in tokens else sum(tokens),
        "traces": {name: output["trace"] for name, output in outputs.items()},
    }


def _server(model: str, entry: Mapping[str, Any], started: float) -> dict[str, Any]:
    """Return the record of a model's server in this run, {} where it was not started, with its GPU-hours."""
    stored = files.read_json(paths.existing_server_runs(model))
    record = files.read_json(paths.server_usage(model)) or {}
    mine = [start for start in record.get("starts", []) if start.get("started", 0.0) >= started]
    if not mine:
        return {"record": stored} if stored else {}
    seconds = sum(record.get(f"server_{state}_seconds", 0.0) for state in _SERVED)
    gpus = sum(role.count * role.nodes * role.gpus for role in roles(dict(entry["server"])))
    return {
        "record": stored or record,
        "gpus": gpus,
        "seconds": seconds,
        "gpu_hours": round(gpus * seconds / 3600, 4) if gpus else None,
    }
