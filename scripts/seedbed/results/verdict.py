"""One line a model and benchmark: what its files amount to, and why where that is not everything."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from seedbed.health.repetition import FLAG
from seedbed.records import paths
from seedbed.records.coverage import INVALID, PARTIAL
from seedbed.records.outputs import ERROR, MISSING, OK

Pair = tuple[str, str]


def line(
    pair: Pair, coverage: dict[str, Any], rows: Iterable[dict[str, Any]], stale: list[str], going_on: bool = False
) -> str:
    """Return the line of a (model, benchmark): verdict, size, strict pass@1 where it is valid, or the reasons.

    While a run is `going_on`, INVALID is only so far.
    """
    invalid = f"{INVALID} so far" if going_on else INVALID
    part = f" ({coverage['part']})" if coverage.get("part") else ""
    head = f"{pair[1]}{part} / {pair[0]}"
    if coverage["verdict"] == INVALID:
        return f"{head}: {invalid}: {'; '.join(reasons(pair, coverage))}"
    seeds = coverage["seeds"]
    size = f"{coverage['verdict']} {len(seeds['expected'])}×{coverage['problems']}"
    if stale:
        why = "the run goes on" if going_on else _why_none(pair, stale)
        return f"{head}: {invalid}: outputs {size}, no metrics of {', '.join(stale)} for them: {why}"
    parts = [f"{head}: {size}"]
    if seeds["surplus"]:
        parts.append(f"{len(seeds['expected'])} of {len(seeds['expected']) + len(seeds['surplus'])} seeds")
    parts += [f"strict pass@1 {row['pass@1']:.1f} %" for row in rows if row["scorer"] == "strict"]
    parts += [f"{name} {count}" for name, count in coverage["counts"].items() if count and name != OK]
    if unknown := coverage.get("unknown", {}).get("finish_reason"):
        parts.append("truncated unknown" + (f" for {unknown}" if unknown < coverage["samples"] else ""))
    remarks = coverage.get("remarks", [])  # on repeated generations: they say more than the flag's number
    parts += [f"{name} {count}" for name, count in coverage["flags"].items() if not (remarks and name == FLAG)]
    parts += remarks
    if imported := coverage.get("imported"):
        parts.append(f"imported ({imported['from']})")
    if coverage["verdict"] == PARTIAL:
        parts += reasons(pair, coverage)
    return ", ".join(parts)


def reasons(pair: Pair, coverage: dict[str, Any]) -> list[str]:
    """Return why a pair is not complete: each common reason once, with its seeds or samples and where to look."""
    found = [str(fault["fault"]) for fault in coverage["faults"]]
    missing = sorted(set(coverage["seeds"]["expected"]) - set(coverage["seeds"]["found"]))
    by_reason: dict[str, list[int]] = {}
    for seed in missing:
        reason = _NOT_THERE if coverage.get("imported") else _last_words(pair, seed)
        by_reason.setdefault(_common(reason, seed), []).append(seed)
    for common, seeds in by_reason.items():
        reason = common.replace(_SEED, str(seeds[0]))
        word = "seed" if len(seeds) == 1 else "seeds"
        log = f"{_log(pair, seeds[0])}: " if reason not in (_SILENT, _NOT_THERE) else ""
        found.append(f"{word} {', '.join(map(str, seeds))} missing: {log}{reason}")
    samples: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for cell in coverage["not_ok"]:
        if cell["status"] in (ERROR, MISSING) and cell["seed"] not in missing:
            samples.setdefault((cell["status"], cell["reason"] or "no record"), []).append(cell)
    for (status, reason), cells in samples.items():
        more = f" and {len(cells) - 1} more" if len(cells) > 1 else ""
        found.append(f"{status}: {cells[0]['id']} of seed {cells[0]['seed']}{more}: {reason}")
    return found


_SEED = "{seed}"
_SILENT = "never ran"
_NOT_THERE = "no longer among the imported outputs; import them again"


def _common(reason: str, seed: int) -> str:
    """Return a reason with a placeholder for its seed in the names of files: a common cause is printed once."""
    return re.sub(rf"\brs{seed}\b", f"rs{_SEED}", reason)


def _log(pair: Pair, seed: int) -> Path:
    """Return the log of a seed."""
    return paths.generate_log(*pair, seed)


def _last_words(pair: Pair, seed: int) -> str:
    """Return the last line of a seed's log, which says why it failed."""
    return last_line(_log(pair, seed)) or _SILENT


def _why_none(pair: Pair, scorers: list[str]) -> str:
    """Return what the first failed job of the scorers said last, and where; else what makes the metrics."""
    for scorer in scorers:
        where = f"score/{pair[0]}/{pair[1]}" if scorer == "strict" else f"rescore/{pair[0]}/{pair[1]}-{scorer}"
        log = paths.LOGS / f"{where}.log"
        if said := last_line(log):
            return f"{log}: {said}"
    return "run snakemake"


def last_line(log: Path) -> str | None:
    """Return what a job said last, None if it said nothing or never ran."""
    try:
        text = log.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1].removeprefix("error: ") if lines else None
