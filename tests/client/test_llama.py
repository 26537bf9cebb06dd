"""The client against a real llama.cpp server with a real model; counts within bounds, never exact texts."""

import json
import os
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.client.fault_proxy import (
    FaultProxy,
    busy,
    byte_by_byte,
    comments_first,
    cut_at,
    end_mark_twice,
    silent,
    without_end_mark,
)
from tests.client.llama import KEY, Llama
from tests.client.stub_server import wait_until
from tests.client.workplace import Workplace


@pytest.fixture(scope="module")
def llama(real_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Llama]:
    """A server for the tests that leave it alive."""
    with Llama(real_model, tmp_path_factory.mktemp("llama")) as server:
        yield server


def workplace(folder: Path, server: Llama, rows: int, max_tokens: int, **sampling: Any) -> Workplace:
    """Return a place whose model is the real one."""
    place = Workplace(folder, rows)
    place.snapshot |= {"endpoint": server.url, "api_key_env": "TEST_KEY", "served_name": "smollm2", "concurrency": 4}
    place.snapshot["timeouts"] |= {"silence": 60, "server_wait": 60}
    place.snapshot["benchmarks"]["b"] |= {
        "prompt": "What is 1 + {problem}? Answer with \\boxed{}.",
        "sampling": {"temperature": 0.7, "max_tokens": max_tokens, **sampling},
    }
    return place


def get(url: str) -> Any:
    """Return what the server says at `url`."""
    asked = urllib.request.Request(url, headers={"Authorization": f"Bearer {KEY}"})
    with urllib.request.urlopen(asked, timeout=20) as reply:
        return json.load(reply)


def test_a_seed_of_a_real_model_is_complete(tmp_path: Path, llama: Llama) -> None:
    place = workplace(tmp_path, llama, rows=5, max_tokens=12)
    done = place.generate(TEST_KEY=KEY)
    assert done.returncode == 0, done.stderr
    records = place.records()
    assert [record["id"] for record in records] == [f"b-{n}" for n in range(5)]
    assert {record["seedbed"]["model"] for record in records} == {"smollm2"}
    assert all(1 <= record["num_generated_tokens"] <= 12 for record in records)
    assert all(0 < record["seedbed"]["ttft"] <= record["generation_time"] for record in records)
    assert {record["finish_reason"] for record in records} <= {"stop", "length"}
    assert all(record["seedbed"]["prompt_tokens"] > 10 for record in records)
    assert place.progress()["tokens"] == sum(record["num_generated_tokens"] for record in records)


def test_seeds_of_a_real_model_differ(tmp_path: Path, llama: Llama) -> None:
    from seedbed.health.repetition import find

    place = workplace(tmp_path, llama, rows=2, max_tokens=24, top_p=1.0)
    place.snapshot["benchmarks"]["b"]["sampling"]["temperature"] = 1.5
    for seed in (42, 43):
        assert place.generate(seed, TEST_KEY=KEY).returncode == 0
    found = find([place.out(42), place.out(43)], 1.5)
    assert found.samples <= 1
    assert not found.seed_ignored


def test_streaming_or_not_is_the_same_request_to_the_store(tmp_path: Path, llama: Llama) -> None:
    place = workplace(tmp_path, llama, rows=2, max_tokens=4)
    place.snapshot["stream"] = False
    assert place.generate(TEST_KEY=KEY).returncode == 0
    first = place.out().read_bytes()
    place.snapshot["stream"] = True
    assert place.generate(TEST_KEY=KEY).returncode == 0
    assert place.out().read_bytes() == first


def test_a_name_that_llama_does_not_list_is_refused_though_it_would_answer(tmp_path: Path, llama: Llama) -> None:
    place = workplace(tmp_path, llama, rows=1, max_tokens=4)
    place.snapshot["served_name"] = "smollm3"
    done = place.generate(TEST_KEY=KEY)
    assert done.returncode == 1
    assert "lists smollm2; expected 'smollm3' (served_name)" in done.stderr


