"""What a run says of itself: an exit code and a line that follow the files, whatever happened before."""

import gzip
import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from seedbed.records.outputs import seal
from tests.client.stub_server import Ask, Reply, StubServer, refusal, streamed
from tests.workflow.conftest import answer
from tests.workflow.workplace import ROOT, Workplace, benchmark_file, server_file


@pytest.fixture
def place(tmp_path: Path, stub: StubServer) -> Workplace:
    """Return a workplace with one model behind the stub and one benchmark of three rows."""
    return small(tmp_path, stub)


def small(tmp_path: Path, stub: StubServer, rows: int = 3, **changes: Any) -> Workplace:
    """Return a small workplace, its configuration changed."""
    config = {
        "models": {"m": {"endpoint": stub.url, "served_name": "stub"}},
        "benchmarks": [str(benchmark_file(tmp_path / "own", "sums", rows))],
        "seeds": {"start": 42, "count": 2},
        "sampling": {"temperature": 1.0, "max_tokens": 64},
        "retries": {"attempts": 2, "backoff": 0.05, "backoff_max": 0.1},
        "servers": {"lease_seconds": 12},
    }
    return Workplace.made(tmp_path / "place", config | changes)


def run_record(place: Workplace) -> dict[str, Any]:
    """Return results/run.json."""
    value: dict[str, Any] = json.loads((place.results / "run.json").read_text())
    return value


def test_a_complete_run_says_so_with_its_size_and_score(place: Workplace) -> None:
    ran = place.run()
    assert ran.code == 0, ran.text
    assert "sums / m: COMPLETE 2×3, strict pass@1 50.0 %" in ran.text
    assert run_record(place)["verdicts"] == {"m/sums": "COMPLETE"}
    coverage = place.coverage("m", "sums")
    assert coverage["counts"] == {"ok": 6, "truncated": 0, "empty": 0, "error": 0, "missing": 0}
    assert coverage["not_ok"] == []
    scorers = json.loads((place.outputs("m", "sums") / "scorers.json").read_text())
    assert scorers["regex"]["counts"]["recovered"] == 3
    assert scorers["regex"]["lost"] == []


def test_all_seeds_crash_at_start_and_the_common_reason_stands_once(tmp_path: Path) -> None:
    with StubServer(lambda _: refusal(401, "no such key")) as stub:
        place = small(tmp_path, stub, seeds={"start": 42, "count": 4})
        ran = place.run("--keep-going")
    assert ran.code == 1
    assert not list(place.results.rglob("metrics*.json"))
    last = [line for line in ran.text.splitlines() if line.startswith("sums / m: ")][-1]
    assert last.startswith("sums / m: INVALID: seeds 42, 43, 44, 45 missing: logs/generate/m/sums-rs42.log: ")
    assert last.count("no such key") == 1
    assert run_record(place)["state"] == "FAILED"


def test_one_failed_seed_fails_the_run_and_keeps_the_others(tmp_path: Path) -> None:
    def behave(ask: Ask) -> Reply:
        return refusal(400, "out of range") if ask.body["seed"] == 43 else answer(ask)

    with StubServer(behave) as stub:
        place = small(tmp_path, stub, seeds={"start": 42, "count": 3})
        ran = place.run("--keep-going")
    assert ran.code == 1
    assert re.search(r"INVALID: seed 43 missing: logs/generate/m/sums-rs43\.log: .*out of range", ran.text)
    there = sorted(path.name for path in place.outputs("m", "sums").glob("*.jsonl"))
    assert there == ["output-rs42.jsonl", "output-rs44.jsonl"]
    assert not list(place.results.rglob("metrics*.json"))


def test_an_older_good_verdict_does_not_survive_a_bad_run(tmp_path: Path) -> None:
    broken: list[bool] = []

    def behave(ask: Ask) -> Reply:
        return refusal(400, "broken now") if broken else answer(ask)

    with StubServer(behave) as stub:
        place = small(tmp_path, stub)
        assert place.run().code == 0
        broken.append(True)
        place.config["sampling"]["temperature"] = 0.5
        ran = place.run()
    assert ran.code == 1
    assert run_record(place)["verdicts"] == {"m/sums": "INVALID"}
    assert place.coverage("m", "sums")["verdict"] == "INVALID"
    again = place.module("summary")
    assert again.returncode == 1
    assert "sums / m: INVALID" in again.stdout


