"""From complete files to a decision, on the real Snakemake: statistics, comparisons, gates, and what run.json keeps."""

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.client.stub_server import Ask, Reply, StubServer, refusal
from tests.workflow.conftest import answer
from tests.workflow.workplace import Workplace, benchmark_file

KEY = "sk-abcdefgh12345678"


@pytest.fixture
def place(tmp_path: Path, stub: StubServer) -> Workplace:
    """Return a workplace of two models behind the stub, two wordings of one benchmark, four seeds."""
    own = tmp_path / "own"
    files = [str(benchmark_file(own, "sums")), str(benchmark_file(own, "prose", prompt="Please solve it. {problem}"))]
    (own / "prose.jsonl").write_text((own / "sums.jsonl").read_text())
    config = {
        "models": {
            "m": {"endpoint": stub.url, "served_name": "stub", "api_key_env": "STUB_KEY"},
            "n": {"endpoint": stub.url, "served_name": "stub"},
        },
        "benchmarks": files,
        "seeds": {"start": 42, "count": 4},
        "sampling": {"temperature": 1.0, "max_tokens": 64},
        "servers": {"lease_seconds": 12},
    }
    return Workplace.made(tmp_path / "place", config)


def read(path: Path) -> Any:
    """Return a JSON file."""
    return json.loads(path.read_text())


def finish(place: Workplace) -> None:
    """Run a workplace to a good end."""
    ran = place.run(STUB_KEY=KEY)
    assert ran.code == 0, ran.text


def test_from_files_to_decisions(place: Workplace, tmp_path: Path) -> None:
    place.config["comparisons"] = [
        {"a": "m", "b": "n"},
        {"a": "m/sums", "b": "m/prose"},
        {"a": "m/sums/strict", "b": "m/sums/regex"},
    ]
    place.config["gates"] = [
        "verdict = COMPLETE",
        {"require": ["no_answer <= 50 %", "truncated <= 1 %", "duplicates = 0"], "benchmarks": ["sums"]},
        {"require": "pass@1 >= 70", "scorers": ["regex"], "models": ["n"]},
    ]
    ran = place.run(STUB_KEY=KEY)
    assert ran.code == 0, ran.text
    assert ran.jobs["compare"] == 3
    assert ran.jobs["gate"] == 1
    assert "gate: PASS: 12 of 12 criteria pass" in ran.text
    assert "95 % across seeds " in ran.text

    # statistics.json, and every figure of the table from the files that it names
    statistics = read(place.outputs("m", "sums") / "statistics.json")
    mean = statistics["scorers"]["strict"]["pass@1[avg-of-4]"]
    assert mean["value"] == 50
    for row in csv.DictReader((place.results / "summary.csv").read_text().splitlines()):
        metrics = read(place.work / row["metrics"])[row["benchmark"]]
        assert float(row["pass@1"]) == metrics["pass@1[avg-of-4]"]["symbolic_correct"]
        assert float(row["no_answer"]) == metrics["pass@1[avg-of-4]"]["no_answer"]
        assert (row["problems"], row["seeds"]) == (str(metrics["pass@1"]["num_entries"]), "4")
        figure = read(place.work / row["statistics"])["scorers"][row["scorer"]]["pass@1[avg-of-4]"]
        for question in ("across_problems", "across_seeds"):
            for end in ("low", "high"):
                assert float(row[f"{question}_{end}"]) == figure[question][end]
        assert row["k"] == "4"
        assert float(row["majority@k"]) == metrics["majority@4"]["symbolic_correct"]
        assert float(row["pass@k"]) == metrics["pass@4"]["symbolic_correct"]
        if row["scorer"] != "strict":
            counts = read(place.work / row["scorers"])[row["scorer"]]["counts"]
            assert (row["recovered"], row["lost"]) == (str(counts["recovered"]), str(counts["lost"]))

    # comparisons: models, prompts, scorers
    folder = place.results / "comparisons"
    names = ["m-vs-n", "m.sums-vs-m.prose", "m.sums.strict-vs-m.sums.regex"]
    assert sorted(path.stem for path in folder.iterdir()) == sorted(names)
    models, prompts, scorers = (read(folder / f"{name}.json")["comparisons"] for name in names)
    assert [(one["a"]["benchmark"], one["a"]["scorer"]) for one in models] == [
        ("sums", "strict"), ("sums", "regex"), ("prose", "strict"), ("prose", "regex"),
    ]  # fmt: skip
    assert prompts[0]["problems"] == {"compared": 3, "of": 3, "only_a": [], "only_b": []}
    assert scorers[0]["difference"]["value"] == 50
    assert scorers[0]["difference"]["across_seeds"]["answer"] == "better"

    # the run as it is recorded
    record = read(place.results / "run.json")
    assert record["provenance"]["models"]["m"]["requests"]["sums"] == {
        "model": "stub", "temperature": 1.0, "max_tokens": 64, "stream": True,
        "stream_options": {"include_usage": True},
    }  # fmt: skip
    assert record["provenance"]["versions"]["snakemake"] == "9.27.1"
    assert record["stages"]["generate"]["jobs"] == 16
    assert record["outputs"]["m/sums"]["samples"] == 12
    assert record["datasets"]["sums"]["rows"] == 3
    assert KEY not in json.dumps(record)

    # nothing runs again: not by the configuration that the run wrote, and not at another place
    assert place.plan() == {}
    effective = place.work.parent / "effective.yaml"
    shutil.copy2(place.results / "config.yaml", effective)
    place.config = yaml.safe_load(effective.read_text())
    assert place.plan() == {}
    ran = place.run()
    assert (ran.code, ran.jobs) == (0, {})


