"""Fetch a benchmark's rows, check them against their pin, and write them in the project's form."""

import argparse
import contextlib
import json
from pathlib import Path

from seedbed.datasets.prepare import prepare


def main() -> int:
    """Run the command; returns 0."""
    parser = argparse.ArgumentParser(prog="python -m seedbed prepare_dataset", description=__doc__)
    parser.add_argument("--definition", type=Path, required=True, help="the benchmark's definition, JSON")
    parser.add_argument("--out", type=Path, required=True, help="the rows, jsonl")
    parser.add_argument("--record", type=Path, required=True, help="what was fetched, JSON")
    options = parser.parse_args()
    record = prepare(json.loads(options.definition.read_text(encoding="utf-8")), options.out)
    with contextlib.suppress(FileNotFoundError):
        options.record.unlink()
    options.record.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    return 0