@pytest.mark.parametrize(("fraction", "code"), [(0.5, 0), (0.1, 1)])
def test_errors_within_the_tolerance_are_partial_and_keep_their_rows(
    tmp_path: Path, fraction: float, code: int
) -> None:
    def behave(ask: Ask) -> Reply:
        return refusal(400, "too long") if "2 plus" in ask.prompt else answer(ask)

    with StubServer(behave) as stub:
        place = small(tmp_path, stub, errors={"max_failed_fraction": fraction})
        ran = place.run()
    assert ran.code == code, ran.text
    if code:
        assert "INVALID" in ran.text
        return
    assert "sums / m: PARTIAL 2×3" in ran.text
    rows = [json.loads(line) for line in (place.outputs("m", "sums") / "output-rs42.jsonl").read_text().splitlines()]
    assert [row["seedbed"]["status"] for row in rows] == ["ok", "ok", "error"]
    assert rows[2]["generation"] == ""
    assert rows[2]["finish_reason"] == "error"
    metrics = json.loads((place.outputs("m", "sums") / "metrics.json").read_text())
    assert metrics["sums"]["pass@1[avg-of-2]"]["symbolic_correct"] == pytest.approx(100 / 3)
    details = json.loads((place.outputs("m", "sums") / "details-strict.json").read_text())
    assert details["without_errors"]["samples"] == 4
    assert details["without_errors"]["symbolic_correct"] == pytest.approx(50)
    assert [cell["id"] for cell in place.coverage("m", "sums")["not_ok"]] == ["sums-2", "sums-2"]


def test_truncated_and_empty_samples_are_complete_and_shown(tmp_path: Path) -> None:
    def behave(ask: Ask) -> Reply:
        if "0 plus" in ask.prompt:
            return streamed("and so on", "length")
        return streamed("") if "1 plus" in ask.prompt else answer(ask)

    with StubServer(behave) as stub:
        place = small(tmp_path, stub)
        ran = place.run()
    assert ran.code == 0, ran.text
    assert "COMPLETE 2×3" in ran.text
    assert "truncated 2, empty 2" in ran.text


def shorten(path: Path) -> None:
    """Drop the last record of a file."""
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))


def double(path: Path) -> None:
    """Repeat the first record of a file."""
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines, lines[0]]))


def cut(path: Path) -> None:
    """Cut a file in the middle of its last record."""
    path.write_bytes(path.read_bytes()[:-30])


def stranger(path: Path) -> None:
    """Give the first record the id of another dataset."""
    path.write_text(path.read_text().replace('"id": "sums-0"', '"id": "other-0"'))


def otherwise(path: Path) -> None:
    """Make the records those of another fingerprint."""
    path.write_text(re.sub(r'"fingerprint": "[0-9a-f]{4}', '"fingerprint": "0000', path.read_text()))


def rename(path: Path) -> None:
    """Put another seed's file in its place."""
    shutil.copy(path.with_name("output-rs43.jsonl"), path)


def compress_beside(path: Path) -> None:
    """Leave a second file of the same seed beside it."""
    path.with_name("output-rs42.jsonl.gz").write_bytes(gzip.compress(path.read_bytes()))


def add_a_stray(path: Path) -> None:
    """Leave a file that NeMo-Skills would count as a seed."""
    shutil.copy(path, path.with_name("extra.jsonl"))


def reword(path: Path) -> None:
    """Change texts without changing the length of anything."""
    path.write_text(path.read_text().replace("counts one up", "counts one UP"))


@pytest.mark.parametrize(
    ("damage", "word"),
    [
        (rename, "output-rs42.jsonl holds records of seed 43: expected those of seed 42"),
        (compress_beside, "seed 42 is in output-rs42.jsonl and in output-rs42.jsonl.gz"),
        (add_a_stray, "extra.jsonl is no output of a seed"),
        (reword, "output-rs42.jsonl was changed since it was finished: remove it and run snakemake"),
        (shorten, "missing: sums-2 of seed 42: no record"),
        (double, "id 'sums-0' occurs twice"),
        (cut, "line 3: not a whole record"),
        (stranger, "1 ids are not in the dataset: other-0"),
        (otherwise, "made with another prompt, sampling, model setting or server"),
        (Path.unlink, "seed 42 missing"),
    ],
)
def test_outputs_that_are_not_what_they_should_be_are_named(place: Workplace, damage: Any, word: str) -> None:
    assert place.run().code == 0
    damage(place.outputs("m", "sums") / "output-rs42.jsonl")
    told = place.module("summary")
    assert told.returncode == 1
    assert "sums / m: INVALID" in told.stdout
    assert word in told.stdout


