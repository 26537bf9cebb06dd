"""results/run.json: whether the last run still goes on or how it ended, and what it was about."""

import json
import os
import time
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

RECORD = Path("results/run.json")
RUNNING = "RUNNING"


def begin(wanted: Mapping[tuple[str, str], Collection[str]]) -> None:
    """Mark the run as RUNNING for the scorers of (model, benchmark) pairs: no earlier verdict stands from here on."""
    pairs = [
        {"model": pair[0], "benchmark": pair[1], "scorers": sorted(wanted[pair], key=_strict_first)}
        for pair in sorted(wanted)
    ]
    write({"state": RUNNING, "pairs": pairs, "started": time.time(), "ended": None})


def _strict_first(scorer: str) -> tuple[bool, str]:
    """Return a sort key that puts strict before every other scorer."""
    return scorer != "strict", scorer


def read() -> dict[str, Any]:
    """Return the record of the last run, {} where there is none."""
    try:
        record = json.loads(RECORD.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def write(record: dict[str, Any]) -> None:
    """Write the record, whole or not at all."""
    RECORD.parent.mkdir(parents=True, exist_ok=True)
    part = RECORD.with_name(f".{RECORD.name}.{os.getpid()}")
    part.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    os.replace(part, RECORD)
