"""The files that a scorer writes: metrics, the table of samples, and details.

`samples-{scorer}.csv` holds what was found, never the text it was found in.
"""

import csv
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from seedbed.core import files
from seedbed.core.errors import InputError
from seedbed.records.outputs import ANSWERED, ERROR, NO_ANSWER, STATES
from seedbed.scoring.answers import Found, Scored
from seedbed.scoring.cohort import Cohort

COLUMNS = ("id", "seed", "predicted_answer", "correct", "state", "stage", "span", "flags", "part")
_VERDICTS = {"true": True, "false": False}


def table(rows: Iterable[Scored]) -> str:
    """Return the table as CSV; span is start:end in characters of the generation, flags are joined by spaces."""
    import io

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        found = row.found
        span = "" if found.span is None else f"{found.span[0]}:{found.span[1]}"
        writer.writerow((
            row.id, row.seed, "" if found.value is None else found.value, "true" if row.correct else "false",
            found.state, found.stage, span, " ".join(found.flags), found.part,
        ))  # fmt: skip
    return out.getvalue()


def read_table(path: Path) -> list[Scored]:
    """Return the lines of a table; raises InputError, naming file and line, if it is not one of ours."""
    with path.open(encoding="utf-8", newline="", errors="surrogatepass") as file:
        reader = csv.reader(file)
        header = tuple(next(reader, ()))
        if header != COLUMNS:
            raise InputError(f"{path}: expected the columns {','.join(COLUMNS)}, found {','.join(header)}")
        rows: list[Scored] = []
        flagged: dict[str, tuple[str, ...]] = {}
        for row in reader:
            try:
                identity, seed, value, correct, state, stage, span, flags, part = row
                if not seed.isdigit() or state not in STATES:
                    raise ValueError
                place = _place(span) if span else None
                if flags not in flagged:
                    flagged[flags] = tuple(flags.split())
                said = value if value or state == ANSWERED else None
                found = Found(said, state, stage, place, part, flagged[flags])
                rows.append(Scored(identity, int(seed), found, _VERDICTS[correct]))
            except (ValueError, KeyError):
                where = f"{path}:{reader.line_num}"
                raise InputError(f"{where}: expected {','.join(COLUMNS)}, found {','.join(row)}") from None
        return rows


def _place(span: str) -> tuple[int, int]:
    """Return start and end of a span; raises ValueError if it is none."""
    start, end = span.split(":")
    return int(start), int(end)


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
        metrics_name(scorer): files.encoded(as_json(cohort.metrics(benchmark, scorer))),
        f"samples-{scorer}.csv": files.encoded(table(rows)),
    }
    written = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
    made_by = {} if definition is None else {"definition": definition}
    details = {**_details(cohort, rows, scorer, benchmark, answer_type), **made_by, "written": written}
    contents[f"details-{scorer}.json"] = files.encoded(as_json(details))
    for name, content in contents.items():
        files.write(folder / name, content)
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
        "fits": scorer not in cohort.unfit,
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
