"""95 % intervals of the difference of two sides on the same problems, one for each question of `intervals`.

The exact test of differences by problem: how often random signs give a sum as large as theirs.
"""

from collections import Counter
from collections.abc import Sequence
from math import cos, gcd, pi, sin, sqrt

import msgspec

from seedbed.statistics.intervals import (
    ACROSS_PROBLEMS,
    ACROSS_SEEDS,
    Interval,
    Tally,
    held,
    mean_of,
    problems_of,
    squares_of,
    student,
    variance_of,
)

_MOVED = 0.02  # problems added that moved all the way up, and as many down


def paired(differences: Tally) -> Interval | None:
    """Return the interval for a mean difference over other problems like these: Student's t on problems' differences.

    A fiftieth of a problem that moved all the way is added in each direction: no difference seen is not certainty.
    None with fewer than two problems.
    """
    problems = problems_of(differences)
    if problems < 2:
        return None
    value = mean_of(differences)
    total = problems + 2 * _MOVED
    squares = squares_of(differences, value) + _MOVED * ((1 - value) ** 2 + (1 + value) ** 2)
    reach = student(problems - 1) * sqrt(squares / (total - 1) / total)
    return held(value, sqrt(variance_of(differences) / problems), value - reach, value + reach, ACROSS_PROBLEMS, -1.0)


def paired_again(one: Interval | None, other: Interval | None, linked: float = 0.0) -> Interval | None:
    """Return the interval for other - one on these same problems, from the interval of each for ACROSS_SEEDS.

    Square-and-add (Newcombe 1998, method 10; of any two intervals Zou & Donner 2008, there with the correlation
    `linked`): each side is as wide as by itself, so that a side at 0 or 100 % is no certainty here either. None if a
    side has none.
    """
    if one is None or other is None:
        return None
    value = other.value - one.value
    below, above = (other.value - other.low, one.high - one.value), (other.high - other.value, one.value - one.low)
    reach = [sqrt(max(0.0, a * a + b * b - 2 * linked * a * b)) for a, b in (below, above)]
    error = sqrt(max(0.0, one.std_err**2 + other.std_err**2 - 2 * linked * one.std_err * other.std_err))
    found = held(value, error, value - reach[0], value + reach[1], ACROSS_SEEDS, -1.0)
    return msgspec.structs.replace(found, at_most=one.at_most or other.at_most)


def linked(pairs: Sequence[tuple[float, float]]) -> float:
    """Return the correlation of two sides over problems, nearer to 0 by half a problem (Newcombe 1998, method 10).

    0 where a side is the same at all problems.
    """
    size = len(pairs)
    centres = [sum(pair[side] for pair in pairs) / size for side in (0, 1)]
    spreads = [sum((pair[side] - centres[side]) ** 2 for pair in pairs) for side in (0, 1)]
    together = sum((a - centres[0]) * (b - centres[1]) for a, b in pairs)
    scale = sqrt(spreads[0] * spreads[1])
    if not scale:
        return 0.0
    return (together if together < 0 else max(0.0, together - 0.5)) / scale


LEAST = 1e-12  # a smaller p is given as this
_DIGITS = 12  # decimals: what lies behind them is rounding
_NEGLIGIBLE = 1e-18


def sign_flip_p(values: Sequence[int]) -> float:
    """Return the exact two-sided p of a sum under random signs (Fisher's randomisation test), 1 if nothing differs.

    The sum's distribution is a lattice, so its characteristic function, a product of cosines, is inverted without error
    by as many points as the lattice has (Davies 1973; here all sums nearer to 0 than the one seen are added at once).
    """
    sizes = [abs(value) for value in values if value]
    unit = gcd(*sizes)
    if not unit:
        return 1.0
    counts = Counter(size // unit for size in sizes).most_common()
    total, observed = sum(size * count for size, count in counts), abs(sum(values)) // unit
    nearer, points = max(0, observed - 1), total + 1  # sums go in steps of two: so many lie nearer to 0, of so many
    inside = float(nearer)
    for point in range(1, points // 2 + 1):
        angle, chance = pi * point / points, 1.0
        for size, count in counts:
            chance *= cos(size * angle) ** count
            if abs(chance) < _NEGLIGIBLE:
                break
        else:
            twice = 1 if 2 * point == points else 2  # the frequencies beyond the middle mirror those before
            inside += twice * chance * sin(nearer * angle) / sin(angle)
    return min(1.0, max(LEAST, round(1 - inside / points, _DIGITS)))
