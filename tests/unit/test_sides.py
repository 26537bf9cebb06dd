import json
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.errors import InputError
from scripts.evals.cohort import read_cohort
from scripts.evals.finished import seal
from scripts.evals.reports import write_reports
from scripts.evals.scorers import load_scorer
from scripts.imports import ROOT
from scripts.sides import read


def write(folder: Path, right: list[int], end: float = 1.0) -> None:
    """Write the outputs of two seeds, in each the first so many problems of four right."""
    folder.mkdir(parents=True, exist_ok=True)
    for seed, count in zip((42, 43), right, strict=True):
        rows = [
            {
                "id": f"p{index}",
                "problem": f"What is {index}?",
                "expected_answer": "7",
                "generation": f"\\boxed{{{7 if index < count else 3}}}",
                "generation_end_time": end,
                "num_generated_tokens": 5,
                "finish_reason": "stop",
            }
            for index in range(4)
        ]
        path = folder / f"output-rs{seed}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        seal(path)


def stored(folder: Path, right: list[int]) -> Path:
    """Return a folder of outputs with the files of the strict scorer."""
    write(folder, right)
    cohort = read_cohort(sorted(folder.glob("output-rs*.jsonl")), [load_scorer("strict")], "integer")
    write_reports(cohort, "strict", folder.name, "integer", folder)
    return folder


def gate(folder: Path, *require: str) -> subprocess.CompletedProcess[str]:
    """Judge a folder by hand."""
    asked = [word for text in require for word in ("--require", text)]
    words = [sys.executable, "-m", "scripts.gate", str(folder), *asked]
    return subprocess.run(words, capture_output=True, text=True, cwd=ROOT)


def test_a_table_is_read_with_or_without_the_outputs_it_was_made_from(tmp_path: Path) -> None:
    folder = stored(tmp_path / "b", [4, 2])
    assert sum(row.correct for row in read(folder, "strict").rows) == 6
    for path in folder.glob("output-rs*"):
        path.unlink()
    assert sum(row.correct for row in read(folder, "strict").rows) == 6


def test_a_table_older_than_its_outputs_is_refused(tmp_path: Path) -> None:
    folder = stored(tmp_path / "b", [4, 4])
    write(folder, [0, 0], end=2.0)
    with pytest.raises(InputError, match=r"output-rs42.jsonl is not what samples-strict.csv was made from"):
        read(folder, "strict")
    (folder / "samples-strict.csv").unlink()
    assert not any(row.correct for row in read(folder, "strict").rows)


def test_a_text_changed_by_hand_is_noticed(tmp_path: Path) -> None:
    folder = stored(tmp_path / "b", [4, 4])
    path = folder / "output-rs43.jsonl"
    path.write_text(path.read_text().replace("boxed{7}", "boxed{9}"))
    with pytest.raises(InputError, match=r"output-rs43.jsonl was changed since it was finished"):
        read(folder, "strict")


def test_a_table_changed_by_hand_is_noticed(tmp_path: Path) -> None:
    folder = stored(tmp_path / "b", [4, 2])
    table = folder / "samples-strict.csv"
    table.write_text(table.read_text().replace(",false,", ",true,"))
    with pytest.raises(InputError, match=r"samples-strict.csv was changed since it was written"):
        read(folder, "strict")


def test_what_a_gate_by_hand_cannot_use_ends_with_2_and_one_line(tmp_path: Path) -> None:
    folder, reference = stored(tmp_path / "b", [4, 4]), stored(tmp_path / "ref", [4, 4])
    assert gate(folder, f"not worse than {reference} by 60 points").returncode == 0
    write(reference, [0, 0], end=2.0)
    for require in (
        [f"not worse than {reference} by 60 points"],
        [f"not worse than {tmp_path}/nowhere by 2 points"],
        ["pass@0 >= 1"],
        [],
    ):
        told = gate(folder, *require)
        assert (told.returncode, told.stdout, told.stderr.count("\n")) == (2, "", 1), told