def test_a_gate_that_fails_or_cannot_tell_fails_the_run_each_time(place: Workplace) -> None:
    finish(place)
    place.config["gates"] = [{"require": "pass@1 >= 90", "benchmarks": ["sums"], "models": ["m"]}]
    for _ in range(2):
        ran = place.run(STUB_KEY=KEY)
        assert ran.code == 1
        assert ran.jobs == {"gate": 1}
        assert "gate: FAIL: 0 of 1 criteria pass; fail: sums / m: pass@1 >= 90: found 50.0" in ran.text
        assert read(place.results / "gate.json")["result"] == "fail"
        assert not (place.results / "gate.passed").exists()
    assert place.module("summary").returncode == 1
    place.config["gates"][0]["require"] = "pass@1[avg-of-4] >= 55"
    ran = place.run(STUB_KEY=KEY)
    assert ran.code == 3
    assert (
        ran.text.rstrip()
        .splitlines()[-2]
        .startswith("gate: INCONCLUSIVE: 0 of 1 criteria pass; inconclusive: sums / m")
    )
    told = read(place.results / "gate.json")["criteria"][0]
    assert told["result"] == "inconclusive"
    assert told["margin"] > 5
    assert place.module("summary").returncode == 3
    assert read(place.results / "run.json")["state"] == "FAILED"
    place.config["gates"][0]["require"] = "pass@1[avg-of-16] >= 1"
    ran = place.run(STUB_KEY=KEY)
    assert ran.code == 3
    assert "pass@1[avg-of-16] of 4 samples a problem is undefined" in ran.text
    place.config["gates"][0]["require"] = "pass@1 >= 10"
    assert place.run(STUB_KEY=KEY).code == 0
    assert (place.results / "gate.passed").exists()
    assert place.plan() == {}


def test_a_stored_reference_is_compared_by_its_content(place: Workplace, tmp_path: Path) -> None:
    finish(place)
    reference = tmp_path / "kept" / "reference"
    shutil.copytree(place.results / "n", reference)
    place.config["gates"] = [f"not worse than {reference} by 60 points"]
    place.config["comparisons"] = [{"a": "m", "b": str(reference)}]
    ran = place.run(STUB_KEY=KEY)
    assert ran.code == 0, ran.text
    assert ran.jobs == {"compare": 1, "gate": 1}
    assert (place.results / "comparisons" / "m-vs-kept.reference.json").is_file()
    moved = tmp_path / "elsewhere" / "kept" / "reference"
    shutil.copytree(reference, moved)
    shutil.rmtree(reference)
    place.config["gates"] = [f"not worse than {moved} by 60 points"]
    place.config["comparisons"] = [{"a": "m", "b": str(moved)}]
    assert place.plan() == {}
    table = moved / "eval-results" / "sums" / "samples-strict.csv"
    table.write_text(table.read_text().replace(",false,", ",true,"))
    assert place.plan() == {"compare": 1, "gate": 1}


