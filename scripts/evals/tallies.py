"""Values of problems with how many problems have each, and the sums that intervals are made of."""

from collections.abc import Sequence

Tally = Sequence[tuple[float, int]]  # (value of a problem, how many problems have it)


def mean_of(tally: Tally) -> float:
    """Return the mean over problems; raises ValueError without problems."""
    return total_of(tally) / problems_of(tally)


def problems_of(tally: Tally) -> int:
    """Return the number of problems; raises ValueError if there are none."""
    problems = sum(count for _, count in tally)
    if not problems:
        raise ValueError("found no problem, expected at least one")
    return problems


def total_of(tally: Tally) -> float:
    """Return the sum over problems."""
    return sum(value * count for value, count in tally)


def squares_of(tally: Tally, centre: float) -> float:
    """Return the sum of squared distances from `centre`."""
    return sum(count * (value - centre) ** 2 for value, count in tally)


def variance_of(tally: Tally) -> float:
    """Return the sample variance over problems, ddof 1."""
    return squares_of(tally, mean_of(tally)) / (problems_of(tally) - 1)
