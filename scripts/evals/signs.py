"""The exact test of differences by problem: how often random signs give a sum as large as theirs."""

from collections import Counter
from collections.abc import Sequence
from math import cos, gcd, pi, sin

LEAST = 1e-12  # a smaller p is told as this
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
