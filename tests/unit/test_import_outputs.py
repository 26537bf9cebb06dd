"""Existing outputs taken over: what is copied, what is marked as unknown, what is refused. Scoring: tests/workflow."""

import gzip
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from seedbed.commands.import_outputs import main
from seedbed.core.errors import InputError
from seedbed.interop.outputs import cross_check
from seedbed.records.coverage import cover
from seedbed.records.dataset import read_ids

OUTPUTS = Path(__file__).parent / "outputs"
OLD = OUTPUTS / "nemo-skills" / "old-model"
SUMS = OLD / "eval-results" / "sums"
SGL = OUTPUTS / "sgl-eval" / "sgl_eval_sums_20260401-120000"
ANSWERS = OUTPUTS / "simple" / "answers.jsonl"
COLUMNS = "id=key,problem=question,expected_answer=gold,generation=answer_text,seed=run"

Import = Callable[..., Path]


@pytest.fixture
def take(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Import:
    """Return what imports into a fresh working folder, without scoring, and returns the folder of outputs."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")

    def take(folder: Path, form: str, *more: str) -> Path:
        assert main([str(folder), "--from", form, "--copy-only", *more]) == 0
        return next(path.parent for path in Path("results").glob("*/eval-results/*/imported.json"))

    return take


def copied(tmp_path: Path, source: Path = SUMS) -> Path:
    """Return a copy of outputs that a test may spoil."""
    return Path(shutil.copytree(source, tmp_path / "old" / "eval-results" / "sums"))


def lines(path: Path) -> list[dict[str, Any]]:
    """Return the records of a file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def record(folder: Path) -> dict[str, Any]:
    """Return imported.json of a folder."""
    told: dict[str, Any] = json.loads((folder / "imported.json").read_text())
    return told


def coverage(folder: Path, *seeds: int) -> dict[str, Any]:
    """Return the coverage of imported outputs."""
    return cover(folder, read_ids(Path("resources") / folder.name / "test.jsonl"), seeds, 0.0)


@pytest.mark.parametrize("root", [SUMS, SUMS.parent, OLD], ids=["benchmark", "eval-results", "model"])
def test_outputs_of_nemo_skills_are_copied_byte_by_byte_under_their_own_names(take: Import, root: Path) -> None:
    before = {path: path.read_bytes() for path in OLD.rglob("*") if path.is_file()}
    folder = take(root, "nemo-skills")
    assert folder == Path("results/old-model/eval-results/sums")
    for seed in (0, 1):
        assert (folder / f"output-rs{seed}.jsonl").read_bytes() == (SUMS / f"output-rs{seed}.jsonl").read_bytes()
    assert {path: path.read_bytes() for path in OLD.rglob("*") if path.is_file()} == before
    told = record(folder)
    assert [(file["seed"], file["records"]) for file in told["files"]] == [(0, 5), (1, 5)]
    assert told["unknown"] == {"finish_reason": 0, "num_generated_tokens": 0, "times": 0}
    assert told["not_told"] == ["sampling", "prompt", "server"]
    config = yaml.safe_load(Path("results/config.yaml").read_text())
    assert config["models"]["old-model"]["imported"] is True
    assert config["benchmarks"] == [str(Path("resources/sums/sums.yaml").resolve())]
    assert config["scorers"] == ["strict", "regex"]


def test_the_problems_of_a_new_benchmark_become_its_dataset(take: Import) -> None:
    take(SUMS, "nemo-skills")
    rows = lines(Path("resources/sums/test.jsonl"))
    assert rows[0] == {"id": "sums-0", "problem": "What is 2 plus 5?", "expected_answer": "7"}
    assert [row["id"] for row in rows] == [f"sums-{number}" for number in range(5)]
    assert yaml.safe_load(Path("resources/sums/sums.yaml").read_text())["answer_type"] == "integer"


@pytest.mark.parametrize("ending", [".gz", ".zst"])
def test_compressed_outputs_are_copied_plain(take: Import, tmp_path: Path, ending: str) -> None:
    source = copied(tmp_path)
    for path in source.glob("*.jsonl"):
        if ending == ".gz":
            path.with_name(path.name + ending).write_bytes(gzip.compress(path.read_bytes()))
        else:
            import zstandard

            path.with_name(path.name + ending).write_bytes(zstandard.compress(path.read_bytes()))
        path.unlink()
    folder = take(source, "nemo-skills")
    assert (folder / "output-rs1.jsonl").read_bytes() == (SUMS / "output-rs1.jsonl").read_bytes()


def test_a_partial_file_loses_its_cut_line_and_what_it_lacks_is_missing(
    take: Import, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = copied(tmp_path)
    told = lines(source / "output-rs1.jsonl")
    order = [3, 0, 4, 2]
    text = "".join(json.dumps(told[number] | {"_async_position": number}) + "\n" for number in order)
    (source / "output-rs1.jsonl-async").write_text(text + json.dumps(told[1])[:40])
    for name in ("output-rs1.jsonl", "output-rs1.jsonl.done"):
        (source / name).unlink()
    folder = take(source, "nemo-skills")
    assert [row["id"] for row in lines(folder / "output-rs1.jsonl")] == [f"sums-{number}" for number in order]
    assert all("_async_position" not in row for row in lines(folder / "output-rs1.jsonl"))
    printed = capsys.readouterr().out
    assert "output-rs1.jsonl-async:5: the last line is cut; it is dropped, its sample counts as missing" in printed
    assert "seed 1: 1 of 5 problems are missing" in printed
    found = coverage(folder, 0, 1)
    assert (found["verdict"], found["counts"]["missing"]) == ("INVALID", 1)
    assert [(cell["seed"], cell["id"]) for cell in found["not_ok"] if cell["status"] == "missing"] == [(1, "sums-1")]


def test_records_without_ids_are_told_apart_by_their_problems_then_by_position(take: Import, tmp_path: Path) -> None:
    source = copied(tmp_path)
    for path in source.glob("*.jsonl"):
        rows = [{key: value for key, value in row.items() if key != "id"} for row in lines(path)]
        rows = rows[::-1] if path.name == "output-rs1.jsonl" else rows
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    folder = take(source, "nemo-skills", "--benchmark", "mine")
    first, second = lines(folder / "output-rs0.jsonl"), lines(folder / "output-rs1.jsonl")
    assert [row["id"] for row in first] == [f"mine-{number}" for number in range(5)]
    assert {row["id"]: row["problem"] for row in first} == {row["id"]: row["problem"] for row in second}
    assert second[0]["id"] == "mine-4"


def test_a_single_output_without_a_seed_is_seed_0_and_told(
    take: Import, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "old").mkdir()
    shutil.copy(SUMS / "output-rs0.jsonl", tmp_path / "old" / "output.jsonl")
    folder = take(tmp_path / "old", "nemo-skills", "--model", "m", "--benchmark", "sums")
    assert [file["seed"] for file in record(folder)["files"]] == [0]
    assert "output.jsonl has no seed in its name; it is imported as seed 0" in capsys.readouterr().out


def test_sgl_eval_has_its_zeros_for_unknown_taken_out(take: Import) -> None:
    folder = take(SGL, "sgl-eval")
    assert folder == Path("results/Tiny-1B/eval-results/sums")
    untold = lines(folder / "output-rs1.jsonl")[0]
    assert untold["generation"] == "Then \\boxed{13}"
    assert not {"finish_reason", "num_generated_tokens", "num_answer_tokens", "num_reasoning_tokens"} & set(untold)
    thought = {row["id"]: row for row in lines(folder / "output-rs0.jsonl")}["sums-4"]
    assert (thought["num_generated_tokens"], "num_reasoning_tokens" in thought) == (22, False)
    # four lines need no change, and stand as they did, with all their characters
    before, after = ((where / "output-rs1.jsonl").read_bytes().splitlines() for where in (SGL, folder))
    assert before[1:] == after[1:]
    told = record(folder)
    assert told["unknown"] == {"finish_reason": 1, "num_generated_tokens": 1, "times": 1}
    assert told["sampling"]["temperature"] == 1.0
    assert [row["id"] for row in lines(Path("resources/sums/test.jsonl"))] == [f"sums-{n}" for n in range(5)]
    found = coverage(folder, 0, 1)
    assert (found["counts"]["error"], found["unknown"]) == (1, {"finish_reason": 1, "tokens": 1, "loops": 10})
    assert {name: output["tokens"] for name, output in found["outputs"].items()} == {
        "output-rs0.jsonl": 172, "output-rs1.jsonl": None,
    }  # fmt: skip


def test_an_interrupted_sgl_eval_run_lacks_what_it_had_not_written(take: Import, tmp_path: Path) -> None:
    source = copied(tmp_path, SGL)
    text = (source / "output-rs0.jsonl").read_text(encoding="utf-8")
    (source / "output-rs0.jsonl").write_text(text[:-30], encoding="utf-8")
    folder = take(source, "sgl-eval")
    assert [file["records"] for file in record(folder)["files"]] == [4, 5]
    assert coverage(folder, 0, 1)["counts"]["missing"] == 1


def test_named_columns_become_our_fields_and_what_is_not_told_stays_unknown(take: Import) -> None:
    folder = take(ANSWERS, "simple", "--model", "m", "--benchmark", "sums", "--columns", COLUMNS)
    assert [(file["seed"], file["records"]) for file in record(folder)["files"]] == [(7, 5), (8, 5)]
    first = lines(folder / "output-rs7.jsonl")[0]
    assert first == {
        "id": 0, "problem": "What is 2 plus 5?", "expected_answer": 7, "seed": 7, "generation": "So it is \\boxed{7}.",
    }  # fmt: skip
    assert record(folder)["unknown"] == {"finish_reason": 10, "num_generated_tokens": 10, "times": 10}
    found = coverage(folder, 7, 8)
    assert (found["verdict"], found["unknown"]["finish_reason"]) == ("COMPLETE", 10)


def test_files_without_a_seed_are_numbered_by_name_and_told(
    take: Import, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "two").mkdir()
    for name, seed in (("b.jsonl", 7), ("a.jsonl", 8)):
        rows = [row for row in lines(ANSWERS) if row["run"] == seed]
        (tmp_path / "two" / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    columns = COLUMNS.removesuffix(",seed=run")
    folder = take(tmp_path / "two", "simple", "--model", "m", "--columns", columns)
    assert [file["seed"] for file in record(folder)["files"]] == [0, 1]
    assert lines(folder / "output-rs0.jsonl")[0]["run"] == 8
    assert "a.jsonl has no seed in its name; it is imported as seed 0" in capsys.readouterr().out


def test_a_second_model_joins_the_first_and_is_checked_against_its_problems(take: Import, tmp_path: Path) -> None:
    take(SUMS, "nemo-skills")
    take(SUMS, "nemo-skills", "--model", "b")
    config = yaml.safe_load(Path("results/config.yaml").read_text())
    assert list(config["models"]) == ["old-model", "b"]
    assert len(config["benchmarks"]) == 1
    source = copied(tmp_path)
    path = source / "output-rs0.jsonl"
    path.write_text(path.read_text().replace('"expected_answer": "9"', '"expected_answer": "8"'))
    with pytest.raises(InputError, match=r"output-rs0.jsonl:2: sums-1: expected_answer .8., where .* has .9."):
        main([str(source), "--from", "nemo-skills", "--model", "c"])
    assert not list(Path("results/c").rglob("output*"))


def test_a_shipped_benchmark_is_checked_against_its_prepared_rows(take: Import, tmp_path: Path) -> None:
    Path("resources/warmup").mkdir(parents=True)
    rows = [{"id": f"sums-{n}", "problem": f"What is {n + 2} plus {n + 5}?", "expected_answer": str(2 * n + 7)}
            for n in range(4)]  # fmt: skip
    Path("resources/warmup/test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(InputError, match=r"output-rs0.jsonl:5: 'sums-4' is not in resources/warmup/test.jsonl"):
        take(SUMS, "nemo-skills", "--benchmark", "warmup")
    rows += [{"id": "sums-4", "problem": "Six and nine?", "expected_answer": "15"}]
    Path("resources/warmup/test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    folder = take(SUMS, "nemo-skills", "--benchmark", "warmup")
    assert record(folder)["rows"] == "resources/warmup/test.jsonl"
    assert record(folder)["remarks"] == [
        "1 problems are worded otherwise than in resources/warmup/test.jsonl; ids and answers agree"
    ]
    assert yaml.safe_load(Path("results/config.yaml").read_text())["benchmarks"] == ["warmup"]


def test_rows_of_a_shipped_benchmark_taken_from_outputs_are_marked_as_such(take: Import) -> None:
    take(SUMS, "nemo-skills", "--benchmark", "warmup")
    assert json.loads(Path("resources/warmup/source.json").read_text())["source"] == {"imported": str(SUMS)}


def test_the_configuration_of_a_run_is_not_touched(take: Import, capsys: pytest.CaptureFixture[str]) -> None:
    Path("results").mkdir()
    own = "models: {m: {endpoint: 'http://127.0.0.1:9/v1'}}\nbenchmarks: [warmup]\n"
    Path("results/config.yaml").write_text(own)
    take(SUMS, "nemo-skills")
    assert Path("results/config.yaml").read_text() == own
    assert "add to your own configuration models: old-model: {imported: true}" in capsys.readouterr().out


def spoiled(tmp_path: Path, change: Callable[[list[bytes]], None]) -> Path:
    """Return a copy of outputs of which the lines of the second seed were changed."""
    source = copied(tmp_path)
    path = source / "output-rs1.jsonl"
    content = path.read_bytes().splitlines(keepends=True)
    change(content)
    path.write_bytes(b"".join(content))
    return source


@pytest.mark.parametrize(("change", "message"), [
    (lambda rows: rows.__setitem__(4, rows[4][:60]), "output-rs1.jsonl:5: cut or broken line"),
    (lambda rows: rows.__setitem__(2, rows[2].replace(b"plus", b"pl\xffus")), "output-rs1.jsonl:3: not UTF-8"),
    (lambda rows: rows.append(rows[0]), "output-rs1.jsonl:6: id sums-0 is at "),
    (lambda rows: rows.__setitem__(0, rows[0].replace(b"plus", b"minus")), ":1: sums-0 is another problem than at "),
    (lambda rows: rows.__setitem__(0, rows[0].replace(b'"expected_answer": "7"', b'"expected_answer": "8"')),
     ":1: sums-0: expected_answer '8', where "),
    (lambda rows: rows.__setitem__(0, b'{"id": "sums-0", "expected_answer": "7"}\n'), ":1: no generation"),
    (lambda rows: rows.__setitem__(0, b'{"id": "sums-0", "expected_answer": "7", "generation": ["a"]}\n'),
     ":1: generation: expected a string or null"),
    (lambda rows: rows.__setitem__(0, b"[1]\n"), "output-rs1.jsonl:1: not a record"),
    (lambda rows: rows.clear(), "output-rs1.jsonl:1: empty"),
])  # fmt: skip
def test_unusable_outputs_are_one_line_and_nothing_is_left_behind(
    take: Import, tmp_path: Path, change: Callable[[list[bytes]], None], message: str
) -> None:
    source = spoiled(tmp_path, change)
    with pytest.raises(InputError) as found:
        take(source, "nemo-skills")
    assert message in str(found.value)
    assert "\n" not in str(found.value)
    assert [path for path in Path().rglob("*") if path.is_file()] == []


def test_a_missing_seed_is_told_and_can_be_left_out_by_name(take: Import, tmp_path: Path) -> None:
    source = copied(tmp_path)
    shutil.copy(source / "output-rs1.jsonl", source / "output-rs3.jsonl")
    with pytest.raises(InputError, match=r"seed 2 is missing between 0 and 3: say --seeds 0,1,3"):
        take(source, "nemo-skills")
    folder = take(source, "nemo-skills", "--seeds", "0-1,3")
    assert [file["seed"] for file in record(folder)["files"]] == [0, 1, 3]
    with pytest.raises(InputError, match=r"seed 2 is missing; found 0,1,3"):
        take(source, "nemo-skills", "--model", "b", "--seeds", "2")


@pytest.mark.parametrize(("words", "message"), [
    (["--from", "simple", "--columns", "generation=text"], r"answers.jsonl:1: no column 'text'"),
    (["--from", "simple", "--columns", "tokenz=n"], r"--columns: found 'tokenz=n'; did you mean 'tokens'\?"),
    (["--from", "simple", "--columns", "generation=answer_text,id=key,expected_answer=gold"],
     r"answers.jsonl:6: id 0 is at .*answers.jsonl:1 too.*--columns seed=NAME"),
    (["--from", "simple", "--columns", "generation=answer_text,id=key"], r"answers.jsonl:1: no expected_answer"),
    (["--from", "simple"], r"answers.jsonl:1: no generation; expected --columns generation=NAME, one of: key"),
    (["--from", "nemo-skills"], r"answers.jsonl: found a file; expected the folder"),
    (["--from", "simple", "--model", "a b"], r"--model: found 'a b'; expected a name"),
    *((["--from", "simple", "--seeds", text], rf"--seeds: found '{text}'; expected numbers and ranges")
      for text in ("x", "5-2", "\u00b2", "\u0661", "0-999999999", "-1", "1-")),
    *((["--from", "simple", "--model", name], rf"--model: found '{name}'; expected a name")
      for name in ("__proto__", "report-data", "comparisons")),
    (["--from", "simple", "--results", "elsewhere"], r"expected a path that ends in /results"),
])  # fmt: skip
def test_unusable_words_are_told(take: Import, words: list[str], message: str) -> None:
    model = [] if "--model" in words else ["--model", "m"]
    with pytest.raises(InputError, match=message):
        main([str(ANSWERS), *words, *model, "--benchmark", "sums", "--copy-only"])


def test_outputs_that_are_there_already_are_not_overwritten(take: Import) -> None:
    take(SUMS, "nemo-skills")
    with pytest.raises(InputError, match="results/old-model/eval-results/sums already exists"):
        take(SUMS, "nemo-skills")


def test_what_is_left_out_of_a_folder_is_told(take: Import, tmp_path: Path) -> None:
    source = copied(tmp_path)
    for name in ("judged.jsonl", "output-rs1.jsonl-async", "output.jsonl"):
        shutil.copy(source / "output-rs0.jsonl", source / name)
    assert record(take(source, "nemo-skills"))["remarks"] == [
        "output-rs1.jsonl-async is left out: output-rs1.jsonl is finished",
        "output.jsonl is left out: its name has no seed",
        "judged.jsonl is left out: it is no output of a seed, though NeMo-Skills counts it as one",
    ]


def test_outputs_whose_folder_was_removed_can_be_imported_again(take: Import) -> None:
    shutil.rmtree(take(SUMS, "nemo-skills"))
    take(SUMS, "nemo-skills", "--model", "b", "--seeds", "1")
    assert list(yaml.safe_load(Path("results/config.yaml").read_text())["models"]) == ["b"]
    take(SUMS, "nemo-skills", "--seeds", "0")
    assert list(yaml.safe_load(Path("results/config.yaml").read_text())["models"]) == ["b", "old-model"]


def test_a_folder_without_outputs_and_a_chunk_of_a_seed_are_refused(take: Import, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"found no output-rs\*.jsonl"):
        take(OUTPUTS / "simple", "nemo-skills")
    (tmp_path / "chunks").mkdir()
    shutil.copy(SUMS / "output-rs0.jsonl", tmp_path / "chunks" / "output-rs0_chunk_0.jsonl")
    with pytest.raises(InputError, match=r"output-rs0_chunk_0.jsonl: a chunk of a seed"):
        take(tmp_path / "chunks", "nemo-skills", "--model", "m")


def test_a_file_that_was_changed_since_it_was_finished_is_refused(take: Import, tmp_path: Path) -> None:
    folder = take(SUMS, "nemo-skills")
    path = folder / "output-rs0.jsonl"
    path.write_text(path.read_text() + "\n")
    with pytest.raises(InputError, match=r"bytes, \d+ when it was finished: it was imported from .*import it again"):
        main([str(folder), "--from", "nemo-skills", "--model", "again", "--copy-only"])


def test_half_a_surrogate_pair_in_a_record_is_kept(take: Import, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in ANSWERS.read_text().splitlines()[:1]]
    text = json.dumps(rows[0] | {"answer_text": "PLACE \\boxed{7}"}).replace("PLACE", "\\ud83d")
    (tmp_path / "a.jsonl").write_text(text + "\n")
    folder = take(tmp_path / "a.jsonl", "simple", "--model", "m", "--benchmark", "sums", "--columns", COLUMNS)
    assert lines(folder / "output-rs7.jsonl")[0]["generation"] == "\ud83d \\boxed{7}"


def test_half_a_surrogate_pair_in_an_id_is_refused(take: Import, tmp_path: Path) -> None:
    row = json.loads(ANSWERS.read_text().splitlines()[0]) | {"key": "\ud83d"}
    (tmp_path / "a.jsonl").write_text(json.dumps(row) + "\n")
    with pytest.raises(InputError, match=r"a.jsonl:1: id: found '\\ud83d'; expected whole characters"):
        take(tmp_path / "a.jsonl", "simple", "--model", "m", "--benchmark", "sums", "--columns", COLUMNS)


def test_a_gap_between_far_seeds_is_told_at_once(take: Import, tmp_path: Path) -> None:
    source = copied(tmp_path)
    shutil.copy(source / "output-rs1.jsonl", source / f"output-rs{10**15}.jsonl")
    with pytest.raises(InputError, match=rf"seed 2 is missing between 0 and {10**15}: say --seeds 0,1,{10**15}"):
        take(source, "nemo-skills")


def test_a_seed_in_other_digits_is_left_out(take: Import, tmp_path: Path) -> None:
    source = copied(tmp_path)
    shutil.copy(source / "output-rs1.jsonl", source / "output-rs\u0662.jsonl")
    told = record(take(source, "nemo-skills"))
    assert [file["seed"] for file in told["files"]] == [0, 1]
    assert any("output-rs\u0662.jsonl is left out" in remark for remark in told["remarks"])


def test_nothing_is_imported_into_a_model_whose_outputs_are_generated(take: Import) -> None:
    Path("results").mkdir()
    Path("results/config.yaml").write_text(
        'models: {mine: {endpoint: "http://127.0.0.1:9/v1"}}\nbenchmarks: [aime25]\n'
    )
    with pytest.raises(InputError, match=r"--model: found 'mine', a model of the run in results/config.yaml"):
        take(SUMS, "nemo-skills", "--model", "mine")
    assert [path.name for path in Path().rglob("*") if path.is_file()] == ["config.yaml"]


def test_odd_parameters_of_sgl_eval_name_its_file_and_leave_nothing_behind(take: Import, tmp_path: Path) -> None:
    source = Path(shutil.copytree(SGL, tmp_path / SGL.name))
    told = json.loads((source / "metrics.json").read_text())
    (source / "metrics.json").write_text(json.dumps(told | {"gen": {"temperature": "hot"}}))
    with pytest.raises(InputError, match=r"metrics.json: gen.temperature: found 'hot'; expected number"):
        take(source, "sgl-eval", "--model", "m")
    assert [path for path in Path().rglob("*") if path.is_file()] == []


def test_the_metrics_beside_outputs_are_read_in_both_layouts() -> None:
    theirs = cross_check.said(SUMS / "metrics.json", "nemo-skills", "sums")
    assert theirs["pass@1[avg-of-2]"] == {"symbolic_correct": 50.0, "no_answer": 40.0}
    assert cross_check.said(SGL / "metrics.json", "sgl-eval", "sums") == {
        "pass@1[avg-of-2]": {"symbolic_correct": 60.0, "no_answer": 30.0},
        "pass@2": {"symbolic_correct": 80.0},
        "majority@2": {"symbolic_correct": 80.0},
    }
    with pytest.raises(InputError, match=r"output-rs0.jsonl: JSONDecodeError.*expected the metrics of nemo-skills"):
        cross_check.said(SUMS / "output-rs0.jsonl", "nemo-skills", "sums")


def test_the_command_ends_with_2_and_one_line(tmp_path: Path) -> None:
    import os
    import sys

    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-m", "seedbed", "import_outputs", "nowhere", "--from", "simple"],
        capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(root / "scripts")},
    )  # fmt: skip
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "nowhere: there is no such folder" in done.stderr
