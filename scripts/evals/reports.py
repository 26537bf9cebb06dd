"""The files a scorer leaves: metrics, the per-sample table and our own details, each written whole or not at all."""

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scripts import whole
from scripts.errors import InputError
from scripts.evals.cohort import Cohort
from scripts.evals.records import ERROR, NO_ANSWER, STATES
from scripts.evals.samples import Scored, table

STRICT = "strict"


def metrics_name(scorer: str) -> str:
    """Return the name of a scorer's metrics file."""
    return "metrics.json" if scorer == STRICT else f"metrics-{scorer}.json"


def write_reports(
    cohort: Cohort, scorer: str, benchmark: str, answer_type: str, folder: Path, definition: str | None = None
) -> list[Path]:
    """Write one scorer's metrics, table and details into `folder`; returns their paths.

    `definition` is the digest of the scorer's file, for those who want to know whether it has changed since.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rows = cohort.rows(scorer)
    contents = {
        metrics_name(scorer): whole.encoded(as_json(cohort.metrics(benchmark, scorer))),
        f"samples-{scorer}.csv": whole.encoded(table(rows)),
    }
    written = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
    made_by = {} if definition is None else {"definition": definition}
    details = {**_details(cohort, rows, scorer, benchmark, answer_type), **made_by, "written": written}
    contents[f"details-{scorer}.json"] = whole.encoded(as_json(details))
    for name, content in contents.items():
        whole.write(folder / name, content)
    return [folder / name for name in contents]


def _details(
    cohort: Cohort, rows: Sequence[Scored], scorer: str, benchmark: str, answer_type: str
) -> dict[str, object]:
    """Return counts that are ours: states, stages, flags, and both denominators where requests failed."""
    errors = sum(cost.error for seed in cohort.measured for cost in seed)
    states = Counter(row.found.state for row in rows)
    cut = [cost.truncated for seed in cohort.measured for cost in seed]
    right = sum(row.correct for row in rows)
    return {
        "scorer": scorer,
        "benchmark": benchmark,
        "answer_type": answer_type,
        "seeds": cohort.seeds,
        "outputs": cohort.traces,
        "problems": len(cohort.ids),
        "samples": len(rows),
        "truncated": None if None in cut else cut.count(True),
        "tokens_unknown": sum(cost.tokens is None for seed in cohort.measured for cost in seed),
        "errors": errors,
        "states": {state: states[state] for state in STATES},
        "stages": dict(sorted(Counter(row.found.stage for row in rows if row.found.stage).items())),
        "flags": dict(sorted(Counter(flag for row in rows for flag in row.found.flags).items())),
        "first_differs_from_last": sum("first-differs" in row.found.flags for row in rows),
        "symbolic_correct": 100.0 * right / len(rows),
        NO_ANSWER: 100.0 * states[NO_ANSWER] / len(rows),
        "without_errors": _without_errors(rows),
    }


def _without_errors(rows: Sequence[Scored]) -> dict[str, object]:
    """Return both shares over the samples whose request did not fail: the mean over problems of which any came.

    The same figures as `statistics.without_errors` gives with intervals.
    """
    came: dict[str, list[Scored]] = {}
    for row in rows:
        if ERROR not in row.found.flags:
            came.setdefault(row.id, []).append(row)
    shares = {
        "symbolic_correct": [sum(row.correct for row in problem) / len(problem) for problem in came.values()],
        NO_ANSWER: [sum(row.found.state == NO_ANSWER for row in problem) / len(problem) for problem in came.values()],
    }
    means = {name: 100.0 * sum(values) / len(values) if values else None for name, values in shares.items()}
    return {"samples": sum(map(len, came.values())), **means}


def as_json(value: object) -> str:
    """Return indented JSON with a newline at its end."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def read_details(folder: Path, scorer: str) -> dict[str, Any]:
    """Return a scorer's details; raises InputError if they are missing, or its files are not as they were written."""
    path = folder / f"details-{scorer}.json"
    try:
        details: dict[str, Any] = json.loads(path.read_bytes())
        for name, digest in details["written"].items():
            if hashlib.sha256((folder / name).read_bytes()).hexdigest() != digest:
                raise InputError(f"{folder / name} was changed since it was written: remove it and run snakemake")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: {type(error).__name__}: expected the details that a scorer writes") from None
    return details
