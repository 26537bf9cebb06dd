"""The body of a request, its hash and its key."""

import hashlib
import json
from typing import Any

import msgspec
import pytest

from seedbed.client.job_config import Benchmark, Loops, Snapshot
from seedbed.client.requests import Request, all_requests, chat_body
from seedbed.core.digests import digest
from seedbed.records.dataset import Row

ROW: Row = {"id": "b-0", "problem": "1 + {x}?", "expected_answer": "2"}
BENCHMARK = Benchmark("Say {problem}", {"temperature": 1.0, "max_tokens": 5}, "f")
SNAPSHOT = Snapshot("m", "served", {"b": BENCHMARK})
SERVER = {"flags": ["é"]}


def one(
    snapshot: Snapshot = SNAPSHOT, benchmark: Benchmark = BENCHMARK, seed: int = 42, server: object = SERVER, **row: Any
) -> Request:
    """Return the request of the one row."""
    return all_requests(snapshot, benchmark, [ROW | row], seed, server)[0]


def test_the_body_holds_what_was_asked_for_and_no_other_field() -> None:
    assert json.loads(one().body) == {
        "model": "served",
        "messages": [{"role": "user", "content": "Say 1 + {x}?"}],
        "seed": 42,
        "temperature": 1.0,
        "max_tokens": 5,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_without_streaming_no_field_speaks_of_it() -> None:
    assert "stream" not in one(msgspec.structs.replace(SNAPSHOT, stream=False)).body.decode()


def test_the_system_text_and_extra_fields_are_sent() -> None:
    benchmark = msgspec.structs.replace(BENCHMARK, system="Be brief.", extra_body={"top_k": 3})
    snapshot = msgspec.structs.replace(SNAPSHOT, extra_body={"chat_template_kwargs": {"enable_thinking": True}})
    body = chat_body(snapshot, benchmark, ROW, 42)
    assert body["messages"][0] == {"role": "system", "content": "Be brief."}
    assert (body["chat_template_kwargs"], body["top_k"]) == ({"enable_thinking": True}, 3)


def test_the_hash_is_of_the_bytes_sent_and_the_key_of_all_that_shapes_the_answer() -> None:
    made = one()
    assert made.sha256 == hashlib.sha256(made.body).hexdigest()
    assert made.key == digest({"server": SERVER, "row": "b-0", "request": chat_body(SNAPSHOT, BENCHMARK, ROW, 42)})


@pytest.mark.parametrize(
    "other",
    [
        one(seed=43),
        one(server={"flags": []}),
        one(id="b-1"),
        one(problem="2 + 2?"),
        one(benchmark=msgspec.structs.replace(BENCHMARK, sampling={"temperature": 0.5, "max_tokens": 5})),
        one(benchmark=msgspec.structs.replace(BENCHMARK, prompt="Tell {problem}")),
        one(msgspec.structs.replace(SNAPSHOT, served_name="other")),
        one(msgspec.structs.replace(SNAPSHOT, loops=Loops(1000, cut=True))),
    ],
)
def test_whatever_shapes_an_answer_changes_its_key(other: Request) -> None:
    assert other.key != one().key


@pytest.mark.parametrize(
    "other",
    [
        one(expected_answer="3"),
        one(msgspec.structs.replace(SNAPSHOT, stream=False)),
        one(msgspec.structs.replace(SNAPSHOT, endpoint="http://x/v1", concurrency=7)),
        one(msgspec.structs.replace(SNAPSHOT, loops=Loops(1000, cut=False))),
    ],
)
def test_how_the_answer_travels_and_is_scored_changes_no_key(other: Request) -> None:
    assert other.key == one().key


def test_four_repeats_at_a_temperature_have_four_keys() -> None:
    assert len({one(seed=seed).key for seed in range(42, 46)}) == 4


def test_further_fields_override_nothing_that_the_run_sets() -> None:
    extra = {"seed": 7, "model": "other", "messages": [], "temperature": 0.0, "top_k": 3}
    for snapshot, benchmark in (
        (msgspec.structs.replace(SNAPSHOT, extra_body=extra), BENCHMARK),
        (SNAPSHOT, msgspec.structs.replace(BENCHMARK, extra_body=extra)),
    ):
        assert chat_body(snapshot, benchmark, ROW, 42) == chat_body(SNAPSHOT, BENCHMARK, ROW, 42) | {"top_k": 3}