def test_a_server_that_ignores_the_seed_is_named(tmp_path: Path) -> None:
    with StubServer(lambda ask: streamed(f"Whatever the seed may be, {ask.prompt} gives \\boxed{{1}}.")) as stub:
        ran = small(tmp_path, stub).run()
    assert ran.code == 0, ran.text
    assert (
        "strict pass@1 33.3 %, the server of 'm' ignores `seed`: 3 of 3 problems have one and the same text" in ran.text
    )


def test_metrics_older_than_their_outputs_are_named_and_not_shown(place: Workplace) -> None:
    assert place.run().code == 0
    path = place.outputs("m", "sums") / "output-rs43.jsonl"
    path.write_text(re.sub(r'"generation_end_time": [0-9.]+', '"generation_end_time": 99.5', path.read_text()))
    seal(path)
    told = place.module("summary")
    assert told.returncode == 1
    assert "sums / m: INVALID: outputs COMPLETE 2×3, no metrics of strict, regex for them: run snakemake" in told.stdout
    assert "pass@1" not in told.stdout


def test_a_scorer_that_is_broken_is_told_with_its_line_and_the_table_does_not_say_complete(
    tmp_path: Path, stub: StubServer
) -> None:
    place = small(tmp_path, stub, scorers=["strict"])
    assert place.run().code == 0
    mine = tmp_path / "mine.yaml"
    mine.write_text("stages:\n  - stage: pattern\n    pattern: |-\n      IT IS \\d+)\n")
    ran = place.run("--config", f"scorers=[strict, {mine}]")
    assert ran.code == 1
    assert f"{mine}:4: pattern does not compile: " in ran.text
    (row,) = [line for line in ran.text.splitlines() if line.startswith("m ")]
    assert row.split()[3:] == ["INVALID", "pass@1[avg-of-2]", "50.0", "%"]


def test_a_summary_by_hand_tells_what_the_run_told(place: Workplace) -> None:
    ran = place.run()
    told = place.module("summary")
    assert told.returncode == 0
    assert told.stdout.strip() in ran.text


def test_a_summary_keeps_quiet_only_where_a_run_has_just_told_it_all(place: Workplace) -> None:
    assert place.run().code == 0
    ended = run_record(place)["ended"]
    assert place.module("summary", "--skip-if-reported-since", str(ended - 0.001)).stdout == ""
    assert "sums / m: COMPLETE" in place.module("summary", "--skip-if-reported-since", str(ended + 0.001)).stdout


def test_a_summary_without_a_run_says_what_is_missing(tmp_path: Path, place: Workplace) -> None:
    told = place.module("summary")
    assert told.returncode == 2
    assert told.stderr.startswith(f"error: {place.work}/results/config.yaml: there is no such file")


def test_a_renamed_seed_is_not_scored(place: Workplace) -> None:
    assert place.run().code == 0
    rename(place.outputs("m", "sums") / "output-rs42.jsonl")
    (place.outputs("m", "sums") / "output-rs42.jsonl.done").unlink()
    ran = place.run()
    assert ran.code == 1
    assert "sums / m: INVALID: output-rs42.jsonl holds records of seed 43" in ran.text


def test_an_output_cut_after_it_was_finished_stops_the_next_run(place: Workplace) -> None:
    assert place.run().code == 0
    path = place.outputs("m", "sums") / "output-rs42.jsonl"
    times = path.stat()
    shorten(path)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    ran = place.run()
    assert ran.code == 1
    assert "output-rs42.jsonl has" in ran.text
    path.unlink()
    mended = place.run()
    assert mended.code == 0, mended.text
    assert "sums / m: COMPLETE 2×3" in mended.text


def test_outputs_of_another_server_are_named(tmp_path: Path, stub: StubServer) -> None:
    server = server_file(tmp_path / "own", "s")
    place = small(tmp_path, stub, models={"m": {"server": str(server)}})
    assert place.run().code == 0
    kept = tmp_path / "kept"
    shutil.copytree(place.outputs("m", "sums"), kept)
    server_file(tmp_path / "own", "s", "--answer", "The answer is 2.")
    assert place.run().code == 0
    for path in kept.glob("output-rs*"):
        shutil.copy2(path, place.outputs("m", "sums") / path.name)
    told = place.module("summary")
    assert told.returncode == 1
    assert (
        "sums / m: INVALID: output-rs42.jsonl: made with another prompt, sampling, model setting or server"
        in told.stdout
    )


def test_metrics_edited_by_hand_are_not_told(place: Workplace) -> None:
    assert place.run().code == 0
    path = place.outputs("m", "sums") / "metrics.json"
    path.write_text(path.read_text().replace('"symbolic_correct": 50.0', '"symbolic_correct": 99.0'))
    told = place.module("summary")
    assert told.returncode == 1
    assert "99.0" not in told.stdout
    ran = place.run()
    assert ran.code == 1
    assert (
        "metrics.json was changed since it was written: remove it and run snakemake"
        in (place.work / "logs" / "tabulate.log").read_text()
    )
    path.write_text("{}")
    assert place.module("summary").stderr == ""


