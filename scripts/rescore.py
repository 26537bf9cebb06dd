"""Score outputs again with any scorer: by hand on a folder of anybody's outputs, or for a rule."""

import argparse
import sys
from pathlib import Path

from scripts.errors import InputError, exit_code
from scripts.evals.answers import ANSWER_TYPES
from scripts.evals.cohort import read_cohort
from scripts.evals.datasets import read_rows
from scripts.evals.reports import write_reports
from scripts.evals.scorers import load_scorer
from scripts.evals.seedfiles import seed_files
from scripts.score import check_seeds


def main() -> int:
    """Run the command; returns 0."""
    parser = argparse.ArgumentParser(prog="python -m scripts.rescore", description=__doc__)
    parser.add_argument(
        "outputs", nargs="+", type=Path, metavar="DIR", help="a folder with output-rs*.jsonl, or such files"
    )
    parser.add_argument("--scorer", action="append", help="a name in config/scorers or a YAML file; may be repeated")
    parser.add_argument("--answer-type", choices=ANSWER_TYPES, help="told from the expected answers if left out")
    parser.add_argument("--benchmark", help="the name the metrics stand under (the folder's)")
    parser.add_argument("--out", "--out-dir", type=Path, default=Path("rescored"), help="where the files go (rescored)")
    parser.add_argument("--alone", action="store_true", help="only the scorers named, no comparison, nothing printed")
    parser.add_argument("--expect-seeds", help="the seeds that must be there, such as 42,43")
    parser.add_argument("--dataset", type=Path, help="test.jsonl, whose problems every seed must have")
    options = parser.parse_args()
    files = seed_files(options.outputs[0]) if options.outputs[0].is_dir() else options.outputs
    check_seeds(files, options.expect_seeds)
    ids = None if options.dataset is None else [str(row["id"]) for row in read_rows(options.dataset)]
    scorers = [load_scorer(name) for name in options.scorer or ["strict", "regex"]]
    if options.answer_type is None:
        raise InputError("--answer-type: expected one of " + ", ".join(ANSWER_TYPES))
    cohort = read_cohort(files, scorers, options.answer_type, ids)
    for scorer in scorers:
        write_reports(cohort, scorer.name, options.benchmark or files[0].parent.name, options.answer_type, options.out)
    return 0


if __name__ == "__main__":
    sys.exit(exit_code(main))
