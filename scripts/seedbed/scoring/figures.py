"""A figure of statistics.json: a mean over problems in percent, with the interval of each question.

statistics.json: every figure of a scorer with its intervals, each labelled by the question that it answers.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from seedbed.records.outputs import ERROR, NO_ANSWER, TIMEOUT
from seedbed.scoring.answers import Scored
from seedbed.scoring.score_files import metrics_name, read_table
from seedbed.statistics.intervals import (
    ACROSS_PROBLEMS,
    ACROSS_SEEDS,
    Interval,
    Tally,
    across_problems,
    across_seeds,
    containing,
    mean_of,
    pass_again,
    problems_of,
)
from seedbed.statistics.pass_at_k import Answer, classed, likely_miss, majority, pass_at_k, pass_variance

LIKELY, WARY = (0.3, 0.3), (0.0, 2.0)  # right and wrong samples added to a problem's own: near it, and below it


def of_samples(counts: Mapping[tuple[int, int], int]) -> dict[str, Any]:
    """Return a share of samples, the mean over problems, from how many problems have (n, c)."""
    tally = [(count / size, problems) for (size, count), problems in counts.items()]
    samples = sum(size * problems for (size, _), problems in counts.items())
    repeats = problems_of(tally) / sum(problems / size for (size, _), problems in counts.items())
    return _figure(tally, across_problems(tally, repeats), across_seeds(tally, samples, _variances(counts, 1)))


def of_pass(rights: Mapping[tuple[int, int], int], k: int, least: int) -> dict[str, Any]:
    """Return pass@k, k > 1; `least` is the smallest number of samples of a problem."""
    tally = [(pass_at_k(n, c, k) or 0.0, count) for (n, c), count in rights.items()]
    likely, wary = (
        [(*likely_miss(n, c, k, *added), count) for (n, c), count in rights.items()] for added in (LIKELY, WARY)
    )
    again = pass_again(tally, _variances(rights, k), likely, wary, sum(rights.values()) * least / k)
    return _figure(tally, across_problems(tally), again)


def of_values(values: Sequence[float]) -> dict[str, Any]:
    """Return a figure of which every problem has one value, so that a bound stands for another run's chance."""
    tally = list(Counter(values).items())
    return _figure(tally, across_problems(tally), across_seeds(tally, len(values), None))


def _figure(tally: Tally, others: Interval | None, again: Interval | None) -> dict[str, Any]:
    """Return a mean over problems in percent with the interval of each question, null where the size gives none."""
    whole = containing(others, again)
    return {
        "value": 100 * mean_of(tally),
        "across_problems": whole.percent() if whole else None,
        "across_seeds": again.percent() if again else None,
    }


def _variances(counts: Mapping[tuple[int, int], int], k: int) -> Tally | None:
    """Return the variances of pass@k from run to run by problem; None where some problem does not show its own."""
    spread = [(pass_variance(size, count, k), problems) for (size, count), problems in counts.items()]
    known = [(variance, problems) for variance, problems in spread if variance is not None]
    return known if len(known) == len(spread) else None


Cells = dict[str, list[Scored]]


def by_problem(rows: Iterable[Scored], without_errors: bool = False) -> Cells:
    """Return the samples of each problem in the order of the table; failed requests left out if so asked."""
    cells: Cells = {}
    for row in rows:
        if not (without_errors and ERROR in row.found.flags):
            cells.setdefault(row.id, []).append(row)
    return cells


def statistics(rows: Sequence[Scored], details: Mapping[str, Any], block: Mapping[str, Any]) -> dict[str, Any]:
    """Return one scorer's statistics from its table, its details-*.json and its block of metrics*.json."""
    cells = by_problem(rows)
    samples = len(rows)
    sizes = Counter(map(len, cells.values()))
    repeats = min(sizes, default=0)
    rights = Counter((len(row), sum(sample.correct for sample in row)) for row in cells.values())
    return {
        "problems": len(cells),
        "samples": samples,
        "samples_per_problem": repeats if len(sizes) == 1 else {str(size): sizes[size] for size in sorted(sizes)},
        **passes(rights),
        **majorities(cells, repeats),
        NO_ANSWER: share(cells, lambda row: row.found.state == NO_ANSWER),
        "timeouts": sum(row.found.state == TIMEOUT for row in rows),
        "truncated": _counted(details.get("truncated"), samples),
        "first_differs_from_last": _counted(details.get("first_differs_from_last"), samples),
        "flags": dict(details.get("flags", {})),
        "tokens": None if details.get("tokens_unknown") else _tokens(block),
        "errors": _counted(details.get("errors"), samples),
        "without_errors": without_errors(rows) if details.get("errors") else None,
        "outputs": details.get("outputs"),
        "per_problem": {name: sum(sample.correct for sample in row) / len(row) for name, row in cells.items()},
    }


def passes(rights: Mapping[tuple[int, int], int]) -> dict[str, Any]:
    """Return pass@1[avg-of-n] and pass@k, k = 2..n, from how many problems have (n, c): samples, right ones."""
    most = min((size for size, _ in rights), default=0)
    found = {}
    for k in range(1, most + 1):
        name = f"pass@{k}" if k > 1 else f"pass@1[avg-of-{most}]" if most > 1 else "pass@1"
        found[name] = of_pass(rights, k, most) if k > 1 else of_samples(rights)
    return found


