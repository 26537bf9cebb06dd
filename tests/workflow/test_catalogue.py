"""Benchmarks through the whole workflow: the page on adding one as written, choices, parts, prepare."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from tests.client.stub_server import StubServer
from tests.serving.conftest import real_model
from tests.workflow.workplace import ROOT, Workplace, benchmark_file

__all__ = ["real_model"]
PAGE = ROOT / "docs" / "adding-a-benchmark.md"


def linked(place: Workplace, folder: Path, model: Path) -> None:
    """Put the real model's file where a run in `folder` looks for it."""
    weights = folder / "resources" / "models" / model.name
    weights.parent.mkdir(parents=True)
    os.link(model, weights)


def test_the_page_on_adding_a_benchmark_works_as_written(tmp_path: Path, real_model: Path) -> None:
    place = Workplace.made(tmp_path, {})
    linked(place, place.project, real_model)
    text = PAGE.read_text()
    files = re.findall(r"`(mine/[\w.]+)`:\n\n```\w+\n(.*?)```", text, re.DOTALL)
    assert [name for name, _ in files] == ["mine/sums.jsonl", "mine/sums.yaml", "mine/config.yaml"]
    for name, content in files:
        (place.project / name).parent.mkdir(exist_ok=True)
        (place.project / name).write_text(content)
    assert len(files[1][1].splitlines()) == 5
    commands = re.search(r"```sh\n(.*?)```", text, re.DOTALL)
    assert commands is not None
    for command in commands[1].splitlines():
        words = command.replace(".venv/bin/", f"{Path(sys.executable).parent}/").replace("--cores all", "--cores 2")
        done = subprocess.run(
            words.split(),
            cwd=place.project,
            capture_output=True,
            text=True,
            timeout=200,
            env=place.environment() | {"PYTHONPATH": str(place.project / "scripts")},
        )
        assert done.returncode == 0, done.stdout + done.stderr
        if "check_benchmark" in command:
            assert done.stdout.count("3 of 3 reference answers right (100.0 %), 0 of 3 wrong answers right") == 2
    results = place.project / "results" / "smollm2" / "eval-results" / "sums"
    assert json.loads((results / "metrics.json").read_text())["sums"]["pass@1[avg-of-2]"]["num_entries"] == 3
    assert (results / "metrics-regex.json").is_file()


def choices(folder: Path) -> list[Path]:
    """Write two benchmarks of choices: options in a list, and options to be shuffled; returns their files."""
    rows = [
        {
            "question": f"Which number is {number} plus 1?",
            "options": [str(number + 1), str(number + 7), str(number + 9)],
            "right": str(number + 1),
            "one": str(number + 5),
            "two": str(number + 8),
            "answer": "A",
            "kind": "small" if number < 3 else "large",
        }
        for number in range(5)
    ]
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    common: dict[str, Any] = {
        "source": {"file": "rows.jsonl"},
        "ids": "numbered",
        "keep": [],
        "prompt": {"name": "choice"},
        "answer_type": "choice",
        "max_tokens": 48,
    }
    columns = {"problem": "question", "subset_for_metrics": "kind"}
    listed = common | {"columns": columns | {"expected_answer": "answer"}, "options": "options"}
    shuffled = common | {"columns": columns, "options": ["one", "two", "right"], "row": "shuffled_options"}
    for name, definition in (("listed", listed), ("shuffled", shuffled)):
        (folder / f"{name}.yaml").write_text(yaml.safe_dump(definition))
    return [folder / "listed.yaml", folder / "shuffled.yaml"]


