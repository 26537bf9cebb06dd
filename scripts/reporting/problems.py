"""The problems of a benchmark as a script beside the report."""

import hashlib
from pathlib import Path
from typing import Any

from scripts import whole
from scripts.errors import InputError
from scripts.evals.datasets import iter_rows
from scripts.reporting.blocks import block, call
from scripts.reporting.maths import formulas

FORMAT = 1


def write_problems(benchmark: str, dataset: Path, folder: Path) -> Path | None:
    """Write wording, formulas and expected answer of each problem by its id; returns the file.

    None where the dataset is not there or cannot be read, which its verdict tells.
    Written anew only for another dataset.
    """
    out, note = folder / "problems.js", folder / "problems.json"
    try:
        key = f'"{FORMAT} {hashlib.sha256(dataset.read_bytes()).hexdigest()}"\n'
    except OSError:
        return None
    if not (out.is_file() and note.is_file() and note.read_text() == key):
        try:
            problems = problems_of(dataset)
        except InputError:
            return None
        whole.write(out, call("seedbedProblems", benchmark, block(problems)))
        whole.write(note, key)
    return out


def problems_of(dataset: Path) -> dict[str, dict[str, Any]]:
    """Return the problems of a prepared dataset by id; raises InputError."""
    return {
        row["id"]: {"text": row["problem"], "maths": formulas(row["problem"]), "expected": row["expected_answer"]}
        for row in iter_rows(dataset)
    }
