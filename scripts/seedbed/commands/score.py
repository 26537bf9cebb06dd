"""Take the strict answer from every generation and count: metrics.json, samples-strict.csv, details-strict.json."""

import argparse
from pathlib import Path

from seedbed.core.errors import RunError
from seedbed.records.coverage import ROUNDING
from seedbed.records.dataset import expected_answers
from seedbed.scoring.answers import ANSWER_TYPES
from seedbed.scoring.cohort import read_cohort
from seedbed.scoring.score_files import write_reports
from seedbed.scoring.strict import Strict


def score(
    files: list[Path],
    benchmark: str,
    answer_type: str,
    dataset: dict[str, str] | None,
    folder: Path,
    max_fraction: float = 1.0,
) -> list[Path]:
    """Score the files strictly and write the three files into `folder`.

    Raises InputError if anything is missing, RunError if more than `max_fraction` of the samples are errors.
    """
    strict = Strict()
    cohort = read_cohort(files, [strict], answer_type, dataset)
    samples = [cost for seed in cohort.measured for cost in seed]
    failed = sum(cost.error for cost in samples)
    if failed > max_fraction * len(samples) + ROUNDING:
        raise RunError(
            f"{files[0].parent}: {failed} of {len(samples)} samples failed for good; errors.max_failed_fraction "
            f"{max_fraction:g} does not allow it"
        )
    return write_reports(cohort, strict.name, benchmark, answer_type, folder)


def main() -> int:
    """Run the command; returns 0."""
    parser = argparse.ArgumentParser(prog="python -m seedbed score", description=__doc__)
    parser.add_argument("outputs", nargs="+", type=Path, help="output-rs{seed}.jsonl, every seed")
    parser.add_argument("--benchmark", required=True, help="the name the metrics stand under")
    parser.add_argument("--answer-type", required=True, choices=ANSWER_TYPES)
    parser.add_argument("--dataset", type=Path, help="test.jsonl, whose problems every seed must have")
    parser.add_argument("--max-fraction", type=float, default=1.0, help="the tolerated share of failed samples")
    parser.add_argument("--out-dir", required=True, type=Path, help="where the files go")
    options = parser.parse_args()
    answers = None if options.dataset is None else expected_answers(options.dataset)
    score(options.outputs, options.benchmark, options.answer_type, answers, options.out_dir, options.max_fraction)
    return 0
