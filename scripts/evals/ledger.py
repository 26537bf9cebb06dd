"""Two scorers on the same samples: what changed, what was won and lost, and whether that is more than chance."""

from collections.abc import Sequence
from fractions import Fraction
from math import comb, gcd
from pathlib import Path
from typing import Any

from scripts.errors import InputError
from scripts.evals.records import TIMEOUT
from scripts.evals.samples import Scored, read_table

OUTCOMES = ("none", "right", "wrong")
_COUNTED = 300  # problems up to which sign patterns are counted one by one in integers


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


def sign_flip_p(values: Sequence[int]) -> float:
    """Return the exact two-sided p of a sum under random signs (Fisher's randomisation test), 1 if nothing differs."""
    sizes = [abs(value) for value in values if value]
    if not sizes:
        return 1.0
    unit = gcd(*sizes)
    sizes = [size // unit for size in sizes]
    observed = abs(sum(values)) // unit
    if max(sizes) == 1:
        return _binomial_p(len(sizes), observed)
    if len(sizes) > _COUNTED:
        return _convolved_p(sizes, observed)
    # One big integer counts every subset sum: its bit field s holds how many sign patterns have positives summing to s.
    width = len(sizes) + 1
    ways = 1
    for size in sizes:
        ways += ways << (size * width)
    total, mask = sum(sizes), (1 << width) - 1
    extreme = sum((ways >> (part * width)) & mask for part in range(total + 1) if abs(2 * part - total) >= observed)
    return float(Fraction(extreme, 1 << len(sizes)))


def _convolved_p(sizes: Sequence[int], observed: int) -> float:
    """Return the same for many problems: the distribution is convolved in floats, one binomial a size."""
    import numpy as np

    chances = np.ones(1)
    for size in sorted(set(sizes)):
        count = sizes.count(size)
        binomial = np.zeros(count * size + 1)
        binomial[::size] = [float(Fraction(comb(count, part), 1 << count)) for part in range(count + 1)]
        chances = np.convolve(chances, binomial)
    sums = 2 * np.arange(len(chances)) - sum(sizes)
    return min(1.0, float(chances[np.abs(sums) >= observed].sum()))


def _binomial_p(count: int, observed: int) -> float:
    """Return the same for differences of one each: the two-sided sign test."""
    extreme = sum(comb(count, part) for part in range(count + 1) if abs(2 * part - count) >= observed)
    return float(Fraction(extreme, 1 << count))
