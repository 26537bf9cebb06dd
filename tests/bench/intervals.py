"""How often the 95 % intervals cover the truth, simulated: prints the tables of docs/intervals.md.

python -m tests.bench.intervals [--draws 4000] [--write docs/intervals.md]
"""

import argparse
import math
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from seedbed.scoring.figures import LIKELY, WARY, of_samples
from seedbed.statistics.intervals import (
    Interval,
    Tally,
    across_problems,
    across_seeds,
    containing,
    paired,
    paired_again,
    pass_again,
    student,
)
from seedbed.statistics.pass_at_k import likely_miss, pass_at_k, pass_variance

Array = npt.NDArray[np.float64]
Draw = Callable[[int], Array]
MEANS = (0.1, 0.2, 0.3, 0.5, 0.75, 0.9, 0.93, 0.95)
ENDS = (  # two chances for all problems, problems, seeds
    (0.95, 0.95, 30, 16),
    (0.995, 0.97, 30, 4),
    (1.0, 0.98, 30, 4),
    (1.0, 0.99, 30, 4),
    (1.0, 0.995, 30, 16),
    (1.0, 0.96, 12, 4),
    (0.0, 0.02, 30, 4),
    (0.0, 0.005, 30, 16),
)
BEGIN, END = "<!-- simulated: begin -->", "<!-- simulated: end -->"
RANDOM = np.random.default_rng(20260401)


def beta(mean: float, size: float) -> Draw:
    """Return problems whose chances are Beta-distributed; the smaller `size`, the less alike they are."""
    return lambda n: RANDOM.beta(mean * size, (1 - mean) * size, n)


def logistic(mean: float, spread: float) -> Draw:
    """Return problems whose log-odds are normal with deviation `spread`, the centre set so that the mean is right."""
    points = RANDOM.normal(size=100_000) * spread
    low, high = -40.0, 40.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if (1 / (1 + np.exp(-middle - points))).mean() < mean else (low, middle)
    centre = (low + high) / 2
    return lambda n: np.asarray(1 / (1 + np.exp(-centre - spread * RANDOM.normal(size=n))))


def solved(mean: float) -> Draw:
    """Return problems of which some are always right (below a mean of 1/2: never), the others anything alike."""
    sure = abs(2 * mean - 1)
    return lambda n: np.where(RANDOM.random(n) < sure, float(mean >= 0.5), RANDOM.random(n))


def models(mean: float) -> dict[str, Draw]:
    """Return the ways in which problems differ, by name."""
    return {
        "all alike": lambda n: np.full(n, mean),
        "Beta 20": beta(mean, 20),
        "Beta 5": beta(mean, 5),
        "Beta 2": beta(mean, 2),
        "Beta 1": beta(mean, 1),
        "Beta 0.5": beta(mean, 0.5),
        "Beta 0.2": beta(mean, 0.2),
        "logit 1": logistic(mean, 1),
        "logit 3": logistic(mean, 3),
        "sure + uniform": solved(mean),
        "all or nothing": beta(mean, 1e-4),
    }


def tally(values: Iterable[float]) -> Tally:
    """Return values as (value, how many)."""
    return list(Counter(values).items())


def rare(mean: float) -> Draw:
    """Return problems that are solved 98 times of 100, but for the few that are solved twice."""
    return lambda n: np.where(RANDOM.random(n) < (mean - 0.02) / 0.96, 0.98, 0.02)


def uneven(draw: Draw, mean: float, few: int, draws: int) -> dict[str, float]:
    """Return the coverage in percent of pass@1 of 30 problems × 16 samples, but for one that has so `few`."""
    hits: Counter[str] = Counter()
    sizes = np.array([16] * 29 + [few])
    for _ in range(draws):
        chances = draw(30)
        found = of_samples(Counter(zip(sizes.tolist(), RANDOM.binomial(sizes, chances).tolist(), strict=True)))
        for question, truth in (("across_problems", mean), ("across_seeds", float(chances.mean()))):
            hits[question] += found[question]["low"] <= 100 * truth <= found[question]["high"]
    return {question: 100 * hits[question] / draws for question in ("across_problems", "across_seeds")}


def plain_t(counts: Tally) -> tuple[float, float]:
    """Return the bounds of the plain t interval, for comparison."""
    n = sum(count for _, count in counts)
    mean = sum(value * count for value, count in counts) / n
    variance = sum(count * (value - mean) ** 2 for value, count in counts) / (n - 1)
    reach = student(n - 1) * math.sqrt(variance / n)
    return mean - reach, mean + reach


def covered(interval: Interval | None, truth: float) -> bool:
    """Return whether an interval holds the truth."""
    return interval is not None and interval.low - 1e-12 <= truth <= interval.high + 1e-12


def again_of(rights: Counter[int], n: int, k: int, j: int) -> Interval | None:
    """Return the run-again interval of pass@j of n problems × k samples, of which so many have c right."""
    values = [(pass_at_k(k, c, j) or 0.0, count) for c, count in rights.items()]
    spread = [(pass_variance(k, c, j) or 0.0, count) for c, count in rights.items()] if k > j else None
    if j == 1:
        return across_seeds(values, n * k, spread)
    likely, wary = ([(*likely_miss(k, c, j, *added), count) for c, count in rights.items()] for added in (LIKELY, WARY))
    return pass_again(values, spread, likely, wary, n * k / j)


