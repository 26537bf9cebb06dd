"""A figure of statistics.json: a mean over problems in percent, with the interval of each question."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from scripts.evals.intervals import Interval, containing, other_problems, pass_again, run_again
from scripts.evals.repetition import likely_miss, pass_at_k, pass_variance
from scripts.evals.tallies import Tally, mean_of, problems_of

LIKELY, WARY = (0.3, 0.3), (0.0, 2.0)  # right and wrong samples added to a problem's own: near it, and below it


def of_samples(counts: Mapping[tuple[int, int], int]) -> dict[str, Any]:
    """Return a share of samples, the mean over problems, from how many problems have (n, c)."""
    tally = [(count / size, problems) for (size, count), problems in counts.items()]
    samples = sum(size * problems for (size, _), problems in counts.items())
    repeats = problems_of(tally) / sum(problems / size for (size, _), problems in counts.items())
    return _figure(tally, other_problems(tally, repeats), run_again(tally, samples, _variances(counts, 1)))


def of_pass(rights: Mapping[tuple[int, int], int], k: int, least: int) -> dict[str, Any]:
    """Return pass@k, k > 1; `least` is the smallest number of samples of a problem."""
    tally = [(pass_at_k(n, c, k) or 0.0, count) for (n, c), count in rights.items()]
    likely, wary = (
        [(*likely_miss(n, c, k, *added), count) for (n, c), count in rights.items()] for added in (LIKELY, WARY)
    )
    again = pass_again(tally, _variances(rights, k), likely, wary, sum(rights.values()) * least / k)
    return _figure(tally, other_problems(tally), again)


def of_values(values: Sequence[float]) -> dict[str, Any]:
    """Return a figure of which every problem has one value, so that a bound stands for another run's chance."""
    tally = list(Counter(values).items())
    return _figure(tally, other_problems(tally), run_again(tally, len(values), None))


def _figure(tally: Tally, others: Interval | None, again: Interval | None) -> dict[str, Any]:
    """Return a mean over problems in percent with the interval of each question, null where the size gives none."""
    whole = containing(others, again)
    return {
        "value": 100 * mean_of(tally),
        "other_problems": whole.percent() if whole else None,
        "run_again": again.percent() if again else None,
    }


def _variances(counts: Mapping[tuple[int, int], int], k: int) -> Tally | None:
    """Return the variances of pass@k from run to run by problem; None where some problem does not show its own."""
    spread = [(pass_variance(size, count, k), problems) for (size, count), problems in counts.items()]
    known = [(variance, problems) for variance, problems in spread if variance is not None]
    return known if len(known) == len(spread) else None
