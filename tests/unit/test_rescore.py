"""Rescoring by hand: what is written, what is printed, what is refused."""

import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import zstandard

from seedbed.results.summary_table import compare_scorers, measures
from seedbed.scoring.figures import without_errors
from seedbed.scoring.score_files import read_table

ROOT = Path(__file__).parents[2]


def run(*arguments: str | Path, command: str = "rescore") -> "subprocess.CompletedProcess[str]":
    """Return a finished command."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "scripts")}
    return subprocess.run(
        [sys.executable, "-m", "seedbed", command, *map(str, arguments)],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )


def record(number: int, generation: str | None, expected: str = "42", **more: Any) -> str:
    """Return a line of an output file."""
    return json.dumps(
        {"id": f"p{number}", "problem": f"P{number}", "expected_answer": expected, "generation": generation, **more}
    )


def outputs(folder: Path, **seeds: list[str]) -> Path:
    """Write one file a seed and return the folder."""
    folder.mkdir(exist_ok=True)
    for name, lines in seeds.items():
        (folder / f"output-{name}.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    right, words = record(0, r"\boxed{42}"), record(1, "<think>x</think>The answer is 1,234.", "1234")
    return outputs(tmp_path / "made", rs42=[right, words], rs43=[words.replace("1,234.", "12."), right])


def test_everything_is_written_outside_the_folder_and_the_table_printed(folder: Path, tmp_path: Path) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    done = run(folder, "--out", tmp_path / "out")
    assert (done.returncode, done.stderr) == (0, "")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {
        "metrics.json", "metrics-regex.json", "samples-strict.csv", "samples-regex.csv",
        "details-strict.json", "details-regex.json", "scorers.json",
    }  # fmt: skip
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    metrics = json.loads((tmp_path / "out" / "metrics-regex.json").read_text())
    assert metrics["made"]["pass@1[avg-of-2]"]["symbolic_correct"] == 75.0
    ledger = json.loads((tmp_path / "out" / "scorers.json").read_text())["regex"]
    assert (ledger["recovered"], ledger["lost"], ledger["newly_found_precision"]) == (["p1@42"], [], 0.5)
    assert "regex against strict: 2 newly found (50 % right), 1 recovered, 0 lost" in done.stdout
    lines = (tmp_path / "out" / "samples-regex.csv").read_text().splitlines()
    assert lines[0] == "id,seed,predicted_answer,correct,state,stage,span,flags,part"
    assert lines[2] == "p1,42,1234,true,answered,phrase,30:35,,final"


def test_the_last_line_tells_where_the_files_are_and_whose_scores_they_replace(folder: Path, tmp_path: Path) -> None:
    def last_line(*scorers: str) -> str:
        return run(folder, "--out", tmp_path / "out", "--scorer", *scorers).stdout.splitlines()[-1]

    files = f"written: {tmp_path / 'out'}/: metrics*.json, samples-*.csv, details-*.json, scorers.json"
    assert last_line("seed-compat") == files
    assert last_line("regex") == f"{files}; replaced: strict; left as before: seed-compat"


@pytest.mark.parametrize("scorer", ["regex", "seed-compat"])
def test_scores_of_other_outputs_are_neither_replaced_nor_mixed(folder: Path, tmp_path: Path, scorer: str) -> None:
    out = tmp_path / "out"
    assert run(folder, "--out", out).returncode == 0
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    other = outputs(tmp_path / "other", rs42=[record(0, "7")], rs43=[record(0, "8")])
    done = run(other, "--out", out, "--scorer", scorer)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"error: {out}/details-regex.json: scores of other outputs, or of these before they changed (made): "
        f"expected a folder of its own: --out OUT; or remove {out}\n"
    )
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_a_scorer_of_ones_own_and_a_benchmark_name(folder: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text("part: whole\nstages:\n  - stage: pattern\n    pattern: |-\n      answer is (\\d+)\n")
    done = run(folder, "--scorer", mine, "--benchmark", "named", "--answer-type", "integer", "--out", tmp_path / "out")
    assert done.returncode == 0
    metrics = json.loads((tmp_path / "out" / "metrics-mine.json").read_text())
    assert metrics["named"]["pass@1"]["no_answer"] == 50.0


def test_compressed_outputs_with_fields_missing_are_read(tmp_path: Path) -> None:
    line = (
        json.dumps({"generation": None, "expected_answer": 5})
        + "\n"
        + json.dumps({"generation": "\\boxed{5}", "expected_answer": 5})
        + "\n"
    )
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "output-rs7.jsonl.gz").write_bytes(gzip.compress(line.encode()))
    done = run(tmp_path / "in", "--out", tmp_path / "out")
    assert done.returncode == 0
    assert json.loads((tmp_path / "out" / "metrics.json").read_text())["in"]["pass@1"] == {
        "num_entries": 2, "symbolic_correct": 50.0, "no_answer": 50.0,
    }  # fmt: skip


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_a_compressed_file_that_is_cut_between_two_records_is_refused(tmp_path: Path, suffix: str) -> None:
    lines = b"".join(f"{record(number, os.urandom(9000).hex())}\n".encode() for number in range(20))
    packed = gzip.compress(lines) if suffix == ".gz" else zstandard.compress(lines)
    folder = tmp_path / "in"
    folder.mkdir()
    path = folder / f"output-rs42.jsonl{suffix}"
    path.write_bytes(packed)
    done = run(folder, "--answer-type", "integer", "--out", tmp_path / "whole")
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "in: 20 problems, 1 seed")
    path.write_bytes(packed[:-9])
    done = run(folder, "--answer-type", "integer", "--out", tmp_path / "cut")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert re.search(rf"output-rs42\.jsonl{suffix}:\d+: cut or broken compressed file", done.stderr)


@pytest.mark.parametrize(("lines", "message"), [
    ([record(0, "x"), record(1, "x")[:30]], "output-rs42.jsonl:2: cut or broken line"),
    ([record(0, "x"), record(0, "x")], "output-rs42.jsonl:2: id p0 is on line 1 too"),
    ([record(0, "x"), record(2, "x")], "output-rs43.jsonl:2: problem p1 is not in output-rs42.jsonl"),
    ([record(0, "x"), record(1, "x", "7")], "output-rs43.jsonl:2: p1 is another problem than in output-rs42.jsonl"),
    ([record(0, "x")], "output-rs43.jsonl:2: problem p1 is not in output-rs42.jsonl"),
    ([record(0, "x"), '{"id": "p1", "generation": 5, "expected_answer": "1"}'],
     "output-rs42.jsonl:2: expected a string"),
])  # fmt: skip
def test_unusable_input_is_one_line_and_exit_2(tmp_path: Path, lines: list[str], message: str) -> None:
    folder = outputs(tmp_path / "in", rs42=lines, rs43=[record(0, "x"), record(1, "x")])
    done = run(folder, "--answer-type", "integer", "--out", tmp_path / "out")
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_outputs_without_a_key_are_read_by_hand_and_refused_in_a_run(tmp_path: Path) -> None:
    folder = outputs(tmp_path / "in", rs42=['{"id": "p0", "generation": "The answer is 42."}'])
    done = run(folder, "--answer-type", "integer", "--out", tmp_path / "out")
    assert done.returncode == 0
    assert "1 of 1 problems have no expected_answer" in done.stdout
    assert "p0,42,42,false,answered,phrase" in (tmp_path / "out" / "samples-regex.csv").read_text()
    done = run(*folder.iterdir(), "--alone", "--scorer", "regex", "--answer-type", "integer", "--out", tmp_path / "out")
    assert (done.returncode, "output-rs42.jsonl:1: no expected_answer" in done.stderr) == (2, True)


def test_the_folder_is_never_written_into(folder: Path) -> None:
    done = run(folder, "--out", folder / "out")
    assert done.returncode == 2
    assert "which is only read" in done.stderr


def test_an_unsound_scorer_is_refused_before_anything_is_read(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("stages:\n  - stage: pattern\n    pattern: |-\n      \\boxed\\{(\\d+)\n")
    done = run(folder, "--scorer", tmp_path / "bad.yaml", "--out", tmp_path / "out")
    assert (done.returncode, done.stderr.count("did you mean")) == (2, 1)


def test_error_records_count_as_the_peer_counts_them_and_apart(tmp_path: Path) -> None:
    failed = record(1, "", finish_reason="error", seedbed={"status": "error"})
    folder = outputs(tmp_path / "in", rs42=[record(0, r"\boxed{42}"), failed])
    done = run(
        *folder.iterdir(), "--benchmark", "made", "--answer-type", "integer", "--out-dir", tmp_path / "out",
        command="score",
    )  # fmt: skip
    assert done.returncode == 0
    details = json.loads((tmp_path / "out" / "details-strict.json").read_text())
    assert json.loads((tmp_path / "out" / "metrics.json").read_text())["made"]["pass@1"]["symbolic_correct"] == 50.0
    assert (details["errors"], details["without_errors"]) == (
        1,
        {"samples": 1, "symbolic_correct": 100.0, "no_answer": 0.0},
    )


def test_without_errors_is_one_figure_in_details_and_statistics(tmp_path: Path) -> None:
    failed: dict[str, Any] = {"finish_reason": "error", "seedbed": {"status": "error"}}
    right, wrong = r"\boxed{42}", r"\boxed{7}"
    folder = outputs(
        tmp_path / "in",
        rs42=[record(0, right), record(1, wrong), record(2, "", **failed)],
        rs43=[record(0, right), record(1, "", **failed), record(2, "", **failed)],
    )
    done = run(
        *sorted(folder.iterdir()), "--benchmark", "made", "--answer-type", "integer", "--out-dir", tmp_path / "out",
        command="score",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    details = json.loads((tmp_path / "out" / "details-strict.json").read_text())
    found = without_errors(read_table(tmp_path / "out" / "samples-strict.csv"))
    assert found is not None
    # one problem always right, one wrong in the one sample that came, one never heard of
    assert details["without_errors"] == {"samples": 3, "symbolic_correct": 50.0, "no_answer": 0.0}
    assert (found["samples"], found["pass@1"]["value"], found["no_answer"]["value"]) == (3, 50.0, 0.0)


def test_flags_of_the_record_stand_in_the_table(tmp_path: Path) -> None:
    folder = outputs(tmp_path / "in", rs42=[record(0, r"\boxed{42}", seedbed={"status": "ok", "flags": ["loop"]})])
    assert run(folder, "--out", tmp_path / "out").returncode == 0
    assert (tmp_path / "out" / "samples-regex.csv").read_text().splitlines()[
        1
    ] == "p0,42,42,true,answered,box,7:9,loop,final"


def test_problems_that_should_be_there_are_asked_for(folder: Path, tmp_path: Path) -> None:
    dataset = tmp_path / "test.jsonl"
    dataset.write_text("".join(f"{record(number, None)}\n" for number in range(3)))
    common = ("--benchmark", "made", "--answer-type", "integer", "--out-dir", tmp_path / "out")
    done = run(*folder.iterdir(), *common, "--dataset", dataset, command="score")
    assert (done.returncode, "but the dataset has 3; missing p2" in done.stderr) == (2, True)


def test_a_small_rescore_imports_nothing_heavy(folder: Path, tmp_path: Path) -> None:
    heavy = "('sympy', 'numpy', 'pandas', 'math_verify')"
    code = "import sys; from seedbed.commands.rescore import main; main();"
    code += f"print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder), "--out", str(tmp_path / "out")],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT / "scripts")}, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            b'{"id": "a", "expected_answer": "1", "generation": "x", "num_generated_tokens": 1' + b"0" * 400 + b"}",
            "not a record",
        ),
        (
            b'{"id": "a", "expected_answer": "1", "generation": "x", "o": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
            "too deep",
        ),
        (b'{"id": "a", "expected_answer": "1", "generation": ["x"]}', "expected a string or null"),
    ],
    ids=["huge count", "deep nesting", "list for a text"],
)
def test_a_hostile_record_is_refused_with_its_file_and_line(line: bytes, said: str, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "output-rs42.jsonl").write_bytes(line + b"\n")
    done = run(folder, "--out", tmp_path / "out")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "output-rs42.jsonl:1: " in done.stderr
    assert said in done.stderr


def test_half_a_surrogate_pair_in_a_short_record_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    line = rb'{"id": "a", "expected_answer": "42", "finish_reason": "stop", "generation": "\ud83d \\boxed{42} \udc00"}'
    (folder / "output-rs42.jsonl").write_bytes(line + b"\n")
    assert run(folder, "--out", tmp_path / "out").returncode == 0
    assert (tmp_path / "out" / "samples-regex.csv").read_text().splitlines()[1].startswith("a,42,42,true,answered,box")


def test_a_scorer_that_cannot_find_such_answers_says_so_instead_of_a_figure(tmp_path: Path) -> None:
    rows = [
        {
            "id": f"p{number}",
            "expected_answer": "B",
            "generation": "Answer: B",
            "options": ["x", "y"],
            "finish_reason": "stop",
        }
        for number in range(3)
    ]
    (tmp_path / "output-rs42.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = ["--scorer", "seed-compat", "regex", "--answer-type", "choice", "--out", str(tmp_path / "out")]
    done = run(tmp_path / "output-rs42.jsonl", *words)
    assert done.returncode == 0, done.stderr
    assert "seed-compat  does not fit this answer type" in done.stdout
    assert "seed-compat against" not in done.stdout
    assert "regex against strict: " in done.stdout
    details = json.loads((tmp_path / "out" / "details-seed-compat.json").read_text())
    assert details["fits"] is False
    assert set(json.loads((tmp_path / "out" / "scorers.json").read_text())) == {"regex"}
    assert compare_scorers(tmp_path / "out", ["strict", "seed-compat", "regex"]).keys() == {"regex"}


def test_the_table_says_when_a_scorer_loses_more_than_it_recovers_or_does_not_fit() -> None:
    row = {"seeds": 1, "pass@1": 50.0, "no_answer": 0.0, "recovered": None, "lost": None, "scorer": "strict"}
    row |= dict.fromkeys(f"across_{what}_{end}" for what in ("problems", "seeds") for end in ("low", "high"))
    rows = [row, row | {"recovered": 1, "lost": 4}, row | {"recovered": 4, "lost": 1}, row | {"pass@1": None}]
    lines = dict(measures(rows))
    assert lines["recovered, lost"] == ["", "+1 −4 loses more", "+4 −1", ""]
    assert lines["pass@1"] == ["50.0 %", "50.0 %", "50.0 %", "does not fit"]
