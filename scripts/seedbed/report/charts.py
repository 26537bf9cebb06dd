"""The numbers behind a pair's pictures, small enough to stand in the page."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil, log10
from typing import Any

from seedbed.records.outputs import TRUNCATED
from seedbed.report.sample_columns import NONE, NOTHING, RIGHT
from seedbed.report.texts import Facts
from seedbed.statistics.intervals import sign_flip_p

BINS = 24  # of tokens
STEPS = 120  # of the time line
OUTCOMES = ("right", "wrong", "no_answer", "truncated")
_SIDES = {RIGHT: "right", NONE: "none"}  # anything else is wrong


def curves(figures: Mapping[str, Any]) -> dict[str, list[list[float | None]]]:
    """Return [k, value, low, high] in percent of pass@k and majority@k; the band is that of other problems."""
    found: dict[str, list[list[float | None]]] = {"pass@k": [], "majority@k": []}
    for name, figure in figures.items():
        kind, _, k = name.partition("@")
        if kind not in ("pass", "majority") or not isinstance(figure, Mapping):
            continue
        size = 1 if "[" in k else int(k)
        bounds = figure.get("across_problems") or {}
        point = [float(size), figure["value"], bounds.get("low"), bounds.get("high")]
        found[f"{kind}@k"].append(point)
        if size == 1:  # the vote of one sample is that sample
            found["majority@k"].append(point)
    return {kind: sorted(points, key=lambda point: point[0] or 0) for kind, points in found.items()}


def flow(strict: str, other: str, problems: int, written: Mapping[str, Any]) -> dict[str, Any]:
    """Return how samples went from strict's outcomes to another scorer's, from both scorers' cells.

    `written` is the part of scorers.json about the two, of which p is taken if its table is the same.
    """
    pairs = Counter(zip(strict, other, strict=True))
    table = {one: dict.fromkeys(("none", "right", "wrong"), 0) for one in ("none", "right", "wrong")}
    for (before, after), count in pairs.items():
        if NOTHING not in (before, after):
            table[_side(before)][_side(after)] += count
    found = table["none"]["right"] + table["none"]["wrong"]
    known = written.get("table") == table
    return {
        "table": table,
        "recovered": table["none"]["right"] + table["wrong"]["right"],
        "lost": table["right"]["none"] + table["right"]["wrong"],
        "newly_found": found,
        "changed": written["counts"]["changed"] if known else None,
        "precision": table["none"]["right"] / found if found else None,
        "p": written["sign_flip_p"] if known else sign_flip_p(differences(strict, other, problems)),
    }


def differences(strict: str, other: str, problems: int) -> list[int]:
    """Return per problem how many more samples the second has right."""
    return [other[index::problems].count(RIGHT) - strict[index::problems].count(RIGHT) for index in range(problems)]


def _side(cell: str) -> str:
    """Return none, right or wrong."""
    return _SIDES.get(cell, "wrong")


def tokens_by_outcome(facts: Sequence[Facts], status: str, cells: str) -> dict[str, Any]:
    """Return a histogram of the tokens of every sample by what became of it, truncated ones apart."""
    tokens = [count for seed in facts for count in seed.tokens]
    known = [count for count in tokens if count is not None and count >= 0]
    edges = edges_of(max(known, default=0.0))
    counts = {outcome: [0] * (len(edges) - 1) for outcome in OUTCOMES}
    width = edges[1] - edges[0]
    for count, state, cell in zip(tokens, status, cells, strict=True):
        if count is not None and count >= 0:
            outcome = "truncated" if state == TRUNCATED[0] else _OUTCOME.get(cell)
            if outcome is not None:
                counts[outcome][min(int(count / width), len(edges) - 2)] += 1
    return {"edges": edges, "by_outcome": counts}


def mean_tokens(facts: Sequence[Facts]) -> float | None:
    """Return the mean tokens of the samples that tell them, None where none does."""
    known = [count for seed in facts for count in seed.tokens if count is not None]
    return sum(known) / len(known) if known else None


_OUTCOME = {RIGHT: "right", NONE: "no_answer", "w": "wrong", "o": "wrong"}


def edges_of(most: float) -> list[float]:
    """Return round, evenly spaced edges from 0 to at least `most`, of BINS bins at most."""
    step = 1.0
    if most > BINS:
        size = 10.0 ** int(log10(most / BINS))
        step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if size * factor * BINS >= most)
    return [step * number for number in range(max(1, ceil(most / step)) + 1)]


def time_line(seeds: Sequence[int], facts: Sequence[Facts]) -> dict[str, Any]:
    """Return start, end and tokens of each seed, and the tokens a second over the time of all of them."""
    bars, spans = [], []
    for seed, fact in zip(seeds, facts, strict=True):
        times = zip(fact.start, fact.end, fact.tokens, strict=True)
        told = [
            (start, end, count or 0)
            for start, end, count in times
            if start is not None and end is not None and end >= start
        ]
        if told:
            bars.append([seed, min(one[0] for one in told), max(one[1] for one in told), sum(one[2] for one in told)])
            spans += told
    return {"seed": bars, "throughput": throughput(spans)}


def throughput(spans: Sequence[tuple[float, float, float]]) -> list[list[float]]:
    """Return [seconds from the first start, tokens a second], each sample's tokens spread evenly over its time.

    Samples taken from the store were made in an earlier run: a gap without any sample is passed over in one step.
    """
    if not spans:
        return []
    first, last = min(start for start, _, _ in spans), max(end for _, end, _ in spans)
    step = max((last - first) / STEPS, 1e-3)
    rates = [0.0] * (STEPS + 2)
    for start, end, tokens in spans:
        low, high = (start - first) / step, (end - first) / step
        left, right = int(low), int(high)
        if left == right:
            rates[left] += tokens / step
            rates[left + 1] -= tokens / step
            continue
        rate = tokens / (end - start)
        for place, share in ((left, left + 1 - low), (right, high - right)):
            rates[place] += rate * share
            rates[place + 1] -= rate * share
        rates[left + 1] += rate
        rates[right] -= rate
    found, running = [], 0.0
    for place in range(STEPS + 1):
        running += rates[place]
        found.append([round((place + 0.5) * step, 3), round(max(running, 0.0), 2)])
    return found
