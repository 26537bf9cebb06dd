"""The client against a real Dynamo; its simulated workers ignore the seed and always end with `length`."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from seedbed.health.repetition import find
from tests.client.dynamo import NAME, PYTHON, Dynamo
from tests.client.stub_server import wait_until
from tests.client.workplace import Workplace

pytestmark = pytest.mark.skipif(PYTHON is None, reason="DYNAMO_PYTHON names no interpreter that has Dynamo")


@pytest.fixture(scope="module")
def dynamo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dynamo]:
    """A frontend with its workers."""
    with Dynamo(tmp_path_factory.mktemp("dynamo")) as server:
        yield server


def workplace(folder: Path, server: Dynamo, rows: int, max_tokens: int) -> Workplace:
    """Return a place whose model is Dynamo's."""
    place = Workplace(folder, rows)
    place.snapshot |= {"endpoint": server.url, "served_name": NAME, "concurrency": rows}
    place.snapshot["retries"] = {"attempts": 6, "backoff": 0.1, "backoff_max": 1.0}
    place.snapshot["benchmarks"]["b"]["sampling"] = {"temperature": 1.0, "max_tokens": max_tokens}
    return place


def test_a_seed_is_complete_and_every_sample_truncated(tmp_path: Path, dynamo: Dynamo) -> None:
    place = workplace(tmp_path, dynamo, rows=6, max_tokens=20)
    for seed in (42, 43):
        done = place.generate(seed)
        assert done.returncode == 0, done.stderr
    records = place.records()
    assert [(record["seedbed"]["status"], record["num_generated_tokens"]) for record in records] == [
        ("truncated", 20)
    ] * 6
    assert not find([place.out(42), place.out(43)], 1.0).seed_ignored


def test_a_worker_killed_mid_stream_is_waited_for(tmp_path: Path, dynamo: Dynamo) -> None:
    place = workplace(tmp_path, dynamo, rows=6, max_tokens=150)
    job = place.begin()
    progress = tmp_path / "run/m/progress/b-rs42.json"
    wait_until(lambda: progress.exists() and place.progress()["tokens"] > 0)
    dynamo.kill("decode")
    time.sleep(1.5)
    assert job.poll() is None
    dynamo.start_worker("decode")
    _, told = job.communicate(timeout=60)
    assert job.returncode == 0, told
    records = place.records()
    assert [record["num_generated_tokens"] for record in records] == [150] * 6
    assert max(record["seedbed"]["attempts"] for record in records) >= 2


def test_a_burst_over_the_capacity_is_answered_in_the_end(tmp_path: Path, dynamo: Dynamo) -> None:
    place = workplace(tmp_path, dynamo, rows=500, max_tokens=5)
    done = place.generate()
    assert done.returncode == 0, done.stderr
    assert {record["num_generated_tokens"] for record in place.records()} == {5}


def test_a_name_that_is_not_listed_is_refused(tmp_path: Path, dynamo: Dynamo) -> None:
    place = workplace(tmp_path, dynamo, rows=1, max_tokens=5)
    place.snapshot["served_name"] = "tiney"
    done = place.generate()
    assert done.returncode == 1
    assert "lists tiny; expected 'tiney' (served_name); the nearest is 'tiny'" in done.stderr


def test_an_answer_over_the_context_is_found_before_the_first_sample(tmp_path: Path, dynamo: Dynamo) -> None:
    place = workplace(tmp_path, dynamo, rows=1, max_tokens=2047)
    done = place.generate()
    assert done.returncode == 1
    assert "the served context of model 'm' is 2048 tokens; expected at least" in done.stderr


def test_a_prompt_over_the_context_is_told_though_the_server_only_says_500(tmp_path: Path, dynamo: Dynamo) -> None:
    place = workplace(tmp_path, dynamo, rows=1, max_tokens=5)
    place.snapshot["benchmarks"]["b"]["prompt"] = "{problem} " * 600
    done = place.generate()
    assert done.returncode == 1
    assert "the longest prompt (b-0)" in done.stderr
    assert "context of 2048 tokens, is not answered" in done.stderr


def test_an_unknown_field_is_found_before_the_first_sample(tmp_path: Path, dynamo: Dynamo) -> None:
    place = workplace(tmp_path, dynamo, rows=1, max_tokens=5)
    place.snapshot["extra_body"] = {"no_such_field": 1}
    done = place.generate()
    assert done.returncode == 1
    assert "HTTP 400" in done.stderr
    assert "no_such_field" in done.stderr
