"""The metrics of NeMo-Skills (2026-04) over graded samples, in its own layout; each problem is read once."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from math import comb, sqrt
from operator import add

import msgspec

Block = dict[str, "float | int | dict[str, float]"]
Metrics = dict[str, dict[str, Block]]


class Graded(msgspec.Struct, frozen=True, gc=False):
    """One sample as the metrics see it: its answer, whether it is right, tokens (counts), times (epoch seconds)."""

    predicted_answer: str | None
    correct: bool
    no_answer: bool
    tokens: float | None = None
    reasoning_tokens: float = 0.0
    answer_tokens: float = 0.0
    start: float | None = None
    end: float | None = None


Problem = Sequence[Graded]
Row = list[float]  # a figure of the first j samples for j = 1, 2, …, or of each sample


class _Figures(msgspec.Struct):
    """What one problem adds to a block; the rows are summed over its problems."""

    rows: list[Row]
    tokens: float
    start: float | None
    end: float | None


# Where each figure stands among the rows of a problem; a series takes three: each sample's value, means, deviations.
_PASS, _NONE_YET, _RIGHT, _NONE, _MAJORITY, _REASONING, _ANSWER, _CORRECT = 0, 1, 2, 3, 4, 5, 8, 11
_SERIES = (
    ("reasoning_tokens_statistics", _REASONING),
    ("answer_tokens_statistics", _ANSWER),
    ("symbolic_correct_statistics", _CORRECT),
)


def metrics(benchmark: str, problems: Iterable[tuple[Sequence[str], Problem]]) -> Metrics:
    """Return {benchmark: {mode: …}}, plus "benchmark-subset" blocks; each problem is (its subsets, its samples)."""
    whole, subsets = _Sums(), dict[str, _Sums]()
    for names, samples in problems:
        figures = _figures(samples)
        whole.add(figures)
        for name in names:
            subsets.setdefault(name, _Sums()).add(figures)
    blocks = {benchmark: whole.modes()}
    blocks.update((f"{benchmark}-{subset}", members.modes()) for subset, members in subsets.items())
    return blocks


class _Sums:
    """The sums over the problems of one block."""

    def __init__(self) -> None:
        """Begin without a problem."""
        self.count = 0
        self.tokens = 0.0
        self.rows: list[Row] = []
        self.start: float | None = None
        self.end: float | None = None

    def add(self, one: _Figures) -> None:
        """Add a problem; raises ValueError if it has another number of samples than those before."""
        if self.count and len(one.rows[0]) != len(self.rows[0]):
            raise ValueError(f"a problem has {len(one.rows[0])} samples, those before it {len(self.rows[0])}")
        self.rows = (
            [list(map(add, *pair)) for pair in zip(self.rows, one.rows, strict=True)] if self.count else one.rows
        )
        self.count += 1
        self.tokens += one.tokens
        if one.start is not None and (self.start is None or one.start < self.start):
            self.start = one.start
        if one.end is not None and (self.end is None or one.end > self.end):
            self.end = one.end

    def modes(self) -> dict[str, Block]:
        """Return the blocks pass@1, pass@j and pass@1[avg-of-j], majority@j in the peer's order, if any."""
        if not self.count:
            return {}
        k = len(self.rows[_PASS])
        shared = self._shared()
        modes: dict[str, Block] = {"pass@1": {**shared, **self._block(_PASS, _NONE_YET, 1)}}
        for j in range(2, k + 1):
            modes[f"pass@{j}"] = {**shared, **self._block(_PASS, _NONE_YET, j)}
            spread = {name: self._spread(series, j) for name, series in _SERIES}
            modes[f"pass@1[avg-of-{j}]"] = {**shared, **self._block(_RIGHT, _NONE, j), **spread}
        for j in range(2, k + 1):
            modes[f"majority@{j}"] = {**shared, **self._block(_MAJORITY, _NONE_YET, j)}
        return modes

    def _shared(self) -> Block:
        """Return num_entries, avg_tokens (floor of the mean) and gen_seconds (floor of the whole span)."""
        block: Block = {"num_entries": self.count}
        if self.tokens > 0:
            block["avg_tokens"] = int(self.tokens / self.count)
        if self.start is not None and self.end is not None:
            block["gen_seconds"] = int(self.end - self.start)
        return block

    def _block(self, right: int, none: int, j: int) -> Block:
        """Return two figures of the first j samples, means over the problems in percent."""
        return {
            "symbolic_correct": 100.0 * self.rows[right][j - 1] / self.count,
            "no_answer": 100.0 * self.rows[none][j - 1] / self.count,
        }

    def _spread(self, series: int, j: int) -> dict[str, float]:
        """Return mean, deviation of the run means, mean deviation within a problem (ddof 1) and the standard error."""
        samples, means, deviations = self.rows[series : series + 3]
        deviation = _deviation([value / self.count for value in samples[:j]])
        return {
            "avg": means[j - 1] / self.count,
            "std_dev_across_runs": deviation,
            "avg_sample_std_dev": deviations[j - 1] / self.count,
            "std_err_across_runs": deviation / sqrt(j),
        }


def _figures(samples: Problem) -> _Figures:
    """Return what a problem adds to its blocks."""
    right = [sample.correct for sample in samples]
    none = [sample.no_answer for sample in samples]
    answered = next((place for place, one in enumerate(none) if not one), len(none))
    rows = [
        _passed(right.count(False), len(right)),
        [float(j < answered) for j in range(len(none))],
        _means(right),
        _means(none),
        list(_majorities(samples)),
    ]
    for series in ([s.reasoning_tokens for s in samples], [s.answer_tokens for s in samples], list(map(float, right))):
        rows += [series, *_moments(tuple(series))]
    return _Figures(
        rows,
        sum(sample.tokens or 0 for sample in samples) / len(samples),
        min((sample.start for sample in samples if sample.start is not None), default=None),
        max((sample.end for sample in samples if sample.end is not None), default=None),
    )


@lru_cache(maxsize=4096)
def _passed(wrong: int, n: int) -> Row:
    """Return pass@j = 1 - C(n-c, j)/C(n, j) over all n samples for each j (Chen et al. 2021, arXiv 2107.03374)."""
    return [1 - comb(wrong, j) / comb(n, j) for j in range(1, n + 1)]


def _majorities(samples: Problem) -> Iterator[float]:
    """Yield majority@j over raw answer strings of the first j samples for each j; ties average, none is 0."""
    votes: dict[tuple[str, bool], int] = {}
    for sample in samples:
        if sample.predicted_answer is not None:
            vote = (sample.predicted_answer, sample.correct)
            votes[vote] = votes.get(vote, 0) + 1
        most = max(votes.values(), default=0)
        tied = [correct for (_, correct), count in votes.items() if count == most]
        yield sum(tied) / len(tied) if tied else 0.0


@lru_cache(maxsize=4096)
def _moments(series: tuple[float, ...]) -> tuple[Row, Row]:
    """Return the mean and the deviation of the first j values for each j; the first has no deviation."""
    means = _means(series)
    return means, [0.0, *(_deviation(series[:j], means[j - 1]) for j in range(2, len(series) + 1))]


def _means(values: Sequence[float]) -> Row:
    """Return the arithmetic mean of the first j values for each j."""
    return [total / j for j, total in enumerate(accumulate(values), 1)]


def _deviation(values: Sequence[float], centre: float | None = None) -> float:
    """Return the sample standard deviation, ddof 1, around the mean, which may be given."""
    centre = sum(values) / len(values) if centre is None else centre
    return sqrt(sum([(value - centre) ** 2 for value in values]) / (len(values) - 1))