def test_a_narrower_run_does_not_hide_what_the_configuration_lacks(tmp_path: Path, stub: StubServer) -> None:
    place = small(tmp_path, stub)
    place.config["benchmarks"].append(str(benchmark_file(tmp_path / "own", "more")))
    ran = place.run("results/m/eval-results/sums/metrics.json")
    assert ran.code == 0, ran.text
    told = place.module("summary")
    assert told.returncode == 1
    assert "more / m: INVALID" in told.stdout


def test_a_run_about_one_benchmark_condemns_no_other(tmp_path: Path, stub: StubServer) -> None:
    place = small(tmp_path, stub)
    place.config["benchmarks"].append(str(benchmark_file(tmp_path / "own", "more")))
    assert place.run().code == 0
    target = "results/m/eval-results/more/metrics.json"
    assert place.run(target, "--config", "seeds={count: 1}", "sampling={max_tokens: 8}").code == 0
    told = place.module("summary")
    assert told.returncode == 0, told.stdout
    assert "sums / m: COMPLETE 2×3, strict pass@1 50.0 %" in told.stdout
    assert "more / m: COMPLETE 1×3, 1 of 2 seeds" in told.stdout


def test_a_run_that_fails_at_its_start_leaves_no_older_verdict(place: Workplace) -> None:
    assert place.run().code == 0
    place.config["sampling"]["temperature"] = 0.2
    broken = place.work.parent / "broken.yaml"
    broken.write_text("stages: [{stage: pattern, name: p, pattern: '(', value: raw}]\n")
    place.config["scorers"] = ["strict", str(broken)]
    ran = place.run()
    assert ran.code == 1
    assert "sums / m: INVALID" in ran.text
    assert run_record(place)["state"] == "FAILED"
    assert place.module("summary").returncode == 1


def test_a_tolerance_taken_back_fails_the_next_run(tmp_path: Path) -> None:
    def behave(ask: Ask) -> Reply:
        return refusal(400, "too long") if "2 plus" in ask.prompt else answer(ask)

    with StubServer(behave) as stub:
        place = small(tmp_path, stub, errors={"max_failed_fraction": 0.5})
        assert place.run().code == 0
        place.config["errors"]["max_failed_fraction"] = 0.0
        ran = place.run()
    assert ran.code == 1
    assert "sums / m: INVALID" in ran.text


@pytest.mark.parametrize("folder", ["resources", "run", "logs", ".snakemake"])
def test_a_folder_removed_between_runs_is_made_again(place: Workplace, stub: StubServer, folder: str) -> None:
    assert place.run().code == 0
    asked = len(stub.samples)
    shutil.rmtree(place.work / folder)
    ran = place.run()
    assert ran.code == 0, ran.text
    told = place.module("summary")
    assert told.returncode == 0, told.stdout
    assert "sums / m: COMPLETE 2×3" in told.stdout
    assert len(stub.samples) == asked


def test_figures_of_a_scorer_that_has_changed_since_are_not_shown_as_its_own(tmp_path: Path, stub: StubServer) -> None:
    mine = tmp_path / "mine.yaml"
    shutil.copy(ROOT / "config" / "scorers" / "regex.yaml", mine)
    place = small(tmp_path, stub, scorers=["strict", str(mine)])
    assert place.run().code == 0
    assert place.module("summary").returncode == 0
    mine.write_text(mine.read_text().replace("look_back: false", "look_back: true"))
    told = place.module("summary")
    assert told.returncode == 1
    assert "sums / m: INVALID: outputs COMPLETE 2×3, no metrics of mine for them: run snakemake" in told.stdout
    assert place.run().code == 0
    assert "sums / m: COMPLETE 2×3" in place.module("summary").stdout
    mine.write_text(mine.read_text().replace("look_back", "look_bakc"))
    ran = place.run()
    assert ran.code == 1
    assert "look_bakc" in ran.text
    assert place.module("summary").returncode == 1


def test_models_of_another_configuration_in_the_same_folder_are_named(tmp_path: Path, stub: StubServer) -> None:
    place = small(tmp_path, stub)
    assert place.run().code == 0
    place.config["models"] = {"other": place.config["models"]["m"]}
    ran = place.run()
    assert ran.code == 0, ran.text
    assert "also in results/, not of this configuration: m" in ran.text
