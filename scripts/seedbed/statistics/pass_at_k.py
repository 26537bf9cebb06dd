"""What several samples of one problem give together: pass@k, its chance from run to run, and majority votes."""

import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from math import comb, exp, gcd, log
from operator import mul

Answer = tuple[str | None, bool]  # the answer of a sample, None for no answer, and whether it is right
_SPACES = re.compile(r"\\[,;:! ]|\\left|\\right|[\s$]|\{,\}")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_FRACTION = re.compile(r"([+-]?)(?:\\[dt]?frac(?:\{(\d+)\}\{(\d+)\}|(\d)(\d))|(\d+)/(\d+))")
_DECIMAL = re.compile(r"([+-]?)(\d*)(?:\.(\d*))?")
_LONGEST = 100  # characters of an answer that is still looked at as a number


def pass_at_k(samples: int, right: int, k: int) -> float | None:
    """Return the unbiased 1 - C(n-c, k)/C(n, k) (Chen et al. 2021, arXiv 2107.03374); None, undefined, if k > n."""
    if not 1 <= k <= samples:
        return None
    return 1 - comb(samples - right, k) / comb(samples, k)


def pass_variance(samples: int, right: int, k: int) -> float | None:
    """Return the variance of `pass_at_k` of one problem from run to run; None where k >= n leaves nothing to see it by.

    The jackknife over samples (Efron & Stein 1981: biased upward, if at all); p(1-p)/(n-1) for k = 1.
    """
    if k >= samples:
        return None
    less_right = pass_at_k(samples - 1, right - 1, k) if right else 0.0
    less_wrong = pass_at_k(samples - 1, right, k) if right < samples else 0.0
    assert less_right is not None
    assert less_wrong is not None
    wrong = samples - right
    mean = (right * less_right + wrong * less_wrong) / samples
    squares = right * (less_right - mean) ** 2 + wrong * (less_wrong - mean) ** 2
    return (samples - 1) / samples * squares


def likely_miss(samples: int, right: int, k: int, more_right: float, more_wrong: float) -> tuple[float, float]:
    """Return mean and variance from run to run of 1 - `pass_at_k` of a problem whose chance of right is about c/n.

    That chance is c/n with so many samples added, as Jeffreys (1946) adds half a one each: a problem always right so
    far may miss. The mean is (1 - p)^k since the estimate is unbiased, the variance an exact sum over the binomial
    distribution of the right ones. Of misses, since 1 - p loses digits.
    """
    chance = (right + more_right) / (samples + more_right + more_wrong)
    mean = (1 - chance) ** k
    squares = sum(map(mul, _rights(samples, chance), _squares(samples, k)))
    return mean, max(0.0, squares - mean * mean)


@functools.cache
def _squares(samples: int, k: int) -> tuple[float, ...]:
    """Return the squares of C(n-c, k)/C(n, k) for c = 0..n-k; it is 0 beyond."""
    miss, found = 1.0, []
    for right in range(samples - k + 1):
        found.append(miss * miss)
        miss *= (samples - right - k) / (samples - right)
    return tuple(found)


@functools.cache
def _rights(samples: int, chance: float) -> tuple[float, ...]:
    """Return the chances of 0..n right samples of a problem, of which one is right by `chance`, below 1."""
    if chance == 0:
        return (1.0, *[0.0] * samples)
    logs = log(chance), log(1 - chance)
    return tuple(
        exp(log(comb(samples, count)) + count * logs[0] + (samples - count) * logs[1]) for count in range(samples + 1)
    )


def majority(answers: Sequence[Answer], sizes: Iterable[int]) -> Iterator[float]:
    """Yield, for each ascending size, how right the commonest answer of the first so many samples is, from 0 to 1.

    Counted as NeMo-Skills does: an answer counts with its verdict, no answer has no vote, ties average, nothing is 0.
    """
    votes: dict[Answer, int] = {}
    cast = 0
    for size in sizes:
        for answer in answers[cast:size]:
            if answer[0] is not None:
                votes[answer] = votes.get(answer, 0) + 1
        cast = size
        most = max(votes.values(), default=0)
        tied = [right for (_, right), count in votes.items() if count == most]
        yield sum(tied) / len(tied) if tied else 0.0


def classed(answers: Sequence[Answer]) -> list[Answer]:
    """Return the answers with equal ones made one: all that are right are equal, others by `equal_form`."""
    first = next((value for value, right in answers if right and value is not None), None)
    return [
        (value, False) if value is None else (first, True) if right else (equal_form(value), False)
        for value, right in answers
    ]


@functools.lru_cache(maxsize=65536)
def equal_form(answer: str) -> str:
    """Return one form for all ways to write a number ("81", "81.0", "+81"; "1/2", "\\frac12", "0.5"), else the text."""
    if len(answer) > _LONGEST:
        return answer
    text = _SPACES.sub("", answer).rstrip(".")
    if _THOUSANDS.fullmatch(text):
        text = text.replace(",", "")
    if match := _FRACTION.fullmatch(text):
        above, below = (int(match[2] or match[4] or match[6]), int(match[3] or match[5] or match[7]))
        return _ratio(match[1], above, below) if below else text
    match = _DECIMAL.fullmatch(text)
    if match and (match[2] or match[3]):
        places = match[3] or ""
        return _ratio(match[1], int((match[2] or "") + places), 10 ** len(places))
    return text


def _ratio(sign: str, above: int, below: int) -> str:
    """Return a fraction in lowest terms; there is one zero."""
    unit = gcd(above, below)
    text = f"{'-' if sign == '-' and above else ''}{above // unit}"
    return text if below == unit else f"{text}/{below // unit}"
