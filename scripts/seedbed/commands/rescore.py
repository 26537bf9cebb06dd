"""Score outputs again with any scorer: by hand on a folder of anybody's outputs, or for a rule.

By hand: python -m seedbed rescore DIR; compares every scorer with the strict one and prints the table.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from seedbed.core.errors import InputError
from seedbed.core.files import write
from seedbed.records.dataset import expected_answers
from seedbed.records.outputs import seed_files
from seedbed.scoring.answers import ANSWER_TYPES, answer_type_of
from seedbed.scoring.cohort import Cohort, read_cohort
from seedbed.scoring.definition import digest_of, find_definition
from seedbed.scoring.examples import check_file
from seedbed.scoring.score_files import STRICT, as_json, write_reports
from seedbed.scoring.scorer_comparison import compare
from seedbed.scoring.staged import load_scorer


def rescore(
    files: Sequence[Path], scorers: Sequence[str], answer_type: str, dataset: dict[str, str] | None, keyless: bool
) -> Cohort:
    """Check the scorers, then read the files once and score every sample; raises InputError."""
    for name in scorers:
        check_file(find_definition(name), growth=False, answer_type=answer_type)
    return read_cohort(files, [load_scorer(name) for name in scorers], answer_type, dataset, keyless)


def compare_all(cohort: Cohort) -> dict[str, dict[str, Any]]:
    """Return the comparison of the first scorer with each other one, by the other's name."""
    first, *others = (name for name in cohort.scored if name not in cohort.unfit)
    return {other: compare(cohort.rows(first), cohort.rows(other), (first, other)) for other in others}


def table(cohort: Cohort, benchmark: str, compared: dict[str, dict[str, Any]]) -> str:
    """Return what people read: one line a scorer, in percent, and what it won and lost."""
    k = len(cohort.seeds)
    mean, majority, best = (f"pass@1[avg-of-{k}]", f"majority@{k}", f"pass@{k}") if k > 1 else ("pass@1",) * 3
    width = max(len(name) for name in [*cohort.scored, "scorer"])
    head = [mean, majority, best, "no_answer"] if k > 1 else [mean, "no_answer"]
    lines = [
        f"{benchmark}: {len(cohort.ids)} problems, {k} seed{'s' if k > 1 else ''}",
        "  ".join([f"{'scorer':{width}}", *head]),
    ]
    for name in cohort.scored:
        if name in cohort.unfit:
            lines.append(f"{name:{width}}  does not fit this answer type: its file names others (answer_types)")
            continue
        modes: Any = cohort.metrics(benchmark, name)[benchmark]
        cells = [modes[mode]["symbolic_correct"] for mode in head[:-1]] + [modes[mean]["no_answer"]]
        lines.append(
            "  ".join(
                [f"{name:{width}}", *(f"{cell:{len(title)}.2f}" for cell, title in zip(cells, head, strict=True))]
            )
        )
    if cohort.keyless:
        lines.append(
            f"{cohort.keyless} of {len(cohort.ids)} problems have no expected_answer: nothing of theirs can be right; "
            "--dataset takes a test.jsonl that has it"
        )
    for name, ledger in compared.items():
        counts, precision = ledger["counts"], ledger["newly_found_precision"]
        right = "" if precision is None else f" ({100 * precision:.0f} % right)"
        lines.append(
            f"{name} against {ledger['scorers'][0]}: {counts['newly_found']} newly found{right}, "
            f"{counts['recovered']} recovered, {counts['lost']} lost, {sum(ledger['timeouts'].values())} timed out; "
            f"p = {ledger['sign_flip_p']:.3g} (sign flips by problem)"
        )
    return "\n".join(lines)


def scorers_wanted(named: Sequence[str], alone: bool) -> list[str]:
    """Return the scorers to run: by hand the strict one comes first, and the broad one is the default."""
    if alone:
        return list(named)
    others = [name for name in named or ["regex"] if name != STRICT]
    return [STRICT, *others]