def widths(draw: Draw, n: int, k: int, j: int, draws: int) -> str:
    """Return coverage, median width, and the width of the range that 95 of 100 runs really fall into, in points."""
    hits, found, errors = 0, [], []
    for _ in range(draws):
        chances = draw(n)
        rights = Counter(RANDOM.binomial(k, chances).tolist())
        truth, again = float((1 - (1 - chances) ** j).mean()), again_of(rights, n, k, j)
        assert again is not None
        hits += covered(again, truth)
        found.append(again.high - again.low)
        errors.append(again.value - truth)
    low, high = np.quantile(errors, [0.025, 0.975])
    return f"{100 * hits / draws:.1f}: {100 * float(np.median(found)):.2f} ({100 * float(high - low):.2f})"


def scores(draw: Draw, n: int, k: int, j: int, draws: int, mean: float) -> dict[str, float]:
    """Return the coverage in percent of pass@j from n problems × k samples, for both questions and for plain t."""
    hits: Counter[str] = Counter()
    truth = mean if j == 1 else float((1 - (1 - draw(400_000)) ** j).mean())
    for _ in range(draws):
        chances = draw(n)
        rights = Counter(RANDOM.binomial(k, chances).tolist())
        values = [(pass_at_k(k, c, j) or 0.0, count) for c, count in rights.items()]
        low, high = plain_t(values)
        hits["plain t"] += low <= truth <= high
        again = again_of(rights, n, k, j)
        hits["across problems"] += covered(containing(across_problems(values, k if j == 1 else 1), again), truth)
        hits["across seeds"] += covered(again, float((1 - (1 - chances) ** j).mean()))
    return {name: 100 * hits[name] / draws for name in ("across problems", "across seeds", "plain t")}


def differences(n: int, k: int, chances: Callable[[int], tuple[Array, Array]], draws: int) -> dict[str, float]:
    """Return the coverage in percent of the paired difference of two models, and the median run-again width."""
    one, other = chances(1_000_000)
    truth, hits, found = float((other - one).mean()), Counter[str](), []
    for _ in range(draws):
        one, other = chances(n)
        a, b = RANDOM.binomial(k, one), RANDOM.binomial(k, other)
        moves = tally(((b - a) / k).tolist())
        again = paired_again(again_of(Counter(a.tolist()), n, k, 1), again_of(Counter(b.tolist()), n, k, 1))
        assert again is not None
        found.append(again.high - again.low)
        hits["across problems"] += covered(containing(paired(moves), again), truth)
        hits["across seeds"] += covered(again, float((other - one).mean()))
    return {name: 100 * count / draws for name, count in hits.items()} | {"width": 100 * float(np.median(found))}


def apart(mean: float, spread: float) -> Callable[[int], tuple[Array, Array]]:
    """Return two models whose log-odds differ by 0.3 ± `spread`."""
    centre = 1.6 * math.log(mean / (1 - mean))

    def chances(size: int) -> tuple[Array, Array]:
        odds = centre + 2 * RANDOM.normal(size=size)
        return 1 / (1 + np.exp(-odds)), 1 / (1 + np.exp(-odds - 0.3 - spread * RANDOM.normal(size=size)))

    return chances


def alike(one: float, other: float) -> Callable[[int], tuple[Array, Array]]:
    """Return two models each of which has one chance for all problems."""
    return lambda size: (np.full(size, one), np.full(size, other))


def grid(n: int, k: int, j: int, draws: int) -> dict[str, dict[tuple[float, str], float]]:
    """Return coverage by question, mean and model."""
    found: dict[str, dict[tuple[float, str], float]] = {}
    for mean in MEANS:
        for name, draw in models(mean).items():
            for question, value in scores(draw, n, k, j, draws, mean).items():
                found.setdefault(question, {})[mean, name] = value
    return found


