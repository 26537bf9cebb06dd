"""95 % intervals of the difference of two sides on the same problems, one for each question of `intervals`."""

from collections.abc import Sequence
from math import sqrt

import msgspec

from scripts.evals.intervals import OTHER_PROBLEMS, RUN_AGAIN, Interval, held
from scripts.evals.quantiles import student
from scripts.evals.tallies import Tally, mean_of, problems_of, squares_of, variance_of

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
    return held(value, sqrt(variance_of(differences) / problems), value - reach, value + reach, OTHER_PROBLEMS, -1.0)


def paired_again(one: Interval | None, other: Interval | None, linked: float = 0.0) -> Interval | None:
    """Return the interval for other - one on these same problems, from the interval of each for RUN_AGAIN.

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
    found = held(value, error, value - reach[0], value + reach[1], RUN_AGAIN, -1.0)
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
