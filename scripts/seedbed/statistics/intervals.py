"""95 % confidence intervals of a mean over problems and of a paired difference, across problems and across seeds.

Quantiles of the normal and of Student's t distribution are computed here, since numpy takes longer to import than an
interval to compute; so is the exact test of differences by random signs.
"""

import functools
from collections import Counter
from collections.abc import Sequence
from math import atan, cos, gcd, inf, pi, sin, sqrt

import msgspec

NORMAL_975 = 1.959963984540054  # of the standard normal distribution, for a two-sided 95 % interval
NORMAL_80 = 0.8416212335729143  # for a power of 80 %
_EXACT = 200  # degrees of freedom up to which the distribution is summed, above it is expanded


@functools.cache
def student(df: int, normal: float = NORMAL_975, level: float = 0.975) -> float:
    """Return the `level` quantile of t with `df` degrees of freedom; `normal` is the normal quantile of that level.

    Up to 200 degrees of freedom the finite sums of Abramowitz & Stegun 26.7.3 and 26.7.4 are inverted by bisection;
    above, the expansion 26.7.5 is exact to 1e-9. Raises ValueError if df < 1.
    """
    if df < 1:
        raise ValueError(f"found {df} degrees of freedom, expected at least 1")
    if df > _EXACT:
        z = normal
        terms = (
            (z**3 + z) / 4,
            (5 * z**5 + 16 * z**3 + 3 * z) / 96,
            (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        )
        return z + terms[0] / df + terms[1] / df**2 + terms[2] / df**3
    low, high = 0.0, 1000.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, df) < 2 * level - 1 else (low, middle)
    return (low + high) / 2


def _within(t: float, df: int) -> float:
    """Return P(|T| < t) for integer `df` (Abramowitz & Stegun 26.7.3, 26.7.4)."""
    angle = atan(t / sqrt(df))
    squared = cos(angle) ** 2
    odd = df % 2
    term, total = (cos(angle), cos(angle)) if odd else (1.0, 1.0)
    for j in range(2 + odd, df - 1, 2):
        term *= squared * (j - 1) / j
        total += term
    if not odd:
        return sin(angle) * total
    return 2.0 / pi * (angle + (sin(angle) * total if df > 1 else 0.0))


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


ACROSS_PROBLEMS = "across problems (with other problems like these)"
ACROSS_SEEDS = "across seeds (the same problems with other seeds)"

Likely = Sequence[tuple[float, float, int]]  # (mean miss of a problem, its variance, how many problems have it)
_LOOK = 0.01  # problems added at each end before looking how unlike the problems are
_ADDED = 0.3  # problems added at each end, right and wrong, where problems are unlike each other
_UNLIKE = 5.0  # one fifth of the variance between the problems is enough to add them fully
_ALIKE = 10.0  # nearer to none than a tenth of it, problems are alike: their variance is that of so many samples
_FEW = 4.0  # samples a problem that do not show whether problems are alike


class Interval(msgspec.Struct, frozen=True):
    """An estimate, its standard error, the bounds of its 95 % interval (all shares), and the question they answer."""

    value: float
    std_err: float
    low: float
    high: float
    question: str
    at_most: bool = False  # whether the chance is bounded, not seen: the true interval is narrower

    def percent(self) -> dict[str, float | str | bool]:
        """Return standard error and bounds in percent (points), with the question they answer."""
        return {
            "question": self.question,
            "std_err": 100 * self.std_err,
            "low": 100 * self.low,
            "high": 100 * self.high,
            **({"at_most": True} if self.at_most else {}),
        }


def across_problems(tally: Tally, repeats: float = 1) -> Interval | None:
    """Return the interval for a mean of values in [0, 1], of which each is the mean of `repeats` samples of a problem.

    Wilson's score interval (1927) at the effective sample size p(1-p)/var of a clustered sample (Kish 1965; for
    intervals Korn & Graubard 1998, Dean & Pagano 2015), with t at n-1 degrees of freedom. Where the problems differ
    from each other, a part of a problem is added at each end, as Agresti & Coull (1998) add trials: a sample of 30
    often holds none of the few problems that make the mean of a skewed benchmark. `repeats` is the harmonic mean where
    problems have unlike numbers of samples, 1 for anything that is no such mean. None with fewer than two problems.
    """
    problems = problems_of(tally)
    if problems < 2:
        return None
    between = _between(tally, repeats)
    centre, variance = _padded(tally, max(_LOOK, _ADDED * min(1.0, _UNLIKE * between)))
    t = student(problems - 1)
    alike = max(0.0, 1 - _ALIKE * between) * max(0.0, 1 - _FEW / repeats)
    t += (NORMAL_975 - t) * max(between**4, alike)  # by how well the mean tells the variance
    low, high = _score(centre, centre * (1 - centre) / variance, t)
    mean, own = mean_of(tally), variance_of(tally) / problems
    if repeats < 2 and own > 0 and 0 < mean < 1:  # near 0 or 1 what was added draws the interval off the mean
        near = _score(mean, mean * (1 - mean) / own, t)
        low, high = min(low, near[0]), max(high, near[1])
    return held(mean, sqrt(own), low, high, ACROSS_PROBLEMS)


