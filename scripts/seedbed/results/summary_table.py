"""The table of all metrics: its rows, one a scorer; summary.csv; and the printed form with the scorers side by side."""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tabulate import tabulate

from seedbed.core import files
from seedbed.datasets.rows import label
from seedbed.records import paths
from seedbed.scoring.figures import interval_of
from seedbed.scoring.score_files import STRICT, metrics_name, read_details
from seedbed.scoring.scorer_comparison import compare_tables
from seedbed.statistics.intervals import ACROSS_PROBLEMS, ACROSS_SEEDS

Rows = list[dict[str, Any]]
INTERVALS = ("across_problems_low", "across_problems_high", "across_seeds_low", "across_seeds_high")
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
    scorers = [scorer for scorer in scorers if read_details(folder, scorer).get("fits", True)]
    tables = {scorer: folder / f"samples-{scorer}.csv" for scorer in scorers}
    return {scorer: compare_tables(tables[STRICT], tables[scorer]) for scorer in scorers if scorer != STRICT}


def rows_of(folder: Path, scorers: Sequence[str], compared: dict[str, Any]) -> list[dict[str, Any]]:
    """Return one row a scorer: percentages at the k of the folder's seeds, counts of recovered and lost samples."""
    rows = []
    for scorer in scorers:
        details = read_details(folder, scorer)
        modes = json.loads((folder / metrics_name(scorer)).read_text(encoding="utf-8"))[folder.name]
        k = max(int(mode.rsplit("@", 1)[1]) for mode in modes if mode.startswith("pass@") and "[" not in mode)
        mean = modes[f"pass@1[avg-of-{k}]" if k > 1 else "pass@1"]
        ledger = compared.get(scorer, {})
        rows.append(
            {
                "model": paths.model_of(folder),
                "benchmark": folder.name,
                "scorer": scorer,
                "seeds": k,
                "problems": mean["num_entries"],
                "part": label(paths.dataset_folder(folder.name)),
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
        if not details.get("fits", True):  # its zero would be no figure of the model
            rows[-1] |= dict.fromkeys(["pass@1", "majority@k", "pass@k", "no_answer", *INTERVALS])
    return rows


def intervals_of(folder: Path, scorer: str, k: int) -> dict[str, float | None]:
    """Return the bounds of pass@1 by statistics.json in percent; empty where it was not made from these outputs."""
    try:
        found = json.loads((folder / "statistics.json").read_text(encoding="utf-8"))["scorers"].get(scorer, {})
        outputs = json.loads((folder / f"details-{scorer}.json").read_text(encoding="utf-8"))["outputs"]
        figure = found.get(f"pass@1[avg-of-{k}]" if k > 1 else "pass@1") if found.get("outputs") == outputs else None
        bounds = [interval_of(figure or {}, question) for question in ("across_problems", "across_seeds")]
        return dict(zip(INTERVALS, [bound.get(end) for bound in bounds for end in ("low", "high")], strict=True))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return dict.fromkeys(INTERVALS)


def write_table(rows: Iterable[dict[str, Any]], out: Path) -> None:
    """Write the rows as CSV; what a scorer does not have stays empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    files.write(out, text.getvalue())


QUESTIONS = (("across_problems", "across problems"), ("across_seeds", "across seeds"))
LEGEND = f"95 % intervals: {ACROSS_PROBLEMS}; {ACROSS_SEEDS}"
_LEFT = ("model", "benchmark", "verdict", "")


def measures(rows: Rows) -> list[tuple[str, list[str]]]:
    """Return (name, a cell a scorer) of each line of one model and benchmark: percentages and counts for people."""
    k = rows[0]["seeds"]
    named = [("pass@1" if k == 1 else f"pass@1[avg-of-{k}]", "pass@1")]
    if k > 1:
        named += [(f"majority@{k}", "majority@k"), (f"pass@{k}", "pass@k")]
    lines = [(name, [_share(row, key) for row in rows]) for name, key in [*named, ("no_answer", "no_answer")]]
    lines[1:1] = [(f"  95 % {words}", [_bounds(row, key) for row in rows]) for key, words in QUESTIONS]
    if any(row["recovered"] is not None for row in rows):
        lines.append(("recovered, lost", list(map(_changes, rows))))
    return lines


def _share(row: dict[str, Any], key: str) -> str:
    """Return a share in percent; of a scorer that cannot find such answers, that it does not fit."""
    return "does not fit" if row["pass@1"] is None and key == "pass@1" else _percent(row[key])


def _percent(share: float | None) -> str:
    """Return a share in percent, a dash where there is none."""
    return "–" if share is None else f"{share:.1f} %"


def _changes(row: dict[str, Any]) -> str:
    """Return the counts of recovered and lost samples, and a warning where the scorer loses more than it recovers."""
    if row["recovered"] is None:
        return ""
    return f"+{row['recovered']} −{row['lost']}" + (" loses more" if row["lost"] > row["recovered"] else "")


def _bounds(row: dict[str, Any], question: str) -> str:
    """Return the bounds of an interval in percent, a dash where the size gives none."""
    low, high = row[f"{question}_low"], row[f"{question}_high"]
    return "–" if low is None or high is None else f"{low:.1f} to {high:.1f}"


def render_table(groups: Iterable[tuple[Rows, str, str]]) -> str:
    """Return the table of (rows of one pair, its seeds such as 4/4, its verdict), one block a pair."""
    lines: list[dict[str, str]] = []
    for rows, seeds, verdict in groups:
        part = f" ({rows[0]['part']})" if rows[0].get("part") else ""
        name = f"{rows[0]['benchmark']}{part}"
        head = {"model": rows[0]["model"], "benchmark": name, "seeds": seeds, "verdict": verdict}
        for index, (measure, cells) in enumerate(measures(rows)):
            scorers = dict(zip((row["scorer"] for row in rows), cells, strict=True))
            lines.append({**(head if index == 0 else dict.fromkeys(head, "")), "": measure, **scorers})
    columns = list(dict.fromkeys(name for line in lines for name in line))
    table = tabulate(
        [[line.get(name, "–") for name in columns] for line in lines],
        columns,
        tablefmt="plain",
        disable_numparse=True,
        preserve_whitespace=True,
        colalign=["left" if name in _LEFT else "right" for name in columns],
    )
    return str(table)