def test_choices_run_on_the_real_model_beside_the_warm_up(tmp_path: Path, real_model: Path) -> None:
    own = choices(tmp_path)
    config = {
        "models": {"smollm2": {"server": "smollm2-local", "concurrency": 4}},
        "benchmarks": ["warmup", *map(str, own)],
        "seeds": {"count": 1},
        "sampling": {"temperature": 0.3},
    }
    place = Workplace.made(tmp_path / "place", config)
    linked(place, place.work, real_model)
    ran = place.run("--quiet", "all", timeout=200)
    assert ran.code == 0, ran.text
    for name, count in (("warmup", 12), ("listed", 5), ("shuffled", 5)):
        assert f"{name} / smollm2: COMPLETE 1×{count}" in ran.text
    blocks = json.loads((place.outputs("smollm2", "shuffled") / "metrics.json").read_text())
    assert {name: block["pass@1"]["num_entries"] for name, block in blocks.items()} == {
        "shuffled": 5,
        "shuffled-small": 3,
        "shuffled-large": 2,
    }
    records = (place.outputs("smollm2", "shuffled") / "output-rs42.jsonl").read_text().splitlines()
    assert [len(json.loads(record)["option_order"]) for record in records] == [3] * 5


def test_a_part_is_taken_from_the_store_and_named_in_every_table(finished: Workplace, endpoint: StubServer) -> None:
    asked = len(endpoint.paths)
    finished.config["subset"] = {"b1": {"limit": 2}}
    ran = finished.run()
    assert ran.code == 0, ran.text
    assert ran.jobs == {"prepare_dataset": 1, "generate": 12, "score": 3, "rescore": 3, "tabulate": 1}
    assert len(endpoint.paths) == asked
    assert "b1 (2 of 3) / one: COMPLETE 4×2" in ran.text
    assert re.search(r"one +b1 \(2 of 3\) +4/4", ran.text)
    table = (finished.results / "summary.csv").read_text()
    assert table.count(",2 of 3,") == 6
    assert finished.coverage("one", "b1")["part"] == "2 of 3"
    assert finished.plan() == {}
    del finished.config["subset"]
    ran = finished.run()
    assert ran.code == 0, ran.text
    assert len(endpoint.paths) == asked
    assert "b1 / one: COMPLETE 4×3" in ran.text


def test_prepare_fetches_all_that_a_configuration_needs_and_starts_nothing(tmp_path: Path, stub: StubServer) -> None:
    own = tmp_path / "own"
    config = {
        "models": {"one": {"endpoint": stub.url, "served_name": "stub"}},
        "benchmarks": [str(benchmark_file(own, name)) for name in ("b1", "b2")],
        "seeds": {"count": 1},
    }
    place = Workplace.made(tmp_path / "place", config)
    ran = place.run("prepare")
    assert ran.code == 0, ran.text
    assert ran.jobs == {"prepare": 1, "prepare_dataset": 2}
    assert sorted(path.parent.name for path in place.work.glob("resources/*/test.jsonl")) == ["b1", "b2"]
    assert stub.paths == []
    for path in own.glob("*.jsonl"):
        assert path.read_text() == (place.work / "resources" / path.stem / "test.jsonl").read_text()
    copy = place.copied(tmp_path / "cluster", with_metadata=False)
    assert copy.plan() == {"server": 1, "generate": 2, "score": 2, "rescore": 2, "tabulate": 1}


def test_a_private_text_stays_in_data_and_outputs(tmp_path: Path, stub: StubServer) -> None:
    own = tmp_path / "own"
    benchmark = benchmark_file(own, "closed", text="private", prompt={"name": "boxed"})
    config = {
        "models": {"one": {"endpoint": stub.url, "served_name": "stub"}},
        "benchmarks": [str(benchmark)],
        "seeds": {"count": 2},
    }
    place = Workplace.made(tmp_path / "place", config)
    ran = place.run()
    assert ran.code == 0, ran.text
    problem = re.compile(r"What is \d+ plus")
    told = [
        path for path in place.work.rglob("*") if path.is_file() and problem.search(path.read_text(errors="replace"))
    ]
    folders = {path.relative_to(place.work).parts[0] for path in told}
    assert folders <= {"resources", "results", "run"}
    assert {path.name for path in told if "results" in path.parts} == {"output-rs42.jsonl", "output-rs43.jsonl"}
    assert {path.parent.name for path in told if "run" in path.parts} <= {"requests"}
    assert not problem.search(ran.text)
    assert (place.results / "report.html").is_file()