def across_seeds(tally: Tally, samples: int, variances: Tally | None) -> Interval | None:
    """Return the interval for a mean over fixed problems, stratified by problem; `samples` is their number in all.

    `variances` are those of the problems' own values, as (variance, how many problems). Wilson's interval at the
    effective sample size of the stratified variance (Cochran 1977, 5.3); half a sample that might have fallen otherwise
    is added, so that problems always right are not certain. Where no problem shows its own variance (None), the
    variance over problems stands for it: it holds both chances, so it is at least as large. None if that is not to be
    had either.
    """
    own = _own_variance(tally, variances)
    if own is None:
        return None
    value = mean_of(tally)
    spread = value * (1 - value)
    low, high = _score(value, spread / (own + 0.5 / samples**2) if spread > 0 else samples, NORMAL_975)
    return _again(tally, own, low, high, variances is None)


def pass_again(tally: Tally, variances: Tally | None, likely: Likely, wary: Likely, least: float) -> Interval | None:
    """Return the interval of pass@k, k > 1, over fixed problems; None as in `across_seeds`.

    Wilson's interval at the smaller of two effective sample sizes: p(1-p)/var of the variance that was seen, and of the
    one to be expected at `likely` chances, each with its own p. Near 100 % the one seen is that of a run in which
    nothing rare happened. Never below `least`, problems × samples / k: the variance of a U-statistic is at most k/n of
    its kernel's (Hoeffding 1948, theorem 5.2). Nor lower than expected at chances that are `wary`, less 1.96 errors.
    """
    own = _own_variance(tally, variances)
    if own is None:
        return None
    value, problems = mean_of(tally), problems_of(tally)
    (miss, expected), (most, error) = (_expected(misses, problems) for misses in (likely, wary))
    size = miss * (1 - miss) / expected if expected > 0 else inf
    if own > 0 and 0 < value < 1:
        size = min(size, value * (1 - value) / own)
    low, high = _score(value, max(size, least), NORMAL_975)
    low = max(low, 1 - most - NORMAL_975 * sqrt(error))
    return _again(tally, own, low, high, variances is None)


def _expected(misses: Likely, problems: int) -> tuple[float, float]:
    """Return the mean miss over problems and its variance."""
    mean = sum(miss * count for miss, _, count in misses) / problems
    return mean, sum(variance * count for _, variance, count in misses) / problems**2


def containing(others: Interval | None, again: Interval | None) -> Interval | None:
    """Return the interval over other problems, no bound of it inside that of another run: it holds both chances."""
    if others is None or again is None:
        return others
    return msgspec.structs.replace(others, low=min(others.low, again.low), high=max(others.high, again.high))


def _own_variance(tally: Tally, variances: Tally | None) -> float | None:
    """Return the variance of a mean from run to run, or what bounds it; None where nothing does."""
    problems = problems_of(tally)
    if variances is not None:
        return total_of(variances) / problems**2
    return variance_of(tally) / problems if problems > 1 else None


def _again(tally: Tally, own: float, low: float, high: float, at_most: bool) -> Interval:
    """Return an interval for ACROSS_SEEDS."""
    found = held(mean_of(tally), sqrt(own), low, high, ACROSS_SEEDS)
    return msgspec.structs.replace(found, at_most=at_most)


def held(value: float, error: float, low: float, high: float, question: str, least: float = 0.0) -> Interval:
    """Return an interval whose bounds stay where the value can be and enclose it."""
    return Interval(value, error, min(value, max(least, low)), max(value, min(1.0, high)), question)


def _padded(tally: Tally, added: float) -> tuple[float, float]:
    """Return mean and variance of the mean after adding `added` problems of value 0 and as many of value 1."""
    total = problems_of(tally) + 2 * added
    centre = (total_of(tally) + added) / total
    squares = squares_of(tally, centre) + added * (centre**2 + (1 - centre) ** 2)
    return centre, squares / (total - 1) / total


def _between(tally: Tally, repeats: float) -> float:
    """Return how unlike the problems are: the intraclass correlation, 0 where all are alike, 1 for always or never."""
    centre, variance = _padded(tally, _LOOK)
    share = variance * (problems_of(tally) + 2 * _LOOK) / (centre * (1 - centre))
    return min(1.0, max(0.0, share if repeats < 2 else (share - 1 / repeats) / (1 - 1 / repeats)))


def _score(p: float, size: float, z: float) -> tuple[float, float]:
    """Return Wilson's score interval (1927) for a share `p` of `size` independent samples."""
    part = z * z / size
    centre = (p + part / 2) / (1 + part)
    reach = z * sqrt(p * (1 - p) / size + part / size / 4) / (1 + part)
    return centre - reach, centre + reach


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
