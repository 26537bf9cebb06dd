"""Two sets of samples on the same problems: the paired difference, what it can tell, and the problems that moved."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import lcm, sqrt
from typing import Any

from seedbed.core.errors import InputError
from seedbed.scoring.answers import Scored
from seedbed.scoring.figures import Cells, by_problem
from seedbed.statistics.intervals import (
    NORMAL_80,
    NORMAL_975,
    Interval,
    Tally,
    across_seeds,
    containing,
    linked,
    paired,
    paired_again,
    sign_flip_p,
    student,
)
from seedbed.statistics.pass_at_k import pass_variance

LISTED = 10  # problems listed as those that moved most
TOLD = 5  # of them told to people
BETTER, WORSE, INCONCLUSIVE = "better", "worse", "inconclusive"


def compare(first: Sequence[Scored], second: Sequence[Scored], same_samples: bool = False) -> dict[str, Any]:
    """Return what the second has over the first, in points of pass@1, on the problems that both have.

    `same_samples`: two scorers on one set of outputs, whose samples are compared one by one. Raises InputError if no
    problem is in both.
    """
    one, other = by_problem(first), by_problem(second)
    shared = [name for name in one if name in other]
    if not shared:
        raise InputError(f"no problem in common: found {_few(list(one))} and {_few(list(other))}")
    moves = {name: _mean(other[name]) - _mean(one[name]) for name in shared}
    tally: Tally = list(Counter(moves.values()).items())
    value = sum(moves.values()) / len(moves)
    again = _same_again(one, other, shared) if same_samples else _again(one, other, shared)
    others = containing(paired(tally), again)
    return {
        "problems": {
            "compared": len(shared),
            "of": max(len(one), len(other)),
            "only_a": [name for name in one if name not in other],
            "only_b": [name for name in other if name not in one],
        },
        "a": _side(one, shared),
        "b": _side(other, shared),
        "difference": {
            "value": 100 * value,
            "across_problems": _told(others),
            "across_seeds": _told(again),
        },
        "sign_flip_p": sign_flip_p(_integers(one, other, shared)),
        "smallest_difference": {
            "power": 80,
            "across_problems": _smallest(others, student(len(shared) - 1) if others else 0.0),
            "across_seeds": _smallest(again, NORMAL_975),
        },
        "moved": {
            "up": sum(move > 0 for move in moves.values()),
            "down": sum(move < 0 for move in moves.values()),
            "same": sum(move == 0 for move in moves.values()),
        },
        "moved_most": [
            {"id": name, "a": 100 * _mean(one[name]), "b": 100 * _mean(other[name]), "difference": 100 * moves[name]}
            for name in sorted(shared, key=lambda name: (-abs(moves[name]), name))[:LISTED]
            if moves[name]
        ],
    }


def sentences(found: Mapping[str, Any]) -> list[str]:
    """Return the printed form of a comparison: the difference, an answer to each question, the size it can decide."""
    problems, difference = found["problems"], found["difference"]
    sizes = list(dict.fromkeys(_times(found[side]) for side in ("a", "b")))
    lines = [
        f"a {found['a']['value']:.1f} %, b {found['b']['value']:.1f} %: {difference['value']:+.1f} points"
        f" on {problems['compared']} problems × {' and '.join(sizes)} samples"
    ]
    if problems["only_a"] or problems["only_b"]:
        left = f"{len(problems['only_a'])} only in a, {len(problems['only_b'])} only in b"
        lines.append(f"compared on the problems that both have: {left}")
    for key in ("across_seeds", "across_problems"):
        bounds, least = difference[key], found["smallest_difference"][key]
        if bounds is not None:
            span = f"{bounds['low']:+.1f} to {bounds['high']:+.1f}"
            lines.append(f"{bounds['question']}: {span}, {bounds['answer']} (shows {least:.1f} points or more)")
    moved, unlike = found["moved"], " of as many samples" if len(sizes) > 1 else ""
    lines.append(
        f"exact test by problem{unlike}: p = {found['sign_flip_p']:.3g}"
        f" ({moved['up']} up, {moved['down']} down, {moved['same']} the same)"
    )
    if found["moved_most"]:
        most = [f"{row['id']} {row['a']:.0f} → {row['b']:.0f} %" for row in found["moved_most"][:TOLD]]
        more = ["…"] if moved["up"] + moved["down"] > TOLD else []
        lines.append(f"moved most: {', '.join([*most, *more])}")
    return lines


def _told(interval: Interval | None) -> dict[str, Any] | None:
    """Return an interval of a difference in points with the answer it gives."""
    if interval is None:
        return None
    answer = BETTER if interval.low > 0 else WORSE if interval.high < 0 else INCONCLUSIVE
    return {**interval.percent(), "answer": answer}


def _smallest(interval: Interval | None, quantile: float) -> float | None:
    """Return the difference in points that a test at 5 % finds in 80 of 100 repetitions (Cohen 1988, 2.4).

    (z_0.975 + z_0.8) standard errors, the standard error taken from the reach of the interval.
    """
    if interval is None:
        return None
    reach = (interval.high - interval.low) / 2
    return 100 * reach * (quantile + NORMAL_80) / quantile


def _again(one: Cells, other: Cells, shared: Sequence[str]) -> Interval | None:
    """Return the interval for the difference on these same problems; None where nothing bounds it.

    Where a problem of a side has one sample, which shows no chance of its own, the variance over problems bounds that
    of both sides, and what they have in common of it is taken out by their correlation.
    """
    sides = [Counter((len(cells[name]), _right(cells[name])) for name in shared) for cells in (one, other)]
    if all(size > 1 for counts in sides for size, _ in counts):
        return paired_again(_shares(sides[0]), _shares(sides[1]))
    means = [(_mean(one[name]), _mean(other[name])) for name in shared]
    first, second = (
        across_seeds(list(Counter(values).items()), len(shared), None) for values in zip(*means, strict=True)
    )
    return paired_again(first, second, linked(means))


def _same_again(one: Cells, other: Cells, shared: Sequence[str]) -> Interval | None:
    """Return the same for two scorers on one set of samples: the share that only the second finds, less the other's.

    A sample is in one of these shares at most, so they go apart together: the correlation of a multinomial's cells.
    """
    lost: Counter[tuple[int, int]] = Counter()
    gained: Counter[tuple[int, int]] = Counter()
    for name in shared:
        before = {row.seed: row.correct for row in one[name]}
        both = [(before[row.seed], row.correct) for row in other[name] if row.seed in before]
        lost[len(both), sum(was and not now for was, now in both)] += 1
        gained[len(both), sum(now and not was for was, now in both)] += 1
    if any(size == 0 for size, _ in lost):
        return _again(one, other, shared)
    down, up = _shares(lost), _shares(gained)
    if down is None or up is None:
        return None
    odds = down.value * up.value / (1 - down.value) / (1 - up.value) if max(down.value, up.value) < 1 else 0.0
    return paired_again(down, up, -min(1.0, sqrt(odds)))


def _shares(counts: Counter[tuple[int, int]]) -> Interval | None:
    """Return the interval for ACROSS_SEEDS of a share of samples, from how many problems have (n, c)."""
    spread = [(pass_variance(size, count, 1), problems) for (size, count), problems in counts.items()]
    known = [(variance, problems) for variance, problems in spread if variance is not None]
    shares = [(count / size, problems) for (size, count), problems in counts.items()]
    samples = sum(size * problems for (size, _), problems in counts.items())
    return across_seeds(shares, samples, known if len(known) == len(spread) else None)


def _integers(one: Cells, other: Cells, shared: Sequence[str]) -> list[int]:
    """Return the problems' differences on a common scale of whole numbers, for the exact test.

    Of the first samples where a side has more: a difference of unlike numbers is as likely with either sign no more.
    """
    sizes = {name: min(len(one[name]), len(other[name])) for name in shared}
    scale = lcm(*sizes.values())
    return [(_right(other[name][:size]) - _right(one[name][:size])) * (scale // size) for name, size in sizes.items()]


def _side(cells: Cells, shared: Sequence[str]) -> dict[str, Any]:
    """Return pass@1 in percent on the shared problems, and how many samples a problem has."""
    sizes = sorted({len(cells[name]) for name in shared})
    value = 100 * sum(_mean(cells[name]) for name in shared) / len(shared)
    return {"value": value, "samples_per_problem": sizes[0] if len(sizes) == 1 else [sizes[0], sizes[-1]]}


def _times(side: Mapping[str, Any]) -> str:
    """Return the samples of a problem, for people."""
    size = side["samples_per_problem"]
    return "–".join(map(str, size)) if isinstance(size, list) else str(size)


def _right(rows: Sequence[Scored]) -> int:
    """Return how many samples are right."""
    return sum(row.correct for row in rows)


def _mean(rows: Sequence[Scored]) -> float:
    """Return the share of samples that are right."""
    return _right(rows) / len(rows)


def _few(names: Sequence[str]) -> str:
    """Return the first of some ids, and how many there are."""
    return f"{len(names)} ({', '.join(names[:3])}{', …' if len(names) > 3 else ''})"