def test_a_prompt_over_the_real_context_is_found_before_the_first_sample(tmp_path: Path, llama: Llama) -> None:
    """2048 tokens in 4 slots are 512 for each; llama.cpp answers 400 with the counts."""
    place = workplace(tmp_path, llama, rows=1, max_tokens=500)
    fits = place.generate(TEST_KEY=KEY)
    assert fits.returncode == 1
    assert "the served context of model 'm' is 512 tokens; expected at least 5" in fits.stderr
    place.snapshot["benchmarks"]["b"] |= {"prompt": "word " * 600 + "{problem}", "sampling": {"temperature": 1.0}}
    done = place.generate(TEST_KEY=KEY)
    assert done.returncode == 1
    assert "HTTP 400" in done.stderr
    assert "context size" in done.stderr


def test_a_model_that_does_not_reason_is_refused_where_it_has_to(tmp_path: Path, llama: Llama) -> None:
    place = workplace(tmp_path, llama, rows=1, max_tokens=16)
    place.snapshot["reasoning"] = "required"
    done = place.generate(TEST_KEY=KEY)
    assert done.returncode == 1
    assert "its answer to a test question shows none" in done.stderr


def test_a_wrong_key_is_told_and_not_shown(tmp_path: Path, llama: Llama) -> None:
    place = workplace(tmp_path, llama, rows=1, max_tokens=4)
    done = place.generate(TEST_KEY="sk-wrong-key")
    assert done.returncode == 1
    assert "HTTP 401" in done.stderr
    assert "sk-wrong-key" not in done.stderr


def test_a_job_that_is_stopped_frees_the_slots_at_once(tmp_path: Path, llama: Llama) -> None:
    place = workplace(tmp_path, llama, rows=4, max_tokens=400)
    job = place.begin(TEST_KEY=KEY)
    slots = llama.url.removesuffix("/v1") + "/slots"
    wait_until(lambda: sum(slot["is_processing"] for slot in get(slots)) == 4)
    job.terminate()
    job.communicate(timeout=20)
    began = time.monotonic()
    wait_until(lambda: not any(slot["is_processing"] for slot in get(slots)))
    assert time.monotonic() - began < 10
    assert job.returncode == 1


def test_a_real_server_killed_mid_stream_and_restarted_elsewhere_loses_nothing(
    tmp_path: Path, real_model: Path
) -> None:
    with Llama(real_model, tmp_path) as server:
        place = workplace(tmp_path, server, rows=8, max_tokens=24)
        place.snapshot |= {"endpoint": None, "api_key_env": None}
        job = place.begin()
        place.replace("run/m/lease", "1")
        place.publish(server.url, 1, KEY)
        wait_until(lambda: place.store().exists() and place.store().stat().st_size > 0, 40)
        old = server.url
        server.kill()
        kept = place.store().read_text()
        assert 1 <= len(kept.splitlines()) < 8
        os.utime(tmp_path / "run/m/lease")
        server.start()
        place.publish(server.url, 2, KEY)
        os.utime(tmp_path / "run/m/lease")
        _, told = job.communicate(timeout=60)
    assert job.returncode == 0, told
    assert server.url != old
    assert [record["id"] for record in place.records()] == [f"b-{n}" for n in range(8)]
    assert place.store().read_text().startswith(kept)
    assert len(place.store().read_text().splitlines()) == 8
    assert max(record["seedbed"]["attempts"] for record in place.records()) >= 2


def test_a_real_stream_spoiled_in_every_way_still_gives_whole_answers(tmp_path: Path, llama: Llama) -> None:
    faults = [
        *(byte_by_byte, cut_at(0.2), cut_at(0.5), cut_at(0.97), without_end_mark),
        *(end_mark_twice, comments_first, silent, busy, busy),
    ]
    harmless = 3
    with FaultProxy(int(llama.url.split(":")[2].removesuffix("/v1")), faults) as proxy:
        place = workplace(tmp_path, llama, rows=10, max_tokens=6)
        place.snapshot["endpoint"] = proxy.url
        place.snapshot["timeouts"] |= {"silence": 3}
        done = place.generate(TEST_KEY=KEY)
    assert done.returncode == 0, done.stderr
    records = place.records()
    assert [record["id"] for record in records] == [f"b-{n}" for n in range(10)]
    assert sum(record["seedbed"]["attempts"] for record in records) == proxy.chats == 10 + len(faults) - harmless
    assert all(record["finish_reason"] in ("stop", "length") and record["generation"] for record in records)
    assert len(place.store().read_text().splitlines()) == 10
