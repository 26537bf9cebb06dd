"""Two scorers on the same samples: what changed, what was won and lost, and whether that is more than chance."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from seedbed.core.errors import InputError
from seedbed.records.outputs import TIMEOUT
from seedbed.scoring.answers import Scored
from seedbed.scoring.score_files import read_table
from seedbed.statistics.intervals import sign_flip_p

OUTCOMES = ("none", "right", "wrong")


def compare(first: Sequence[Scored], second: Sequence[Scored], names: tuple[str, str]) -> dict[str, Any]:
    """Return the comparison of `second` with `first` as `scorers.json` holds it; raises InputError if they differ."""
    before = {(row.id, row.seed): row for row in first}
    after = {(row.id, row.seed): row for row in second}
    if before.keys() != after.keys():
        raise InputError(f"{names[0]} and {names[1]} scored different samples: {len(before)} and {len(after)}")
    counts = {one: dict.fromkeys(OUTCOMES, 0) for one in OUTCOMES}
    found, recovered, lost, changed = [], [], [], []
    for key, row in before.items():
        other = after[key]
        was, now = row.outcome, other.outcome
        counts[was][now] += 1
        name = f"{row.id}@{row.seed}"
        if was == "none" and now != "none":
            found.append((name, now == "right"))
        if was != "right" and now == "right":
            recovered.append(name)
        if was == "right" and now != "right":
            lost.append(name)
        if was != now or row.found.value != other.found.value:
            changed.append(name)
    timeouts = [sum(row.found.state == TIMEOUT for row in rows) for rows in (first, second)]
    newly_right = sum(right for _, right in found)
    return {
        "scorers": list(names),
        "samples": len(before),
        "table": counts,
        "counts": {
            "changed": len(changed),
            "newly_found": len(found),
            "newly_found_right": newly_right,
            "recovered": len(recovered),
            "lost": len(lost),
        },
        "newly_found_precision": newly_right / len(found) if found else None,
        "timeouts": dict(zip(names, timeouts, strict=True)),
        "difference": 100.0 * sum(differences(first, second)) / len(before) if before else 0.0,
        "sign_flip_p": sign_flip_p(differences(first, second)),
        "newly_found": [name for name, _ in found],
        "recovered": recovered,
        "lost": lost,
        "changed": changed,
    }


def compare_tables(first: Path, second: Path) -> dict[str, Any]:
    """Return the comparison of two tables samples-{scorer}.csv; raises InputError if one is broken or they differ."""
    names = (first.stem.removeprefix("samples-"), second.stem.removeprefix("samples-"))
    return compare(read_table(first), read_table(second), names)


def differences(first: Sequence[Scored], second: Sequence[Scored]) -> list[int]:
    """Return per problem how many more samples the second scorer has right; samples of one problem stay together."""
    totals: dict[str, int] = {}
    for sign, rows in ((-1, first), (1, second)):
        for row in rows:
            totals[row.id] = totals.get(row.id, 0) + sign * row.correct
    return list(totals.values())
