"""The table people look at: every scorer of a model and benchmark side by side."""

from collections.abc import Iterable
from typing import Any

from tabulate import tabulate

from seedbed.statistics.intervals import OTHER_PROBLEMS, RUN_AGAIN

QUESTIONS = (("other_problems", OTHER_PROBLEMS), ("run_again", RUN_AGAIN))
LEFT = ("model", "benchmark", "verdict", "")
Rows = list[dict[str, Any]]


def measures(rows: Rows) -> list[tuple[str, list[str]]]:
    """Return (name, a cell a scorer) of each line of one model and benchmark: percentages and counts for people."""
    k = rows[0]["seeds"]
    named = [("pass@1" if k == 1 else f"pass@1[avg-of-{k}]", "pass@1")]
    if k > 1:
        named += [(f"majority@{k}", "majority@k"), (f"pass@{k}", "pass@k")]
    lines = [(name, [f"{row[key]:.1f} %" for row in rows]) for name, key in [*named, ("no_answer", "no_answer")]]
    lines[1:1] = [(f"  95 %: {words}", [_bounds(row, key) for row in rows]) for key, words in QUESTIONS]
    if any(row["recovered"] is not None for row in rows):
        counts = ["" if row["recovered"] is None else f"+{row['recovered']} −{row['lost']}" for row in rows]
        lines.append(("recovered, lost", counts))
    return lines


def _bounds(row: dict[str, Any], question: str) -> str:
    """Return the bounds of an interval in percent, a dash where the size gives none."""
    low, high = row[f"{question}_low"], row[f"{question}_high"]
    return "–" if low is None or high is None else f"{low:.1f} to {high:.1f}"


def render(groups: Iterable[tuple[Rows, str, str]]) -> str:
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
        colalign=["left" if name in LEFT else "right" for name in columns],
    )
    return str(table)
