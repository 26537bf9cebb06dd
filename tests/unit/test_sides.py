import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from seedbed.core.environment import SOURCES
from seedbed.core.errors import InputError
from seedbed.decisions.scored_folder import read
from seedbed.records.outputs import seal
from seedbed.scoring.cohort import read_cohort
from seedbed.scoring.score_files import write_reports
from seedbed.scoring.staged import load_scorer
from tests.shared import SHARED

OUTPUTS = SHARED / "outputs" / "aime25"


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
    return command("gate", str(folder), *(word for text in require for word in ("--require", text)))


def command(module: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run one of the project's commands."""
    return subprocess.run(
        [sys.executable, "-m", "seedbed", module, *words], capture_output=True, text=True, cwd=SOURCES
    )


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


@pytest.mark.parametrize("left", [".done", "-async"])
def test_marks_and_what_goes_on_are_no_outputs_of_a_stored_table(tmp_path: Path, left: str) -> None:
    folder = stored(tmp_path / "b", [4, 2])
    for path in folder.glob("output-rs*"):
        path.unlink()
    (folder / f"output-rs42.jsonl{left}").write_text("{}")
    assert sum(row.correct for row in read(folder, "strict", finished=True).rows) == 6


@pytest.mark.parametrize("gone", ["written", None])
def test_a_table_of_an_older_version_is_made_anew_where_its_outputs_are_kept(tmp_path: Path, gone: str | None) -> None:
    folder = stored(tmp_path / "b", [4, 2])
    details = folder / "details-strict.json"
    details.write_text(
        json.dumps({key: value for key, value in json.loads(details.read_text()).items() if key != gone})
    )
    (folder / "samples-strict.csv").write_text("id,seed,correct\n")
    if gone is None:
        details.unlink()
    for path in [*folder.iterdir(), folder]:
        path.chmod(0o555 if path == folder else 0o444)
    before = {path: path.read_bytes() for path in folder.iterdir()}
    assert sum(row.correct for row in read(folder, "strict").rows) == 6
    assert before == {path: path.read_bytes() for path in folder.iterdir()}
    folder.chmod(0o755)
    for path in folder.glob("output-rs*"):
        path.unlink()
    with pytest.raises(InputError, match=r"details-strict.json: .*expected the details that a scorer writes"):
        read(folder, "strict")


def test_a_reference_that_is_still_being_generated_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "ref", [4, 2])
    (tmp_path / "ref" / "output-rs44.jsonl-async").write_text('{"id": "p0"')
    told = gate(stored(tmp_path / "b", [4, 2]), f"not worse than {tmp_path}/ref by 60 points")
    assert (told.returncode, told.stderr.count("\n")) == (2, 1), told
    assert "output-rs44.jsonl-async: is still being generated; expected a folder whose seeds are all" in told.stderr


def test_nothing_is_decided_against_itself(tmp_path: Path) -> None:
    folder = stored(tmp_path / "b", [4, 2])
    told = gate(folder, f"not worse than {folder} by 60 points")
    assert (told.returncode, "is what is judged; expected another reference" in told.stderr) == (2, True)
    told = command("compare", str(folder), f"{folder}/")
    assert (told.returncode, "both are strict on" in told.stderr) == (2, True)


@pytest.mark.needs_shared("outputs/aime25")
def test_two_scorers_on_a_publishers_outputs_are_compared(tmp_path: Path) -> None:
    published = [
        json.loads(line)["published_correct"] for path in OUTPUTS.iterdir() for line in path.read_text().splitlines()
    ]
    out = tmp_path / "told.json"
    told = command("compare", str(OUTPUTS), str(OUTPUTS), "--scorer", "strict", "--scorer", "regex", "--out", str(out))
    assert told.returncode == 0, told.stderr
    found = json.loads(out.read_text())["comparisons"][0]
    assert (len(published), found["a"]["value"]) == (120, pytest.approx(100 * sum(published) / 120))
    assert found["problems"]["compared"] == 30
    assert found["b"]["value"] == pytest.approx(100 * 6 / 120)  # two of the six stand at the end of a thought
    assert [found["difference"][key]["answer"] for key in ("across_seeds", "across_problems")] == ["inconclusive"] * 2
    assert found["moved"] == {"up": 0, "down": 0, "same": 30}
    assert found["sign_flip_p"] == 1
    assert told.stdout.splitlines()[1].startswith("  a 5.0 %, b 5.0 %: ")


@pytest.mark.needs_shared("outputs/aime25")
def test_a_publishers_outputs_are_judged_also_against_a_copy_elsewhere(tmp_path: Path) -> None:
    copy, half = shutil.copytree(OUTPUTS, tmp_path / "copy"), tmp_path / "half"
    half.mkdir()
    for seed in (42, 43):
        shutil.copy(OUTPUTS / f"output-rs{seed}.jsonl", half)
    for requirement, code in (
        ("truncated <= 10 %", 0),  # 12 of 120
        ("truncated <= 9.99 %", 1),
        ("pass@1 < 12", 0),  # 6 of 120: 2.4 to 10.1
        ("pass@1 >= 5", 3),
        ("pass@1 >= 12", 1),
        ("pass@8 >= 1", 3),
        (f"not worse than {copy} by 4 points", 0),  # of the same outputs: -3.1 to +3.1
        (f"not worse than {copy} by 2 points", 3),
        (f"not worse than {half} by 2 points", 3),
        ("pass@1 >= 0.12", 2),
    ):
        told = gate(OUTPUTS, requirement)
        assert told.returncode == code, (requirement, told.stdout, told.stderr)


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


def test_a_gate_by_hand_names_the_model_not_the_folder_of_the_layout(tmp_path: Path) -> None:
    folder = tmp_path / "m" / "eval-results" / "b"
    folder.parent.mkdir(parents=True)
    assert "fail: b / m: pass@1 >= 99: " in gate(stored(folder, [0, 0]), "pass@1 >= 99").stdout
    assert f"fail: c / {tmp_path.name}: pass@1 >= 99: " in gate(stored(tmp_path / "c", [0, 0]), "pass@1 >= 99").stdout


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
