"""Put all metrics side by side: results/summary.csv, and beside each metrics.json scorers.json and statistics.json."""

import argparse
import gc
from pathlib import Path

from seedbed.core import files
from seedbed.results.summary_table import compare_scorers, rows_of, write_table
from seedbed.scoring.figures import of_folder
from seedbed.scoring.score_files import STRICT, as_json


def main() -> int:
    """Run the command; returns 0."""
    parser = argparse.ArgumentParser(prog="python -m seedbed tabulate", description=__doc__)
    parser.add_argument("metrics", nargs="+", type=Path, help="every metrics*.json")
    parser.add_argument("--out", required=True, type=Path, help="summary.csv")
    options = parser.parse_args()
    gc.disable()  # a table may have a million rows, and none of them is part of a cycle
    listed: dict[Path, list[str]] = {}
    for path in options.metrics:
        listed.setdefault(path.parent, []).append(path.stem.removeprefix("metrics").removeprefix("-") or STRICT)
    rows = []
    for folder, scorers in listed.items():
        compared = compare_scorers(folder, scorers)
        files.write(folder / "scorers.json", as_json(compared))
        files.write(folder / "statistics.json", as_json(of_folder(folder, scorers)))
        rows += rows_of(folder, scorers, compared)
    write_table(rows, options.out)
    return 0
