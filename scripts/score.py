"""Take the strict answer from every generation and count: metrics.json, samples-strict.csv, details-strict.json."""

import argparse
import sys
from pathlib import Path

from scripts.errors import InputError, exit_code
from scripts.evals.answers import ANSWER_TYPES
from scripts.evals.cohort import read_cohort
from scripts.evals.datasets import read_rows
from scripts.evals.reports import write_reports
from scripts.evals.seedfiles import seed_of
from scripts.evals.strict_scorer import Strict


def score(
    files: list[Path], benchmark: str, answer_type: str, dataset: dict[str, str] | None, folder: Path
) -> list[Path]:
    """Score the files strictly and write the three files into `folder`; raises InputError if anything is missing."""
    strict = Strict()
    cohort = read_cohort(files, [strict], answer_type, dataset)
    return write_reports(cohort, strict.name, benchmark, answer_type, folder)


def check_seeds(files: list[Path], expected: str | None) -> None:
    """Raise InputError unless the files are exactly the seeds of a list like "42,43"."""
    if expected is None:
        return
    found, wanted = sorted(map(seed_of, files)), sorted(int(seed) for seed in expected.split(",") if seed)
    if found != wanted:
        raise InputError(f"{files[0].parent}: expected the seeds {wanted}, found {found}")


def answers_of(dataset: Path | None) -> dict[str, str] | None:
    """Return the expected answers of a dataset by id, None without one."""
    if dataset is None:
        return None
    return {str(row["id"]): str(row["expected_answer"]) for row in read_rows(dataset)}


def main() -> int:
    """Run the command; returns 0."""
    parser = argparse.ArgumentParser(prog="python -m scripts.score", description=__doc__)
    parser.add_argument("outputs", nargs="+", type=Path, help="output-rs{seed}.jsonl, every seed")
    parser.add_argument("--benchmark", required=True, help="the name the metrics stand under")
    parser.add_argument("--answer-type", required=True, choices=ANSWER_TYPES)
    parser.add_argument("--expect-seeds", help="the seeds that must be there, such as 42,43")
    parser.add_argument("--dataset", type=Path, help="test.jsonl, whose problems every seed must have")
    parser.add_argument("--out-dir", required=True, type=Path, help="where the files go")
    options = parser.parse_args()
    check_seeds(options.outputs, options.expect_seeds)
    score(options.outputs, options.benchmark, options.answer_type, answers_of(options.dataset), options.out_dir)
    return 0


if __name__ == "__main__":
    sys.exit(exit_code(main))
