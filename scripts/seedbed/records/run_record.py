"""results/run.json: whether the last run still goes on or how it ended, and what it was about."""

import json
import time
from collections.abc import Iterable, Mapping
from typing import Any

from seedbed.core import files
from seedbed.records import paths

RUNNING = "RUNNING"
KEPT = ("state", "started", "ended", "verdicts", "stages", "gpu_hours")  # what is kept of the runs before
EARLIER = 20  # how many of them
_NUMBER = (int, float, type(None))
_KINDS: dict[str, type | tuple[type, ...]] = {
    "state": str, "pairs": list, "asked": dict, "provenance": dict, "outputs": dict, "servers": dict, "stages": dict,
    "earlier": list, "verdicts": dict, "started": _NUMBER, "ended": _NUMBER, "gpu_hours": _NUMBER,
}  # fmt: skip
_TERMS = ("model", "benchmark", "scorers", "seeds", "fingerprint", "max_fraction")


def begin(pairs: Iterable[dict[str, Any]], gated: bool = False, provenance: Mapping[str, Any] | None = None) -> None:
    """Mark the run as RUNNING for its `pairs`, each with model, benchmark, scorers and the terms of its verdict.

    `gated`: whether it is to be judged by its gates; `provenance`: what it was made of. From here on no verdict of an
    earlier run counts; of the runs before this one, the ends are kept, and of each pair what was last asked of it.
    """
    before, pairs = read(), list(pairs)
    asked = {**before.get("asked", {}), **{f"{pair['model']}/{pair['benchmark']}": pair for pair in pairs}}
    ends = [*before.get("earlier", []), *([{key: before.get(key) for key in KEPT}] if before else [])]
    state = {"state": RUNNING, "pairs": pairs, "asked": asked, "gated": gated, "started": time.time(), "ended": None}
    write(state | {"provenance": dict(provenance or {}), "earlier": ends[-EARLIER:]})


def read() -> dict[str, Any]:
    """Return the record of the last run, without what is not as this version writes it; {} where there is none."""
    try:
        record = json.loads(paths.RUN_RECORD.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return _sound(record) if isinstance(record, dict) else {}


def _sound(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record without the parts of another kind than they are written in: another version, or a hand."""
    if "made_of" in record:  # the name in 0.1
        record = {"provenance": record["made_of"], **record}
    found: dict[str, Any] = {
        name: value
        for name, value in record.items()
        if name != "made_of" and isinstance(value, _KINDS.get(name, object))
    }
    for name in ("provenance", "outputs", "servers"):
        if name in found:
            inner = found[name].items()
            found[name] = {key: value for key, value in inner if name == "provenance" or isinstance(value, dict)}
    if "provenance" in found:
        parts = ("code", "host", "versions", "models")
        blocks = found["provenance"].items()
        found["provenance"] = {key: value for key, value in blocks if key not in parts or isinstance(value, dict)}
    if "asked" in found:
        found["asked"] = {name: terms for name, terms in found["asked"].items() if _asked(terms)}
    if "pairs" in found:
        found["pairs"] = [terms for terms in found["pairs"] if _asked(terms)]
    return found


def _asked(terms: object) -> bool:
    """Return whether this tells what a pair was asked for."""
    return isinstance(terms, dict) and all(name in terms for name in _TERMS) and isinstance(terms["seeds"], list)


def write(record: dict[str, Any]) -> None:
    """Write the record."""
    files.write(paths.RUN_RECORD, json.dumps(record, indent=2) + "\n")
