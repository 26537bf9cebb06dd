"""results/run.json: whether the last run still goes on or how it ended, and what it was about."""

import json
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

RECORD = Path("results/run.json")
RUNNING = "RUNNING"


def begin(pairs: Iterable[dict[str, Any]], gated: bool = False) -> None:
    """Mark the run as RUNNING for its `pairs`, each with model, benchmark, scorers and fingerprint.

    `gated`: whether it is to be judged by its gates. From here on no verdict of an earlier run stands.
    """
    write({"state": RUNNING, "pairs": list(pairs), "gated": gated, "started": time.time(), "ended": None})


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
