"""Imported outputs in the workflow: scored, compared, judged and told like any, and never generated."""

import json
import re
import shutil
from pathlib import Path

import pytest
import yaml

from tests.shared import SHARED
from tests.workflow.workplace import ROOT, Ran, Workplace

OUTPUTS = ROOT / "tests" / "unit" / "outputs"
SUMS = OUTPUTS / "nemo-skills" / "old-model" / "eval-results" / "sums"
SGL = OUTPUTS / "sgl-eval" / "sgl_eval_sums_20260401-120000"
AIME25 = SHARED / "outputs" / "aime25"


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    """Return a workplace without anything in it."""
    return Workplace.made(tmp_path, {})


def take(place: Workplace, folder: Path, form: str, *more: str, code: int = 0) -> str:
    """Import outputs and score them; returns what was printed."""
    done = place.module("import_outputs", str(folder), "--from", form, *more)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def again(place: Workplace, *words: str) -> Ran:
    """Run Snakemake by the configuration that the import has written."""
    place.config = yaml.safe_load((place.results / "config.yaml").read_text())
    return place.run(*words)


def strict(folder: Path) -> dict[str, dict[str, float]]:
    """Return the strict metrics of a folder of outputs."""
    block: dict[str, dict[str, float]] = json.loads((folder / "metrics.json").read_text())[folder.name]
    return block


def test_an_imported_folder_is_scored_and_its_own_metrics_are_confirmed(place: Workplace) -> None:
    printed = take(place, SUMS, "nemo-skills")
    folder = place.outputs("old-model", "sums")
    assert strict(folder)["pass@1[avg-of-2]"]["symbolic_correct"] == 50.0
    assert "sums / old-model: COMPLETE 2×5, strict pass@1 50.0 %, truncated 2, imported (nemo-skills)" in printed
    theirs = json.loads((SUMS / "metrics.json").read_text())["sums"]
    count = sum(name in ("symbolic_correct", "no_answer") for mode in theirs.values() for name in mode)
    assert f"metrics.json: {count - 2} figures are as the strict recount has them" in printed  # no avg-of-1 here
    assert "differs" not in printed
    assert json.loads((folder / "imported.json").read_text())["judged_otherwise"] == []
    assert (place.results / "summary.csv").read_text().count("old-model,sums,") == 2
    assert json.loads((folder / "statistics.json").read_text())["scorers"]["strict"]["problems"] == 5
    record = json.loads((place.results / "run.json").read_text())
    assert record["provenance"]["models"]["old-model"]["imported"]["sums"]["source"] == str(SUMS)


def test_metrics_that_the_strict_recount_does_not_confirm_are_told(place: Workplace, tmp_path: Path) -> None:
    source = Path(shutil.copytree(SUMS, tmp_path / "old"))
    told = json.loads((source / "metrics.json").read_text())
    told["sums"]["pass@2"]["symbolic_correct"] = 90.0
    (source / "metrics.json").write_text(json.dumps(told))
    path = source / "output-rs0.jsonl"
    path.write_text(path.read_text().replace('"symbolic_correct": true', '"symbolic_correct": false', 1))
    printed = take(place, source, "nemo-skills", "--model", "old", "--benchmark", "sums")
    assert "differs from the strict recount: pass@2 symbolic_correct 90.00, here 80.00" in printed
    assert "judged otherwise than the records say (symbolic_correct): sums-0@0" in printed


def test_nothing_runs_again_but_what_a_changed_scorer_concerns(place: Workplace) -> None:
    take(place, SUMS, "nemo-skills")
    assert again(place, "--dry-run").jobs == {}
    path = place.project / "config" / "scorers" / "regex.yaml"
    path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text()) | {"timeout": 3.0}))
    ran = again(place)
    assert (ran.code, ran.jobs) == (0, {"rescore": 1, "tabulate": 1}), ran.text


def test_no_run_generates_or_removes_an_imported_output(place: Workplace) -> None:
    take(place, SUMS, "nemo-skills")
    folder = place.outputs("old-model", "sums")
    before = {path.name: path.read_bytes() for path in folder.glob("output-rs*")}
    assert again(place, "--forceall").jobs == {"prepare_dataset": 1, "score": 1, "rescore": 1, "tabulate": 1}
    for words in (["--forcerun", "generate"], ["--delete-all-output"], [str(folder / "output-rs7.jsonl")]):
        again(place, *words)
        assert {path.name: path.read_bytes() for path in folder.glob("output-rs*")} == before
    assert again(place).code == 0
    (folder / "output-rs1.jsonl").unlink()
    ran = again(place)
    assert ran.code == 1
    assert "output-rs1.jsonl: no such file, and nothing is generated for 'old-model': import it again" in ran.text
    told = place.module("summary")
    assert told.returncode == 1
    assert "INVALID: seed 1 missing: no longer among the imported outputs" in told.stdout


def test_an_imported_output_that_was_changed_is_refused(place: Workplace) -> None:
    take(place, SUMS, "nemo-skills")
    path = place.outputs("old-model", "sums") / "output-rs1.jsonl"
    path.write_text(path.read_text() + " ")
    ran = again(place)
    assert ran.code == 1
    assert f"it was imported from {SUMS / 'output-rs1.jsonl'}; remove its folder and import it again" in ran.text