def figure(cells: Cells, kind: str, k: int | None) -> dict[str, Any] | None:
    """Return one figure, kind mean, pass or majority at k samples (None: all); None where k > n leaves it undefined.

    mean and majority are of the first k samples, pass is the unbiased estimate from all, as in metrics.json.
    """
    least = min(map(len, cells.values()), default=0)
    if not least or (k or 1) > least:
        return None
    size = k or least
    if kind == "mean":
        return share({name: row[:k] for name, row in cells.items()}, lambda row: row.correct)
    if kind == "majority":
        values = [next(majority([_answer(sample) for sample in row], [size])) for row in cells.values()]
        return of_values(values)
    rights = Counter((len(row), sum(sample.correct for sample in row)) for row in cells.values())
    return of_pass(rights, size, least)


def majorities(cells: Cells, repeats: int) -> dict[str, Any]:
    """Return majority@k for k = 2, 4, 8, … and all samples: by answer strings, as the peer counts, and by classes."""
    sizes = sorted({2**power for power in range(1, 32) if 2**power < repeats} | {repeats}) if repeats > 1 else []
    strings: dict[int, list[float]] = {size: [] for size in sizes}
    classes: dict[int, list[float]] = {size: [] for size in sizes}
    for row in cells.values():
        right = sum(sample.correct for sample in row)
        if right in (0, len(row)):  # whatever they say, the vote is wrong, or right
            votes = voted = [float(right > 0)] * len(sizes)
        else:
            answers = [_answer(sample) for sample in row]
            merged = classed(answers)
            votes = list(majority(answers, sizes))
            voted = votes if merged == answers else list(majority(merged, sizes))
        for size, by_string, by_class in zip(sizes, votes, voted, strict=True):
            strings[size].append(by_string)
            classes[size].append(by_class)
    return {
        f"majority@{size}": {
            **of_values(strings[size]),
            "by_equivalence_class": of_values(classes[size]),
        }
        for size in sizes
    }


def share(cells: Cells, holds: Callable[[Scored], bool]) -> dict[str, Any]:
    """Return the share of samples of which something holds, a mean over problems, with both intervals."""
    counts = Counter((len(row), sum(map(holds, row))) for row in cells.values())
    return of_samples(counts)


def without_errors(rows: Iterable[Scored]) -> dict[str, Any] | None:
    """Return pass@1 over the samples whose request did not fail: the mean over problems of which any came.

    The second denominator of details-*.json, with intervals.
    """
    cells = by_problem(rows, without_errors=True)
    if not cells:
        return None
    return {
        "samples": sum(map(len, cells.values())),
        "problems": len(cells),
        "pass@1": share(cells, lambda row: row.correct),
        NO_ANSWER: share(cells, lambda row: row.found.state == NO_ANSWER),
    }


def _answer(row: Scored) -> Answer:
    """Return what a sample votes for; a time-out has no vote."""
    return (None if row.found.state != "answered" else row.found.value, row.correct)


def _counted(count: int | None, samples: int) -> dict[str, Any] | None:
    """Return a count with its share of all samples in percent; None where it was not counted."""
    return None if count is None else {"count": count, "share": 100 * count / samples}


def _tokens(block: Mapping[str, Any]) -> dict[str, Any]:
    """Return the mean tokens a sample, whole and by part, from the widest mode of a block of metrics."""
    modes = [mode for name, mode in block.items() if name.startswith("pass@1")]
    last = modes[-1] if modes else {}
    parts = {part: last.get(f"{part}_tokens_statistics", {}).get("avg") for part in ("reasoning", "answer")}
    return {"mean": last.get("avg_tokens"), **parts, "gen_seconds": last.get("gen_seconds")}


def of_folder(folder: Path, scorers: Iterable[str]) -> dict[str, Any]:
    """Return statistics.json of results/{model}/eval-results/{benchmark} for scorers that left their files there."""
    found = {}
    for scorer in scorers:
        details = json.loads((folder / f"details-{scorer}.json").read_text(encoding="utf-8"))
        block = json.loads((folder / metrics_name(scorer)).read_text(encoding="utf-8"))[details["benchmark"]]
        found[scorer] = statistics(read_table(folder / f"samples-{scorer}.csv"), details, block)
    return document(folder.parent.parent.name, folder.name, found)


def document(model: str, benchmark: str, scorers: Mapping[str, Any]) -> dict[str, Any]:
    """Return statistics.json of a model and benchmark."""
    return {
        "model": model,
        "benchmark": benchmark,
        "unit": "percent",
        "level": 95,
        "questions": {"across_problems": ACROSS_PROBLEMS, "across_seeds": ACROSS_SEEDS},
        "scorers": dict(scorers),
    }


FORMER = {"across_problems": "other_problems", "across_seeds": "run_again"}  # keys of statistics.json before 0.2


def interval_of(figure: Mapping[str, Any], question: str) -> dict[str, Any]:
    """Return the interval of a figure for a question, {} where there is none; also of a file with the former keys."""
    return figure.get(question) or figure.get(FORMER[question]) or {}
