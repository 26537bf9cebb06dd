"""The metrics of NeMo-Skills (2026-04) over graded samples, in its own layout."""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import comb, sqrt

import msgspec

Block = dict[str, "float | int | dict[str, float]"]
Metrics = dict[str, dict[str, Block]]


class Graded(msgspec.Struct, frozen=True):
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


def metrics(benchmark: str, problems: Iterable[tuple[Sequence[str], Problem]]) -> Metrics:
    """Return {benchmark: {mode: …}}, plus "benchmark-subset" blocks; each problem is (its subsets, its samples)."""
    everything: list[Problem] = []
    subsets: dict[str, list[Problem]] = {}
    for names, samples in problems:
        everything.append(samples)
        for name in names:
            subsets.setdefault(name, []).append(samples)
    blocks = {benchmark: _modes(everything)}
    blocks.update((f"{benchmark}-{subset}", _modes(members)) for subset, members in subsets.items())
    return blocks


def _modes(problems: Sequence[Problem]) -> dict[str, Block]:
    """Return the blocks pass@1, pass@j and pass@1[avg-of-j], majority@j in the peer's order; none without problems."""
    if not problems:
        return {}
    k = len(problems[0])
    shared = _shared(problems)
    modes: dict[str, Block] = {"pass@1": {**shared, **_pass_at(problems, 1)}}
    for j in range(2, k + 1):
        modes[f"pass@{j}"] = {**shared, **_pass_at(problems, j)}
        modes[f"pass@1[avg-of-{j}]"] = {**shared, **_average_of(problems, j)}
    for j in range(2, k + 1):
        modes[f"majority@{j}"] = {**shared, **_majority_at(problems, j)}
    return modes


def _shared(problems: Sequence[Problem]) -> Block:
    """Return num_entries, avg_tokens (floor of the mean over all samples) and gen_seconds (floor of the whole span)."""
    block: Block = {"num_entries": len(problems)}
    tokens = sum(sum(sample.tokens or 0 for sample in samples) / len(samples) for samples in problems)
    if tokens > 0:
        block["avg_tokens"] = int(tokens / len(problems))
    starts = [sample.start for samples in problems for sample in samples if sample.start is not None]
    ends = [sample.end for samples in problems for sample in samples if sample.end is not None]
    if starts and ends:
        block["gen_seconds"] = int(max(ends) - min(starts))
    return block


def _pass_at(problems: Sequence[Problem], j: int) -> Block:
    """Return pass@j = 1 - C(n-c, j)/C(n, j) over all n samples (Chen et al. 2021, arXiv 2107.03374), in percent."""
    right = 0.0
    for samples in problems:
        wrong = sum(not sample.correct for sample in samples)
        right += 1 - comb(wrong, j) / comb(len(samples), j)
    return {"symbolic_correct": 100.0 * right / len(problems), "no_answer": _none_of_first(problems, j)}


def _none_of_first(problems: Sequence[Problem], j: int) -> float:
    """Return the percentage of problems of which none of the first j samples has an answer."""
    return 100.0 * sum(all(sample.no_answer for sample in samples[:j]) for samples in problems) / len(problems)


def _average_of(problems: Sequence[Problem], j: int) -> Block:
    """Return the mean over the first j samples, in percent, and the spread of scores and tokens over them."""
    right = sum(sum(sample.correct for sample in samples[:j]) / j for samples in problems)
    none = sum(sum(sample.no_answer for sample in samples[:j]) / j for samples in problems)
    return {
        "symbolic_correct": 100.0 * right / len(problems),
        "no_answer": 100.0 * none / len(problems),
        "reasoning_tokens_statistics": _spread([[s.reasoning_tokens for s in row[:j]] for row in problems]),
        "answer_tokens_statistics": _spread([[s.answer_tokens for s in row[:j]] for row in problems]),
        "symbolic_correct_statistics": _spread([[float(s.correct) for s in row[:j]] for row in problems]),
    }


def _spread(rows: list[list[float]]) -> dict[str, float]:
    """Return mean, deviation of the run means, mean deviation within a problem (all ddof 1) and the standard error."""
    runs = [_mean(run) for run in zip(*rows, strict=True)]
    deviation = _deviation(runs)
    return {
        "avg": _mean([_mean(row) for row in rows]),
        "std_dev_across_runs": deviation,
        "avg_sample_std_dev": _mean([_deviation(row) for row in rows]),
        "std_err_across_runs": deviation / sqrt(len(runs)),
    }


def _mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean."""
    return sum(values) / len(values)


def _deviation(values: Sequence[float]) -> float:
    """Return the sample standard deviation, ddof 1."""
    centre = _mean(values)
    return sqrt(sum((value - centre) ** 2 for value in values) / (len(values) - 1))


def _majority_at(problems: Sequence[Problem], j: int) -> Block:
    """Return majority@j over raw answer strings of the first j samples, in percent; ties average, none is 0."""
    right = 0.0
    for samples in problems:
        votes = Counter((s.predicted_answer, s.correct) for s in samples[:j] if s.predicted_answer is not None)
        if votes:
            most = max(votes.values())
            tied = [correct for (_, correct), count in votes.items() if count == most]
            right += sum(tied) / len(tied)
    return {"symbolic_correct": 100.0 * right / len(problems), "no_answer": _none_of_first(problems, j)}
