"""The real thing: the shipped configuration, the real small model, the real problems of AIME 2025."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.client.stub_server import StubServer
from tests.serving.conftest import real_model
from tests.workflow.workplace import ROOT, Workplace, benchmark_file, jobs_in

__all__ = ["real_model"]


def shipped(folder: Path, model: Path) -> Workplace:
    """Return a workplace with the demonstration's configuration and the real model's file in place."""
    place = Workplace.made(folder / "place", yaml.safe_load((ROOT / "config" / "config.yaml").read_text()))
    weights = place.work / "resources" / "models" / model.name
    weights.parent.mkdir(parents=True)
    os.link(model, weights)
    return place


def test_the_demonstration_shows_answers_that_only_the_broad_scorer_sees(tmp_path: Path, real_model: Path) -> None:
    place = shipped(tmp_path, real_model)
    ran = place.run("--quiet", "all", timeout=280)
    assert ran.code == 0, ran.text
    assert "warmup / smollm2: COMPLETE 4×12" in ran.text
    assert "warmup-prose / smollm2: COMPLETE 4×12" in ran.text
    prose = {
        scorer: json.loads((place.outputs("smollm2", "warmup-prose") / name).read_text())["warmup-prose"][
            "pass@1[avg-of-4]"
        ]
        for scorer, name in (("strict", "metrics.json"), ("regex", "metrics-regex.json"))
    }
    assert prose["strict"]["no_answer"] > 80
    assert prose["regex"]["no_answer"] < 40
    assert prose["regex"]["symbolic_correct"] > 20 > prose["strict"]["symbolic_correct"]
    scorers = json.loads((place.outputs("smollm2", "warmup-prose") / "scorers.json").read_text())
    assert scorers["regex"]["counts"]["recovered"] >= 10
    plain = json.loads((place.outputs("smollm2", "warmup") / "metrics.json").read_text())["warmup"]["pass@1[avg-of-4]"]
    assert plain["no_answer"] < 50
    assert plain["symbolic_correct"] > 20
    lines = (place.outputs("smollm2", "warmup") / "output-rs44.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    assert [record["seedbed"]["seed"] for record in records] == [44] * 12
    assert not place.processes()
    secret = (place.work / "run" / "smollm2" / "key").read_text().strip()
    told = [path for path in place.work.rglob("*") if path.is_file() and path.name != "key" and path.suffix != ".gguf"]
    assert len(secret) >= 16
    assert [path for path in told if secret in path.read_text(errors="replace")] == []
    assert place.run("--dry-run").jobs == {}

    # the two prompts compared and judged, on the same problems
    place.config["comparisons"] = [{"a": "smollm2/warmup", "b": "smollm2/warmup-prose"}]
    place.config["gates"] = [{"require": "not worse than smollm2/warmup by 5 points", "benchmarks": ["warmup-prose"]}]
    ran = place.run()
    assert (ran.code, ran.jobs) == (1, {"compare": 1, "gate": 1}), ran.text
    told = json.loads((place.results / "comparisons" / "smollm2.warmup-vs-smollm2.warmup-prose.json").read_text())
    strict, broad = told["comparisons"]
    assert strict["problems"] == {"compared": 12, "of": 12, "only_a": [], "only_b": []}
    assert strict["difference"]["value"] == pytest.approx(
        prose["strict"]["symbolic_correct"] - plain["symbolic_correct"]
    )
    assert strict["difference"]["across_seeds"]["answer"] == "worse"
    assert broad["b"]["value"] == pytest.approx(prose["regex"]["symbolic_correct"])
    assert "gate: FAIL: 0 of 1 criteria pass; fail: warmup-prose / smollm2: not worse than smollm2/warmup" in ran.text


def test_aime25_runs_on_the_real_model_though_the_demonstration_does_not_list_it(
    tmp_path: Path, real_model: Path
) -> None:
    place = shipped(tmp_path, real_model)
    target = "results/smollm2/eval-results/aime25/metrics.json"
    ran = place.run(target, "--config", "seeds={count: 2}", "sampling={max_tokens: 64}", timeout=290)
    assert ran.code == 0, ran.text
    assert ran.jobs["generate"] == 2
    source = json.loads((place.work / "resources" / "aime25" / "source.json").read_text())
    assert source["rows"] == 30
    assert source["source"]["wheel"] == "sgl-eval==0.1.3"
    lines = (place.outputs("smollm2", "aime25") / "output-rs43.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    assert [record["id"] for record in records] == [f"aime25-{i}" for i in range(30)]
    assert all(record["num_generated_tokens"] <= 64 for record in records)
    assert "aime25 / smollm2: COMPLETE 2×30" in ran.text
    metrics = json.loads((place.work / target).read_text())["aime25"]
    assert list(metrics) == ["pass@1", "pass@2", "pass@1[avg-of-2]", "majority@2"]


def test_somebody_elses_server_is_asked_with_its_own_key_and_nothing_is_started(
    tmp_path: Path, stub: StubServer
) -> None:
    stub.key = "a-key-of-the-tests-alone"
    mine = {"endpoint": stub.url, "served_name": "stub", "api_key_env": "OPENAI_API_KEY"}
    config = {"models": {"mine": mine}, "benchmarks": [str(benchmark_file(tmp_path / "data", "mine"))]}
    place = Workplace.made(tmp_path / "place", config | {"seeds": {"count": 2}, "sampling": {"temperature": 1.0}})
    ran = place.run(OPENAI_API_KEY=stub.key)
    assert ran.code == 0, ran.text
    assert "mine / mine: COMPLETE 2×3" in ran.text
    assert {ask.body["seed"] for ask in stub.samples} == {42, 43}
    body = stub.samples[0].body
    assert set(body) == {"model", "messages", "seed", "temperature", "stream", "stream_options"}
    assert body["messages"][0]["content"].startswith("Solve it. What is ")
    assert not (place.work / "logs" / "server" / "mine-1.log").exists()
    files = [path for path in place.work.rglob("*") if path.is_file()]
    assert [path for path in files if stub.key in path.read_text(errors="replace")] == []


def test_one_core_suffices(tmp_path: Path, stub: StubServer) -> None:
    config = {"models": {"m": {"endpoint": stub.url, "served_name": "stub"}}, "seeds": {"count": 2}}
    place = Workplace.made(tmp_path / "place", config | {"benchmarks": [str(benchmark_file(tmp_path / "own", "sums"))]})
    ran = place.run("--cores", "1")
    assert ran.code == 0, ran.text
    assert "sums / m: COMPLETE 2×3" in ran.text


def test_all_that_a_run_writes_is_in_its_working_folder(tmp_path: Path, stub: StubServer) -> None:
    config = {"models": {"m": {"endpoint": stub.url, "served_name": "stub"}}, "seeds": {"count": 1}}
    place = Workplace.made(tmp_path / "place", config | {"benchmarks": [str(benchmark_file(tmp_path / "own", "sums"))]})
    before = {path: path.stat().st_mtime_ns for path in place.project.rglob("*") if "__pycache__" not in path.parts}
    assert place.run().code == 0
    after = {path: path.stat().st_mtime_ns for path in place.project.rglob("*") if "__pycache__" not in path.parts}
    assert {path for path in after if path.is_file()} == {path for path in before if path.is_file()}


@pytest.mark.parametrize("arguments", [["--dry-run"], ["--dag"], ["--rulegraph"], ["--summary"], ["--list-rules"]])
def test_the_ordinary_calls_of_snakemake_work(tmp_path: Path, stub: StubServer, arguments: list[str]) -> None:
    config = {"models": {"m": {"endpoint": stub.url}}, "benchmarks": ["warmup"], "seeds": {"count": 1}}
    ran = Workplace.made(tmp_path / "place", config).run(*arguments)
    assert ran.code == 0, ran.text
    assert stub.paths == []


def test_a_report_of_snakemake_is_made_offline(tmp_path: Path, stub: StubServer) -> None:
    config = {"models": {"m": {"endpoint": stub.url, "served_name": "stub"}}, "seeds": {"count": 1}}
    place = Workplace.made(tmp_path / "place", config | {"benchmarks": [str(benchmark_file(tmp_path / "own", "sums"))]})
    assert place.run().code == 0
    ran = place.run("--report", "report.html")
    assert ran.code == 0, ran.text
    assert (place.work / "report.html").stat().st_size > 10_000


def test_the_slurm_profile_is_found_from_the_root_and_plans_the_gb200_evaluation() -> None:
    assert (ROOT / "slurm").is_symlink()
    words = [sys.executable, "-m", "snakemake", "--profile", "slurm", "--dry-run", "--nolock"]
    planned = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
    assert planned.returncode == 0, planned.stderr
    assert jobs_in(planned.stdout + planned.stderr)["generate"] == 16
    assert "output-rs42.jsonl" in planned.stdout + planned.stderr
    assert "output-rs57.jsonl" in planned.stdout + planned.stderr
