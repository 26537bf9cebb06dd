"""Put all metrics side by side: results/summary.csv, and beside each metrics.json scorers.json and statistics.json."""

import argparse
import csv
import gc
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from seedbed.core import files
from seedbed.datasets.subset import label
from seedbed.scoring.figures import of_folder
from seedbed.scoring.score_files import STRICT, as_json, metrics_name, read_details
from seedbed.scoring.scorer_comparison import compare_tables

INTERVALS = ("other_problems_low", "other_problems_high", "run_again_low", "run_again_high")
COLUMNS = (
    "model",
    "benchmark",
    "scorer",
    "seeds",
    "problems",
    "part",
    "pass@1",
    "k",
    "majority@k",
    "pass@k",
    "no_answer",
    "recovered",
    "lost",
    *INTERVALS,
    "metrics",
    "statistics",
    "scorers",
)


def scorers_of(folder: Path) -> list[str]:
    """Return the scorers that left metrics in a folder, strict first."""
    found = [path.stem.removeprefix("metrics-") for path in sorted(folder.glob("metrics-*.json"))]
    return [*([STRICT] if (folder / "metrics.json").is_file() else []), *found]


def compare_scorers(folder: Path, scorers: Sequence[str]) -> dict[str, Any]:
    """Return scorers.json of a folder: strict against each other scorer on the same samples, by the other's name."""
    if STRICT not in scorers:
        return {}
    tables = {scorer: folder / f"samples-{scorer}.csv" for scorer in scorers}
    return {scorer: compare_tables(tables[STRICT], tables[scorer]) for scorer in scorers if scorer != STRICT}


def rows_of(folder: Path, scorers: Sequence[str], compared: dict[str, Any]) -> list[dict[str, Any]]:
    """Return one row a scorer: percentages at the k of the folder's seeds, counts of recovered and lost samples."""
    rows = []
    for scorer in scorers:
        read_details(folder, scorer)
        modes = json.loads((folder / metrics_name(scorer)).read_text(encoding="utf-8"))[folder.name]
        k = max(int(mode.rsplit("@", 1)[1]) for mode in modes if mode.startswith("pass@") and "[" not in mode)
        mean = modes[f"pass@1[avg-of-{k}]" if k > 1 else "pass@1"]
        ledger = compared.get(scorer, {})
        rows.append(
            {
                "model": folder.parent.parent.name,
                "benchmark": folder.name,
                "scorer": scorer,
                "seeds": k,
                "problems": mean["num_entries"],
                "part": label(Path("resources") / folder.name),
                "pass@1": mean["symbolic_correct"],
                "k": k,
                "majority@k": modes[f"majority@{k}"]["symbolic_correct"] if k > 1 else None,
                "pass@k": modes[f"pass@{k}"]["symbolic_correct"],
                "no_answer": mean["no_answer"],
                "recovered": ledger["counts"]["recovered"] if ledger else None,
                "lost": ledger["counts"]["lost"] if ledger else None,
                **intervals_of(folder, scorer, k),
                "metrics": folder / metrics_name(scorer),
                "statistics": folder / "statistics.json",
                "scorers": folder / "scorers.json" if ledger else None,
            }
        )
    return rows


def intervals_of(folder: Path, scorer: str, k: int) -> dict[str, float | None]:
    """Return the bounds of pass@1 by statistics.json in percent; empty where it was not made from these outputs."""
    try:
        found = json.loads((folder / "statistics.json").read_text(encoding="utf-8"))["scorers"].get(scorer, {})
        outputs = json.loads((folder / f"details-{scorer}.json").read_text(encoding="utf-8"))["outputs"]
        figure = found.get(f"pass@1[avg-of-{k}]" if k > 1 else "pass@1") if found.get("outputs") == outputs else None
        bounds = [((figure or {}).get(question) or {}) for question in ("other_problems", "run_again")]
        return dict(zip(INTERVALS, [bound.get(end) for bound in bounds for end in ("low", "high")], strict=True))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return dict.fromkeys(INTERVALS)


def write_table(rows: Iterable[dict[str, Any]], out: Path) -> None:
    """Write the rows as CSV, whole or not at all; what a scorer does not have stays empty."""
    import io

    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    files.write(out, text.getvalue())


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