def test_unknown_ends_and_tokens_are_told_as_unknown_and_no_gate_counts_them(place: Workplace) -> None:
    columns = "id=key,problem=question,expected_answer=gold,generation=answer_text,seed=run"
    words = ["--model", "m", "--benchmark", "sums", "--columns", columns]
    printed = take(place, OUTPUTS / "simple" / "answers.jsonl", "simple", *words)
    assert "sums / m: COMPLETE 2×5, strict pass@1 50.0 %, truncated unknown, imported (simple)" in printed
    folder = place.outputs("m", "sums")
    details = json.loads((folder / "details-strict.json").read_text())
    assert (details["truncated"], details["tokens_unknown"]) == (None, 10)
    figures = json.loads((folder / "statistics.json").read_text())["scorers"]["strict"]
    assert (figures["truncated"], figures["tokens"]) == (None, None)
    assert "avg_tokens" not in strict(folder)["pass@1"]
    run = json.loads((place.results / "run.json").read_text())["outputs"]["m/sums"]
    assert (run["samples"], run["tokens"]) == (10, None)
    judged = place.module("gate", str(folder), "--require", "truncated <= 50 %")
    assert (judged.returncode, "truncated was not counted" in judged.stdout) == (3, True)


def test_failed_requests_of_sgl_eval_count_as_errors_not_as_wrong_answers(place: Workplace) -> None:
    printed = take(place, SGL, "sgl-eval", code=1)
    assert "INVALID: error: sums-2 of seed 1" in printed
    assert place.coverage("Tiny-1B", "sums")["counts"]["error"] == 1
    place.config = yaml.safe_load((place.results / "config.yaml").read_text())
    place.config["errors"]["max_failed_fraction"] = 0.1
    ran = place.run()
    assert ran.code == 0, ran.text
    assert (
        "sums / Tiny-1B: PARTIAL 2×5, strict pass@1 60.0 %, truncated 1, error 1, truncated unknown for 1" in ran.text
    )


def test_an_incomplete_import_is_told_with_what_it_lacks(place: Workplace, tmp_path: Path) -> None:
    source = Path(shutil.copytree(SUMS, tmp_path / "old"))
    path = source / "output-rs1.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:4]))
    printed = take(place, source, "nemo-skills", "--model", "old", "--benchmark", "sums", code=1)
    assert "sums / old: INVALID: missing: sums-4 of seed 1: no record" in printed


def test_imported_models_are_compared_and_judged_by_gates(place: Workplace, tmp_path: Path) -> None:
    take(place, SUMS, "nemo-skills")
    take(place, SUMS, "nemo-skills", "--model", "other", "--seeds", "1")
    take(place, SUMS, "nemo-skills", "--model", "other", "--benchmark", "more")
    compared = place.module("compare", "old-model", "other", "--benchmark", "sums")
    assert compared.returncode == 0, compared.stderr
    assert "a 50.0 %, b 60.0 %" in compared.stdout
    assert "5 problems × 2 and 1 samples" in compared.stdout
    config = yaml.safe_load((place.results / "config.yaml").read_text())
    config["comparisons"] = [{"a": "old-model/sums", "b": "other/sums"}]
    config["gates"] = [{"require": "verdict = COMPLETE"}]
    place.config = config
    ran = place.run()
    assert ran.code == 0, ran.text
    assert ran.jobs == {"compare": 1, "gate": 1}
    assert "gate: PASS: 3 of 3 criteria pass" in ran.text
    assert (place.results / "comparisons" / "old-model.sums-vs-other.sums.json").is_file()


def test_a_model_of_a_run_is_not_asked_the_problems_of_imported_outputs(place: Workplace) -> None:
    take(place, SUMS, "nemo-skills", "--benchmark", "warmup")
    place.config = {"models": {"m": {"endpoint": "http://127.0.0.1:9/v1"}}, "benchmarks": ["warmup"]}
    ran = place.run("--dry-run")
    assert ran.code == 1
    assert "resources/warmup holds the problems of imported outputs, not those of the benchmark's source" in ran.text


@pytest.mark.needs_shared("outputs/aime25")
def test_real_outputs_are_adopted_as_their_publisher_judged_them(place: Workplace) -> None:
    printed = take(place, AIME25, "nemo-skills", "--model", "four")
    assert "aime25 / four: COMPLETE 4×30, strict pass@1 5.0 %, truncated 12, imported (nemo-skills)" in printed
    folder = place.outputs("four", "aime25")
    details = json.loads((folder / "details-strict.json").read_text())
    assert (details["samples"], details["symbolic_correct"]) == (120, 5.0)  # 6 of 120
    published = {
        f"{row['id']}@{seed}"
        for seed in range(42, 46)
        for row in map(json.loads, (AIME25 / f"output-rs{seed}.jsonl").read_text().splitlines())
        if row["published_correct"]
    }
    table = (folder / "samples-strict.csv").read_text().splitlines()[1:]
    right = {"@".join(row.split(",")[:2]) for row in table if row.split(",")[3] == "true"}
    assert len(published) == 6
    assert right == published
    done = place.module("rescore", str(folder), "--scorer", "seed-compat")
    assert done.returncode == 0, done.stderr
    compared = place.module("compare", "four/aime25/strict", "four/aime25/regex")
    assert "a 5.0 %, b 5.0 %" in compared.stdout


def test_the_report_of_imported_outputs_shows_unknown_as_unknown(place: Workplace) -> None:
    columns = "id=key,problem=question,expected_answer=gold,generation=answer_text,seed=run"
    words = ["--model", "m", "--benchmark", "sums", "--columns", columns]
    take(place, OUTPUTS / "simple" / "answers.jsonl", "simple", *words)
    page = (place.results / "report.html").read_text()
    (told,) = re.findall(r'"line":"(sums / m: [^"]*)"', page)
    assert told == "sums / m: COMPLETE 2\\u00d75, strict pass@1 50.0 %, truncated unknown, imported (simple)"
    assert '"prompt":null' in page
    assert "ended by themselves" not in page
    assert re.findall(r'"mean_tokens":([^,]*),', page) == ["null"]
