"""results/run.json: whether the last run still goes on or how it ended, and what it was about."""

import json
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from scripts import whole

RECORD = Path("results/run.json")
RUNNING = "RUNNING"
KEPT = ("state", "started", "ended", "verdicts", "stages", "gpu_hours")  # what is kept of the runs before
EARLIER = 20  # how many of them


def begin(pairs: Iterable[dict[str, Any]], gated: bool = False, made_of: Mapping[str, Any] | None = None) -> None:
    """Mark the run as RUNNING for its `pairs`, each with model, benchmark, scorers and the terms of its verdict.

    `gated`: whether it is to be judged by its gates; `made_of`: its provenance. From here on no verdict of an earlier
    run stands; of the runs before this one, their ends are kept, and of each pair what it was last asked for.
    """
    before, pairs = read(), list(pairs)
    asked = {**before.get("asked", {}), **{f"{pair['model']}/{pair['benchmark']}": pair for pair in pairs}}
    ends = [*before.get("earlier", []), *([{key: before.get(key) for key in KEPT}] if before else [])]
    state = {"state": RUNNING, "pairs": pairs, "asked": asked, "gated": gated, "started": time.time(), "ended": None}
    write(state | {"made_of": dict(made_of or {}), "earlier": ends[-EARLIER:]})


def read() -> dict[str, Any]:
    """Return the record of the last run, {} where there is none."""
    try:
        record = json.loads(RECORD.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def write(record: dict[str, Any]) -> None:
    """Write the record, whole or not at all."""
    whole.write(RECORD, json.dumps(record, indent=2) + "\n")