def earlier(out: Path, traces: dict[str, str]) -> list[str]:
    """Return the scorers whose scores of these outputs `out` holds; raises InputError if it holds those of others."""
    names = []
    for path in sorted(out.glob("details-*.json")):
        try:
            details = json.loads(path.read_bytes())
            same, benchmark = details["outputs"] == traces, details["benchmark"]
        except (ValueError, KeyError, TypeError):
            same, benchmark = False, "what, it does not tell"
        if not same:
            raise InputError(
                f"{path}: scores of other outputs, or of these before they changed ({benchmark}): expected a folder "
                f"of its own: --out OUT; or remove {out}"
            )
        names.append(path.stem.removeprefix("details-"))
    return names


def written(out: Path, scorers: Sequence[str], before: Sequence[str]) -> str:
    """Return what people read at the end: where the files are, whose scores they replace, and whose are left."""
    replaced = [name for name in before if name in scorers]
    left = [name for name in before if name not in scorers]
    return (
        f"written: {out}/: metrics*.json, samples-*.csv, details-*.json, scorers.json"
        + (f"; replaced: {', '.join(replaced)}" if replaced else "")
        + (f"; left as before: {', '.join(left)}" if left else "")
    )


def inputs(options: argparse.Namespace) -> tuple[list[Path], Path]:
    """Return (seed files, their folder); raises InputError if OUT would touch a folder that is only to be read."""
    stray = [name for name in options.scorer if Path(name).is_dir() or Path(name).name.startswith("output-rs")]
    options.scorer = [name for name in options.scorer if name not in stray]
    given = [*options.outputs, *map(Path, stray)]
    if not given:
        raise InputError("expected a folder with output-rs*.jsonl, or such files")
    if len(given) == 1 and given[0].is_dir():
        out, folder = options.out.resolve(), given[0].resolve()
        if out == folder or folder in out.parents:
            raise InputError(f"--out {options.out}: expected a folder outside {given[0]}, which is only read")
        return seed_files(given[0]), given[0]
    for path in given:
        if not path.is_file():
            raise InputError(f"{path}: no such file: expected a folder with output-rs*.jsonl, or such files")
    return given, given[0].parent


def arguments() -> argparse.Namespace:
    """Return the parsed command line."""
    parser = argparse.ArgumentParser(prog="python -m seedbed rescore", description=__doc__)
    parser.add_argument(
        "outputs", nargs="*", type=Path, metavar="DIR", help="a folder with output-rs*.jsonl, or such files"
    )
    parser.add_argument(
        "--scorer", action="extend", nargs="+", default=[], help="names in config/scorers, or YAML files"
    )
    parser.add_argument("--answer-type", choices=ANSWER_TYPES, help="guessed from the expected answers if left out")
    parser.add_argument("--benchmark", help="the name the metrics stand under (the folder's)")
    parser.add_argument("--out", "--out-dir", type=Path, default=Path("rescored"), help="where the files go (rescored)")
    parser.add_argument("--alone", action="store_true", help="only the scorers named, no comparison, nothing printed")
    parser.add_argument("--dataset", type=Path, help="test.jsonl, whose problems every seed must have")
    return parser.parse_args()


def main() -> int:
    """Run the command; returns 0."""
    options = arguments()
    files, folder = inputs(options)
    answer_type = options.answer_type or answer_type_of(files[0])
    benchmark = options.benchmark or folder.resolve().name
    answers = None if options.dataset is None else expected_answers(options.dataset)
    scorers = scorers_wanted(options.scorer, options.alone)
    cohort = rescore(files, scorers, answer_type, answers, not options.alone)
    before = [] if options.alone else earlier(options.out, cohort.traces)
    for name, scorer in zip(cohort.scored, scorers, strict=True):
        definition = digest_of(find_definition(scorer))
        write_reports(cohort, name, benchmark, answer_type, options.out, definition)
    if not options.alone:
        compared = compare_all(cohort)
        write(options.out / "scorers.json", as_json(compared))
        print(table(cohort, benchmark, compared))
        print(written(options.out, list(cohort.scored), before))
    return 0