def test_an_older_gate_that_passed_does_not_survive_a_bad_run(tmp_path: Path) -> None:
    broken: list[bool] = []

    def behave(ask: Ask) -> Reply:
        return refusal(400, "broken now") if broken else answer(ask)

    with StubServer(behave) as stub:
        config = {
            "models": {"m": {"endpoint": stub.url, "served_name": "stub"}},
            "benchmarks": [str(benchmark_file(tmp_path / "own", "sums"))],
            "seeds": {"start": 42, "count": 2},
            "servers": {"lease_seconds": 12},
            "gates": ["verdict = COMPLETE", "pass@1 >= 1"],
        }
        place = Workplace.made(tmp_path / "place", config)
        assert place.run().code == 0
        assert read(place.results / "gate.json")["result"] == "pass"
        broken.append(True)
        place.config["sampling"] = {"temperature": 0.5}
        ran = place.run()
    assert ran.code == 1
    told = read(place.results / "gate.json")
    assert [one["result"] for one in told["criteria"]] == ["fail", "inconclusive"]
    assert not (place.results / "gate.passed").exists()
    assert "gate: FAIL: 0 of 2 criteria pass" in ran.text


def test_a_scorers_change_asks_the_gate_again_and_nothing_else(place: Workplace) -> None:
    place.config["gates"] = ["verdict = COMPLETE"]
    place.config["comparisons"] = [{"a": "m", "b": "n"}]
    finish(place)
    path = place.project / "config" / "scorers" / "regex.yaml"
    path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text()) | {"match": "first"}))
    assert place.plan() == {"rescore": 4, "tabulate": 1, "compare": 1, "gate": 1}
    for script in (
        "commands/generate.py",
        "commands/server.py",
        "commands/prepare_dataset.py",
        "client/transport.py",
        "serving/broker/broker.py",
    ):
        file = place.project / "scripts" / "seedbed" / script
        file.write_text(file.read_text() + "\nCHANGED = 1\n")
    assert place.plan() == {"rescore": 4, "tabulate": 1, "compare": 1, "gate": 1}


def test_commands_by_hand_on_any_folder(place: Workplace) -> None:
    finish(place)
    told = place.module("compare", "m/sums/strict", "m/sums/regex", "--out", "two.json")
    assert told.returncode == 0, told.stderr
    assert "sums, m, a: strict, b: regex\n  a 50.0 %, b 100.0 %: +50.0 points on 3 problems × 4 samples" in told.stdout
    assert read(place.work / "two.json")["comparisons"][0]["moved"] == {"up": 3, "down": 0, "same": 0}
    folder = "results/m/eval-results/sums"
    for requirement, code in (("pass@1 >= 1", 0), ("pass@1 >= 99", 1), ("pass@1 >= 51", 3), ("pass >= 1", 2)):
        assert place.module("gate", folder, "--require", requirement).returncode == code
    raw = place.work / "raw"
    raw.mkdir()
    for path in place.outputs("m", "sums").glob("output-rs*.jsonl"):
        shutil.copy(path, raw)
    told = place.module("compare", "raw", "m/sums", "--scorer", "regex")
    assert told.returncode == 0, told.stderr
    assert ": +0.0 points on 3 problems" in told.stdout
    assert sorted(path.suffix for path in raw.iterdir()) == [".jsonl"] * 4
    for reference, codes in (("results/m/eval-results/sums", (0, 3)), ("results/m", (2,))):
        told = place.module("gate", "raw", "--require", f"not worse than {reference} by 40 points")
        assert told.returncode in codes
    assert told.stderr.startswith("error: ")
    assert "found no outputs of raw" in told.stderr
    told = place.module("compare", "m", "nobody")
    assert told.returncode == 2
    assert told.stderr.startswith("error: found 'nobody': neither a model of this run nor a folder")
