"""Quantiles of the normal and of Student's t distribution, without numpy."""

import functools
from math import atan, cos, pi, sin, sqrt

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
