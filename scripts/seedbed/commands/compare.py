"""Compare two models, server set-ups, prompts or scorers on the same problems.

By hand: python -m seedbed compare A B, each a folder of outputs or MODEL[/BENCHMARK[/SCORER]] of ./results.
"""

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from seedbed.core import files
from seedbed.core.errors import InputError
from seedbed.core.schema import nearest
from seedbed.decisions.comparison import compare, sentences
from seedbed.decisions.declared import labels, read_config, sides_of, stems
from seedbed.decisions.scored_folder import Side, benchmarks_of, matched, read, side, with_parts
from seedbed.records import paths
from seedbed.scoring.answers import ANSWER_TYPES
from seedbed.scoring.score_files import STRICT, as_json
from seedbed.statistics.intervals import ACROSS_PROBLEMS, ACROSS_SEEDS

Blocks = list[dict[str, Any]]


def blocks(a: Side, b: Side, benchmarks: Iterable[str], scorers: Iterable[str], answer_type: str | None) -> Blocks:
    """Return one comparison for each benchmark and scorer that the two sides have in common; raises InputError."""
    found = []
    for (benchmark, scorer), (other_benchmark, other_scorer) in matched(a, b, benchmarks, scorers):
        folders = a.folder(benchmark, b.model), b.folder(other_benchmark, a.model)
        if folders[0].resolve() == folders[1].resolve() and scorer == other_scorer:
            raise InputError(f"{a.named} and {b.named}: both are {scorer} on {folders[0]}; expected two that differ")
        one, other = read(folders[0], scorer, answer_type), read(folders[1], other_scorer, answer_type)
        try:
            comparison = compare(one.rows, other.rows, same_samples=one.of_same_outputs(other))
        except InputError as error:
            raise InputError(f"{a.named} and {b.named}: {error}") from None
        comparison["a"] = {"folder": str(one.folder), "benchmark": benchmark, "scorer": scorer, **comparison["a"]}
        comparison["b"] = {
            "folder": str(other.folder),
            "benchmark": other_benchmark,
            "scorer": other_scorer,
            **comparison["b"],
        }
        found.append(comparison)
    return found


def document(a: Side, b: Side, found: Blocks) -> dict[str, Any]:
    """Return the content of results/comparisons/{a}-vs-{b}.json."""
    return {
        "a": a.label,
        "b": b.label,
        "unit": "percent, differences in points: b minus a",
        "level": 95,
        "questions": {"across_problems": ACROSS_PROBLEMS, "across_seeds": ACROSS_SEEDS},
        "comparisons": found,
    }


def text(a: Side, b: Side, found: Blocks) -> str:
    """Return what people read: what both sides have in common once, then what differs."""
    lines = []
    for comparison in found:
        names = [_names(one, comparison[key]) for one, key in ((a, "a"), (b, "b"))]
        common = [first for first, second in zip(*names, strict=True) if first == second]
        apart = [", ".join(name for name, other in zip(mine, theirs, strict=True) if name != other)
                 for mine, theirs in (names, names[::-1])]  # fmt: skip
        lines.append(f"{', '.join([*common, ''])}a: {apart[0]}, b: {apart[1]}")
        lines += [f"  {sentence}" for sentence in sentences(comparison)]
    return "\n".join(lines)


def _names(one: Side, comparison: dict[str, Any]) -> tuple[str, str, str]:
    """Return benchmark, scorer and model of a side, or the last parts of a stored folder's path."""
    return comparison["benchmark"], comparison["scorer"], one.model or one.label


def of_run(config: dict[str, Any], label: str) -> dict[str, Any]:
    """Return one of the comparisons of a run's effective configuration; raises InputError."""
    known = dict(zip(labels(config), config["comparisons"], strict=True))
    if label not in known:
        raise InputError(f"unknown comparison {label!r}; {nearest(label, known)}")
    a, b = sides_of(config, known[label])
    return document(a, b, blocks(a, b, stems(config, "benchmarks"), stems(config, "scorers"), None))


def main() -> int:
    """Run the command; returns 0."""
    parser = argparse.ArgumentParser(prog="python -m seedbed compare", description=__doc__)
    parser.add_argument("sides", nargs="*", metavar="A B", help="a folder, or MODEL[/BENCHMARK[/SCORER]] of ./results")
    parser.add_argument("--config", type=Path, help="a run's results/config.yaml, of whose comparisons one is meant")
    parser.add_argument("--pair", help="with --config: which one, as A-vs-B")
    parser.add_argument("--benchmark", help="compare this benchmark only")
    parser.add_argument(
        "--scorer", action="append", default=[], help="the scorer of both, or given twice, of a and of b"
    )
    parser.add_argument("--answer-type", choices=ANSWER_TYPES, help="for outputs not scored yet; guessed if left out")
    parser.add_argument("--out", type=Path, help="the JSON file to write")
    options = parser.parse_args()
    if options.config is not None:
        if options.out is None or options.pair is None:
            raise InputError("--config: expected --pair A-vs-B and --out FILE beside it")
        files.write(options.out, as_json(of_run(read_config(options.config), options.pair)))
        return 0
    if len(options.sides) != 2 or len(options.scorer) > 2:
        raise InputError(
            f"expected two sides and at most two scorers, found {len(options.sides)}, {len(options.scorer)}"
        )
    models = [folder.name for folder in paths.RESULTS.glob("*") if (folder / paths.EVAL_RESULTS).is_dir()]
    scorers: Sequence[str] = (options.scorer or [STRICT]) * 2
    a, b = (
        with_parts(side(named, models, [Path()]), options.benchmark, scorer)
        for named, scorer in zip(options.sides, scorers, strict=False)
    )
    shared = [name for name in benchmarks_of(a) if name in benchmarks_of(b)] or benchmarks_of(a)[:1]
    found = blocks(a, b, shared, [STRICT], options.answer_type)
    print(text(a, b, found))
    if options.out is not None:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        files.write(options.out, as_json(document(a, b, found)))
    return 0
