"""The files a scorer leaves: metrics, the per-sample table and our own details, each written whole or not at all."""

import json
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from scripts.evals.cohort import Cohort
from scripts.evals.records import STATES
from scripts.evals.samples import Scored, table

STRICT = "strict"


def metrics_name(scorer: str) -> str:
    """Return the name of a scorer's metrics file."""
    return "metrics.json" if scorer == STRICT else f"metrics-{scorer}.json"


def write_reports(cohort: Cohort, scorer: str, benchmark: str, answer_type: str, folder: Path) -> list[Path]:
    """Write one scorer's metrics, table and details into `folder`; returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = cohort.rows(scorer)
    contents = {
        metrics_name(scorer): as_json(cohort.metrics(benchmark, scorer)),
        f"samples-{scorer}.csv": table(rows),
        f"details-{scorer}.json": as_json(_details(cohort, rows, scorer, benchmark, answer_type)),
    }
    for name, content in contents.items():
        write_whole(folder / name, content)
    return [folder / name for name in contents]


def _details(
    cohort: Cohort, rows: Sequence[Scored], scorer: str, benchmark: str, answer_type: str
) -> dict[str, object]:
    """Return counts that are ours: states, stages, flags, and both denominators where requests failed."""
    errors = sum(cost.error for seed in cohort.measured for cost in seed)
    states = Counter(row.found.state for row in rows)
    right = sum(row.correct for row in rows)
    none = states["no_answer"]
    without = len(rows) - errors
    return {
        "scorer": scorer,
        "benchmark": benchmark,
        "answer_type": answer_type,
        "seeds": cohort.seeds,
        "outputs": cohort.traces,
        "problems": len(cohort.ids),
        "samples": len(rows),
        "truncated": sum(cost.truncated for seed in cohort.measured for cost in seed),
        "errors": errors,
        "states": {state: states[state] for state in STATES},
        "stages": dict(sorted(Counter(row.found.stage for row in rows if row.found.stage).items())),
        "flags": dict(sorted(Counter(flag for row in rows for flag in row.found.flags).items())),
        "first_differs_from_last": sum("first-differs" in row.found.flags for row in rows),
        "symbolic_correct": 100.0 * right / len(rows),
        "no_answer": 100.0 * none / len(rows),
        "without_errors": {
            "samples": without,
            "symbolic_correct": 100.0 * right / without if without else None,
            "no_answer": 100.0 * (none - errors) / without if without else None,
        },
    }


def as_json(value: object) -> str:
    """Return indented JSON with a newline at its end."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def write_whole(path: Path, content: str) -> None:
    """Write a file under another name beside its place, then move it there."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    part.write_text(content, encoding="utf-8", errors="surrogatepass")
    os.replace(part, path)
