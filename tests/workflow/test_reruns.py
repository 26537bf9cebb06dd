"""What runs again after a change, counted on a finished run of 3 models, 2 benchmarks and 4 seeds."""

import os
import re
import shutil
from pathlib import Path

import pytest
import yaml

from tests.client.stub_server import Ask, Reply, StubServer
from tests.workflow.conftest import answer
from tests.workflow.test_verdict import small
from tests.workflow.workplace import Workplace

PAIRS, SEEDS = 6, 4
RESCORE = {"rescore": PAIRS, "tabulate": 1}
SCORE_AND_RESCORE = {"score": PAIRS, "rescore": PAIRS, "tabulate": 1}


def append(path: Path, text: str) -> None:
    """Add text to the end of a file."""
    path.write_text(path.read_text() + text)


def edit(path: Path, before: str, after: str) -> None:
    """Replace a text that must be there."""
    content = path.read_text()
    assert before in content
    path.write_text(content.replace(before, after))


def test_nothing_runs_when_nothing_has_changed(finished: Workplace) -> None:
    assert finished.plan() == {}


def test_touching_every_file_runs_nothing(finished: Workplace) -> None:
    for folder in (finished.project, finished.work):
        for path in folder.rglob("*"):
            if path.is_file() and ".snakemake" not in path.parts:
                os.utime(path)
    assert finished.plan() == {}


def test_results_copied_with_their_metadata_but_new_times_run_nothing_elsewhere(
    finished: Workplace, tmp_path: Path
) -> None:
    moved = finished.copied(tmp_path / "elsewhere")
    moved.config = finished.config
    for path in moved.work.rglob("*"):
        if path.is_file() and ".snakemake" not in path.parts:
            os.utime(path)
    assert moved.plan() == {}


def test_results_copied_with_their_times_alone_run_nothing_elsewhere(finished: Workplace, tmp_path: Path) -> None:
    moved = finished.copied(tmp_path / "elsewhere", with_metadata=False)
    moved.config = finished.config
    assert moved.plan() == {}


@pytest.mark.parametrize(
    "file", ["own/b1.yaml", "own/s3.yaml", "config/scorers/regex.yaml", "config/schema/config.yaml"]
)
def test_a_comment_runs_nothing(finished: Workplace, file: str) -> None:
    append(finished.project / file, "\n# a remark\n")
    assert finished.plan() == {}


def test_keys_that_shape_no_answer_run_nothing(finished: Workplace) -> None:
    append(finished.project / "own" / "b1.yaml", "licence: MIT\nhomepage: https://example.org\n")
    edit(finished.project / "own" / "s3.yaml", "timeout: 60", "timeout: 30")
    finished.config["models"]["one"] |= {"endpoint": "http://127.0.0.1:9/v1", "concurrency": 7, "stream": False}
    finished.config |= {
        "concurrency": 3,
        "timeouts": {"silence": 5, "first_byte": None},
        "retries": {"attempts": 2},
        "servers": {"lease_seconds": 30, "idle_seconds": 2, "max_servers": 3},
    }
    assert finished.plan("--set-resources", "server:nodes=2", "server:slurm_partition=gb200") == {}


@pytest.mark.parametrize(
    "script",
    [
        "commands/prepare_dataset.py",
        "commands/server.py",
        "commands/generate.py",
        "client/transport.py",
        "serving/broker/broker.py",
    ],
)
def test_the_code_of_what_is_expensive_runs_nothing(finished: Workplace, script: str) -> None:
    append(finished.project / "scripts" / "seedbed" / script, "\nCHANGED = 1\n")
    assert finished.plan() == {}


def test_the_broad_scorers_file_rescores_alone(finished: Workplace) -> None:
    path = finished.project / "config" / "scorers" / "regex.yaml"
    before = path.read_text()
    path.write_text(yaml.safe_dump(yaml.safe_load(before) | {"match": "first"}))
    assert finished.plan() == RESCORE
    path.write_text(before)
    assert finished.plan() == {}


def test_a_module_that_only_the_broad_scorer_uses_rescores_alone(finished: Workplace) -> None:
    append(finished.project / "scripts" / "seedbed" / "scoring" / "staged.py", "\nCHANGED = 1\n")
    assert finished.plan() == RESCORE


def test_a_module_that_both_scorers_use_scores_and_rescores(finished: Workplace) -> None:
    path = finished.project / "scripts" / "seedbed" / "scoring" / "metrics.py"
    before = path.read_text()
    append(path, "\n# a remark\n")
    assert finished.plan() == {}
    append(path, "\nCHANGED = 1\n")
    assert finished.plan() == SCORE_AND_RESCORE
    path.write_text(before)
    assert finished.plan() == {}


def test_more_seeds_generate_just_those(finished: Workplace) -> None:
    finished.config["seeds"]["count"] = 8
    assert finished.plan() == {"generate": 4 * PAIRS, **SCORE_AND_RESCORE}


