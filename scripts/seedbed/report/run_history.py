"""What a run was, what served it, and what was decided from it, for the page."""

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from seedbed.core import files
from seedbed.core.errors import InputError
from seedbed.decisions import declared
from seedbed.decisions.comparison import sentences
from seedbed.decisions.criteria import criterion
from seedbed.records import paths

_GATE = {"model", "benchmark", "scorer", "criterion", "result", "words"}


def _objects(found: object) -> list[dict[str, Any]]:
    """Return the objects of a list, none where it is none: it may be of another version."""
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


_LARGEST = 300_000  # bytes of a picture that the page holds; 20 models on 9 benchmarks take about as much


def job_graph() -> dict[str, Any] | None:
    """Return the picture of the jobs that `python -m seedbed dag` drew last, and when; None without or if too large."""
    try:
        picture, drawn = paths.JOB_GRAPH.read_bytes(), paths.JOB_GRAPH.stat().st_mtime
    except OSError:
        return None
    if len(picture) > _LARGEST:
        return None
    return {"image": f"data:image/svg+xml;base64,{base64.b64encode(picture).decode()}", "drawn": drawn}


def of_run(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return when the last run was, on what, made of what, and what it has used."""
    made = record.get("provenance", {})
    code, host = made.get("code", {}), made.get("host", {})
    started, ended = record.get("started"), record.get("ended")
    tokens = [one.get("tokens") for one in record.get("outputs", {}).values()]
    return {
        "commit": code.get("commit"),
        "dirty": None if code.get("clean") is None else not code["clean"],
        "started": started,
        "ended": ended,
        "seconds": ended - started if started and ended else None,
        "gpu_hours": record.get("gpu_hours"),
        "tokens": sum(tokens) if tokens and None not in tokens else None,
        "hosts": [host["name"]] if host.get("name") else [],
        "versions": made.get("versions", {}),
        "stages": record.get("stages", {}),
        "command": made.get("command"),
        "config_file": "config.yaml",
        "job_graph": job_graph(),
    }


def servers(models: Mapping[str, Any], record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what served each model: the server's own record, or the address of somebody else's."""
    found = []
    for model, asked in models.items():
        used = record.get("servers", {}).get(model, {})
        told = files.read_json(paths.existing_server_runs(model)) or used.get("record") or {}
        attempts = _objects(told.get("attempts"))
        last = attempts[-1] if attempts else {}
        found.append(
            {
                "model": model,
                "engine": told.get("engine") or next((way for way in ("endpoint", "imported") if asked.get(way)), None),
                "endpoint": asked.get("endpoint"),
                "version": last.get("version"),
                "nodes": last["nodes"] if isinstance(last.get("nodes"), list) else [],
                "gpus": last.get("gpus"),
                "restarts": told.get("restarts"),
                "gpu_hours": used.get("gpu_hours", told.get("gpu_hours")),
                "guarded": last.get("guarded"),
                "attempts": [
                    {key: attempt.get(key) for key in ("started", "ready", "ended", "reason", "state", "job")}
                    for attempt in attempts
                ],
                "commands": [
                    {"role": process.get("role"), "node": process.get("node"), "command": process.get("command")}
                    for process in _objects(last.get("processes"))
                ],
            }
        )
    return found


def gates(judged: Mapping[str, Any] | None, parts: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return each criterion with its outcome and why; `parts` names the part of a benchmark that was asked."""
    return [
        {
            "gate": f"{_named(one['benchmark'], parts)} / {one['model']}, {one['scorer']}: {one['criterion']}",
            "criterion": one["criterion"],
            "pair": f"{one['model']}/{one['benchmark']}",
            "scorer": one["scorer"],
            "outcome": one["result"],
            "text": one["words"],
            "found": one.get("found"),
            "margin": one.get("margin"),
            "distance": _distance(one),
        }
        for one in _objects((judged or {}).get("criteria"))
        if one.keys() >= _GATE
    ]


def _named(benchmark: str, parts: Mapping[str, str]) -> str:
    """Return a benchmark's name with the part that was asked."""
    return f"{benchmark} ({parts[benchmark]})" if parts.get(benchmark) else benchmark


def _distance(judged: Mapping[str, Any]) -> float | None:
    """Return how far a decided estimate lies from its limit, None of anything else."""
    found = judged.get("found")
    if judged.get("margin") is None or not isinstance(found, int | float):
        return None
    try:
        asked = criterion(judged["criterion"])
    except InputError:
        return None
    return abs(found + asked.limit if asked.kind == "not_worse" else found - asked.limit)


def comparisons(config: dict[str, Any], parts: Mapping[str, str]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the comparisons that the configuration asks for and their names if they are not there or cannot be read.

    `parts` names the part of a benchmark that was asked.
    """
    found, missing = [], []
    for label in declared.labels(config):
        path = paths.COMPARISONS / f"{label}.json"
        document = files.read_json(path) or {}
        try:
            found += [_comparison(label, document, told, path, parts) for told in document["comparisons"]]
        except (KeyError, TypeError):  # there is none, or it was written by another version
            missing.append(label)
    return found, missing


def _comparison(
    label: str, document: Mapping[str, Any], told: dict[str, Any], path: Path, parts: Mapping[str, str]
) -> dict[str, Any]:
    """Return one comparison of one benchmark and scorer."""
    difference = told["difference"]
    questions = ("across_problems", "across_seeds")
    return {
        "name": label,
        **{
            side: f"{document[side]}, {_named(told[side]['benchmark'], parts)}, {told[side]['scorer']}"
            for side in ("a", "b")
        },
        "pairs": [_pair(told[side]) for side in ("a", "b")],
        "part": parts.get(told["a"]["benchmark"], ""),
        "scorers": [told[side]["scorer"] for side in ("a", "b")],
        "values": [told[side]["value"] for side in ("a", "b")],
        "problems": told["problems"]["compared"],
        "difference": difference["value"],
        "intervals": {key: [found["low"], found["high"]] if (found := difference[key]) else None for key in questions},
        "answers": {key: found["answer"] if (found := difference[key]) else None for key in questions},
        "p": told["sign_flip_p"],
        "smallest": told["smallest_difference"].get("across_seeds"),
        "text": ". ".join(sentences(told)),
        "sentences": list(sentences(told)),
        "moved": [[one["id"], one["difference"]] for one in told["moved_most"]],
        "stale": _older(path, [Path(told[side]["folder"]) / f"samples-{told[side]['scorer']}.csv" for side in "ab"]),
        "file": "/".join(path.parts[1:]),
    }


def _pair(side: Mapping[str, Any]) -> str:
    """Return model/benchmark of a side's folder."""
    return f"{Path(side['folder']).parent.parent.name}/{side['benchmark']}"


def _older(path: Path, tables: Sequence[Path]) -> bool:
    """Return whether a comparison was made before the tables that it compares."""
    made = path.stat().st_mtime
    return any(table.is_file() and table.stat().st_mtime > made for table in tables)