def table(cells: dict[tuple[float, str], float]) -> list[str]:
    """Return a grid as a table in Markdown; what is outside 93 to 97 is bold."""
    names = list(dict.fromkeys(name for _, name in cells))
    lines = ["| mean | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    for mean in dict.fromkeys(mean for mean, _ in cells):
        row = [f"{cells[mean, name]:.1f}" for name in names]
        lines.append(f"| {mean} | " + " | ".join(v if 93 <= float(v) <= 97 else f"**{v}**" for v in row) + " |")
    return lines


def extent(cells: dict[tuple[float, str], float]) -> str:
    """Return the least and the most coverage of a grid, and how many cells lie within 93 to 97."""
    inside = sum(93 <= round(value, 1) <= 97 for value in cells.values())
    return f"{min(cells.values()):.1f} to {max(cells.values()):.1f} ({inside} of {len(cells)} within 93–97)"


def shapes() -> dict[str, Draw]:
    """Return kinds of benchmarks, by name, for the widths of pass@k."""
    return {
        "all 0.02": lambda n: np.full(n, 0.02),
        "all 0.1": lambda n: np.full(n, 0.1),
        "all 0.5": lambda n: np.full(n, 0.5),
        "all 0.8": lambda n: np.full(n, 0.8),
        "all 0.95": lambda n: np.full(n, 0.95),
        "Beta 4, mean 0.5": beta(0.5, 4),
        "Beta 1, mean 0.5": beta(0.5, 1),
        "Beta 0.4, mean 0.5": beta(0.5, 0.4),
        "Beta 2, mean 0.9": beta(0.9, 2),
        "half never, half 0.9": lambda n: np.where(np.arange(n) < n // 2, 0.0, 0.9),
        "all sure but one of 0.5": lambda n: np.where(np.arange(n) < 1, 0.5, 1.0),
    }


def _row(name: str, n: int, k: int, found: dict[str, float]) -> str:
    """Return a line of the table of differences."""
    shown = f"{found['across problems']:.1f} | {found['across seeds']:.1f} | {found['width']:.1f}"
    return f"| {name} | {n} × {k} | {shown} |"


def report(draws: int) -> list[str]:
    """Return all tables."""
    main = grid(30, 16, 1, draws)
    lines = [f"{draws} draws a cell (standard error {100 * math.sqrt(0.95 * 0.05 / draws):.1f} points).", ""]
    for question, title in (
        ("across problems", "pass@1, 30 problems × 16 seeds, *across problems*"),
        ("across seeds", "pass@1, 30 problems × 16 seeds, *across seeds*"),
        ("plain t", "For comparison: the plain t interval on the first question"),
    ):
        lines += [f"**{title}**: {extent(main[question])}", "", *table(main[question]), ""]
    lines += ["**Other sizes**, all means and models but *all or nothing*:", ""]
    lines += ["| figure | problems × seeds | across problems | across seeds |", "|---|---|---|---|"]
    for j, n, k in ((1, 12, 4), (1, 30, 4), (1, 30, 64), (1, 100, 4), (1, 198, 8), (4, 30, 16), (4, 100, 16)):
        cells = {
            question: {key: value for key, value in found.items() if key[1] != "all or nothing"}
            for question, found in grid(n, k, j, max(200, draws // 4)).items()
        }
        lines.append(f"| pass@{j} | {n} × {k} | {extent(cells['across problems'])} | {extent(cells['across seeds'])} |")
    for few in (2, 8):
        told = [
            uneven(draw, mean, few, max(200, draws // 4))
            for mean in MEANS
            for name, draw in models(mean).items()
            if name != "all or nothing"
        ]
        shown = [
            extent({(float(index), ""): one[question] for index, one in enumerate(told)})
            for question in ("across_problems", "across_seeds")
        ]
        lines.append(f"| pass@1 | 30 × 16, one × {few} | {shown[0]} | {shown[1]} |")
    lines += [
        "",
        "**What no sample shows**, 30 × 16: problems solved 98 times of 100 but for the few solved twice:",
        "",
    ]
    lines += ["| mean | of a hundred so hard | across problems | across seeds | plain t |", "|---" * 5 + "|"]
    for mean in (0.75, 0.85, 0.9, 0.93, 0.95):
        covers = scores(rare(mean), 30, 16, 1, draws, mean)
        shown = [f"{covers[name]:.1f}" for name in ("across problems", "across seeds", "plain t")]
        lines.append(f"| {mean} | {100 * (0.98 - mean) / 0.96:.0f} | {' | '.join(shown)} |")
    lines += ["", "**pass@k, *across seeds*, 30 problems × 16 seeds**: coverage: median width", ""]
    lines[-2] += " (width of the range that 95 of 100 runs really fall into), in points"
    sizes = (1, 2, 4, 8, 12, 15)
    lines += ["| problems | " + " | ".join(f"pass@{j}" for j in sizes) + " |", "|---" * (len(sizes) + 1) + "|"]
    for name, draw in shapes().items():
        lines.append(f"| {name} | " + " | ".join(widths(draw, 30, 16, j, max(200, draws // 4)) for j in sizes) + " |")
    lines += ["", "**Paired differences**, the width that of *across seeds* in points:", ""]
    lines += ["| the two models | problems × seeds | across problems | across seeds | width |", "|---|---|---|---|---|"]
    for mean in (0.3, 0.7, 0.9, 0.97):
        for spread in (0.0, 1.0):
            for n, k in ((30, 16), (100, 4)):
                name = f"mean {mean}, log-odds 0.3 ± {spread:g} apart"
                lines.append(_row(name, n, k, differences(n, k, apart(mean, spread), draws)))
    for one, other, n, k in ENDS:
        name = f"all alike, {one} and {other}"
        lines.append(_row(name, n, k, differences(n, k, alike(one, other), draws)))
    return lines


def main() -> None:
    """Run the simulation and print it, or put it into a page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=4000)
    parser.add_argument("--write", type=Path, help="a page with the two marks between which the tables stand")
    options = parser.parse_args()
    text = "\n".join(report(options.draws))
    print(text)
    if options.write is not None:
        page = options.write.read_text(encoding="utf-8")
        before, after = page.split(BEGIN)[0], page.split(END)[1]
        options.write.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