def test_more_seeds_by_the_command_line_generate_just_those(finished: Workplace) -> None:
    assert finished.plan("--config", "seeds={count: 5}") == {"generate": PAIRS, **SCORE_AND_RESCORE}


def test_fewer_seeds_only_score_and_keep_the_surplus(finished: Workplace) -> None:
    finished.config["seeds"]["count"] = 2
    assert finished.plan() == SCORE_AND_RESCORE
    shutil.rmtree(finished.work / "logs")
    ran = finished.run()
    assert ran.code == 0, ran.text
    assert "b1 / one: COMPLETE 2×3, 2 of 4 seeds" in ran.text
    assert (finished.outputs("one", "b1") / "output-rs45.jsonl").is_file()
    assert not (finished.work / "logs" / "server").exists()


def test_a_removed_output_comes_back_from_the_store_without_a_request(
    finished: Workplace, endpoint: StubServer
) -> None:
    path = finished.outputs("one", "b1") / "output-rs43.jsonl"
    before = path.read_bytes()
    path.unlink()
    assert finished.plan() == {"generate": 1, "score": 1, "rescore": 1, "tabulate": 1}
    paths = len(endpoint.paths)
    ran = finished.run()
    assert ran.code == 0, ran.text
    assert path.read_bytes() == before
    assert len(endpoint.paths) == paths


def test_a_removed_output_needs_no_server(finished: Workplace) -> None:
    (finished.outputs("three", "b2") / "output-rs42.jsonl").unlink()
    shutil.rmtree(finished.work / "logs")
    ran = finished.run()
    assert ran.code == 0, ran.text
    assert not (finished.work / "logs" / "server").exists()


def test_temperature_runs_every_seed_and_back_again_takes_all_from_the_store(
    finished: Workplace, endpoint: StubServer
) -> None:
    finished.config["models"]["one"]["sampling"] = {"temperature": 0.5}
    everything = {"generate": 2 * SEEDS, "score": 2, "rescore": 2, "tabulate": 1}
    assert finished.plan() == everything
    asked = len(endpoint.samples)
    ran = finished.run()
    assert ran.code == 0, ran.text
    assert len(endpoint.samples) == asked + 2 * SEEDS * 3
    del finished.config["models"]["one"]["sampling"]
    assert finished.plan() == everything
    paths = len(endpoint.paths)
    assert finished.run().code == 0
    assert len(endpoint.paths) == paths


def test_a_prompt_runs_the_seeds_of_its_benchmark(finished: Workplace) -> None:
    edit(finished.project / "own" / "b2.yaml", "Solve it.", "Please solve it.")
    assert finished.plan() == {"generate": 3 * SEEDS, "score": 3, "rescore": 3, "tabulate": 1}


def test_a_flag_of_a_server_runs_the_seeds_of_its_model(finished: Workplace) -> None:
    path = finished.project / "own" / "s3.yaml"
    server = yaml.safe_load(path.read_text())
    server["roles"][0]["environment"] = {"THINKING": "1"}
    path.write_text(yaml.safe_dump(server))
    assert finished.plan() == {"server": 1, "generate": 2 * SEEDS, "score": 2, "rescore": 2, "tabulate": 1}


def test_a_model_added_runs_only_its_own_jobs(finished: Workplace) -> None:
    finished.config["models"]["four"] = {"endpoint": "http://127.0.0.1:9/v1"}
    assert finished.plan() == {"server": 1, "generate": 2 * SEEDS, "score": 2, "rescore": 2, "tabulate": 1}


def test_a_model_removed_runs_the_table_alone(finished: Workplace) -> None:
    del finished.config["models"]["two"]
    assert set(finished.plan()) <= {"tabulate"}


def test_new_rows_run_the_seeds_of_their_benchmark(finished: Workplace) -> None:
    append(
        finished.project / "own" / "b1.jsonl",
        '{"id": "b1-3", "problem": "What is 3 plus 1?", "expected_answer": "4"}\n',
    )
    planned = finished.plan()
    assert planned == {"prepare_dataset": 1, "generate": 3 * SEEDS, "score": 3, "rescore": 3, "tabulate": 1}


def test_jobs_are_looked_for_when_one_has_ended_and_not_by_the_second(tmp_path: Path) -> None:
    def slow(ask: Ask) -> Reply:
        told = answer(ask)
        return told if ask.probe else Reply([1.5, *told.steps])

    with StubServer(slow) as server:
        ran = small(tmp_path, server, seeds={"start": 42, "count": 5}).run("--verbose")
    assert ran.code == 0, ran.text
    assert ran.jobs["generate"] == 5
    assert ran.text.count("Selected jobs: 0") == 0
    assert len(re.findall(r"Selected jobs: [12]", ran.text)) > 5
