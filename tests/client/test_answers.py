"""Answers of every shape become honest records."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from seedbed.core.digests import with_server
from tests.client.stub_server import DONE, Ask, Reply, Step, delta, event, serving, streamed, usage, whole
from tests.client.workplace import FINGERPRINT, Workplace


def right(ask: Ask) -> Reply:
    """Answer with the number that was asked for."""
    text = f"So it is \\boxed{{{number(ask)}}}"
    return streamed(text) if ask.body.get("stream") else whole(text)


def number(ask: Ask) -> int:
    """Return the number of the row."""
    return int(re.findall(r"\d+", ask.prompt)[-1])


def test_a_seed_is_generated_complete_and_in_the_order_of_the_dataset(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=20)
    with serving(right) as server:
        place.snapshot["endpoint"] = server.url
        done = place.generate()
    assert done.returncode == 0, done.stderr
    records = place.records()
    assert [record["id"] for record in records] == [f"b-{n}" for n in range(20)]
    assert all(record["symbolic_correct"] for record in records)
    assert [record["predicted_answer"] for record in records] == [str(n) for n in range(20)]
    assert place.out().with_name("output-rs42.jsonl.done").exists()
    told = {"done": 20, "total": 20, "correct": 20, "truncated": 0, "errors": 0, "state": "done", "tokens": 80}
    assert told.items() <= place.progress().items()
    assert "20/20 done, 100.0 % right so far, 0 truncated, 0 errors" in done.stderr
    assert [path.name for path in place.out().parent.glob("*.jsonl")] == ["output-rs42.jsonl"]


def test_a_record_holds_what_the_formats_promise(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=1)
    with serving(right) as server:
        place.snapshot["endpoint"] = server.url
        assert place.generate().returncode == 0
    (record,) = place.records()
    ours = record.pop("seedbed")
    start, end = record.pop("generation_start_time"), record.pop("generation_end_time")
    assert end - start == pytest.approx(record.pop("generation_time"), abs=1e-5)
    assert record == {
        "id": "b-0",
        "problem": "number 0",
        "expected_answer": "0",
        "generation": "So it is \\boxed{0}",
        "num_generated_tokens": 4,
        "finish_reason": "stop",
        "serialized_output": [{"role": "assistant", "content": "So it is \\boxed{0}"}],
        "predicted_answer": "0",
        "symbolic_correct": True,
    }
    (ask,) = server.samples
    assert ours.pop("ttft") > 0
    assert len(ours.pop("key")) == 64
    assert ours == {
        "status": "ok",
        "reason": None,
        "flags": [],
        "request_sha256": hashlib.sha256(ask.raw).hexdigest(),
        "model": "stub",
        "seed": 42,
        "attempts": 1,
        "prompt_tokens": 10,
        "tokens_counted": "usage",
        "fingerprint": with_server(FINGERPRINT, json.loads(place.server.read_text())),
    }
    assert (tmp_path / "run/m/requests/b-rs42.json").read_bytes() == ask.raw


def test_every_request_carries_the_seed_of_its_file_and_no_field_that_was_not_asked_for(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=4)
    with serving(right) as server:
        place.snapshot["endpoint"] = server.url
        for seed in (42, 43):
            assert place.generate(seed).returncode == 0
    assert [ask.body["seed"] for ask in server.samples] == [42] * 4 + [43] * 4
    fields = {"model", "messages", "seed", "temperature", "max_tokens", "stream", "stream_options"}
    assert all(set(ask.body) == fields for ask in server.samples)


def test_without_streaming_the_record_is_the_same(tmp_path: Path) -> None:
    records = []
    for stream in (True, False):
        place = Workplace(tmp_path / str(stream), rows=1)
        with serving(right) as server:
            place.snapshot |= {"endpoint": server.url, "stream": stream}
            assert place.generate().returncode == 0
        (record,) = place.records()
        for field in ("generation_start_time", "generation_end_time", "generation_time"):
            assert record.pop(field) > 0
        ours = record["seedbed"]
        assert (ours.pop("ttft") is not None) is stream
        ours.pop("request_sha256")
        records.append(record)
    assert records[0] == records[1]


def test_each_end_of_an_answer_has_its_status(tmp_path: Path) -> None:
    """All text in reasoning_content, content null, nothing at all, cut at max_tokens."""
    null = [delta(None, "I think"), delta(None), delta(finish="length"), usage(3), DONE]
    replies = [
        streamed("", reasoning="it must be 7"),
        Reply(null),
        Reply([delta(""), delta(finish="stop"), usage(0), DONE]),
        streamed("7 and so on", "length"),
        streamed("done </think> \\boxed{4}", reasoning="well"),
    ]
    place = Workplace(tmp_path, rows=5)
    with serving(lambda ask: replies[number(ask)]) as server:
        place.snapshot["endpoint"] = server.url
        assert place.generate().returncode == 0
    records = place.records()
    assert [record["seedbed"]["status"] for record in records] == ["ok", "truncated", "empty", "truncated", "ok"]
    assert [record["generation"] for record in records[:3]] == ["", "", ""]
    assert [record.get("reasoning_content") for record in records] == ["it must be 7 ", "I think", None, None, "well "]
    assert records[0]["seedbed"]["reason"] == "no content: all text is in reasoning_content"
    assert (records[4]["num_reasoning_tokens"], records[4]["num_answer_tokens"]) == (1, 3)
    assert records[4]["serialized_output"][0]["reasoning_content"] == "well "
    assert len(server.samples) == 5


def test_a_stream_cut_anywhere_into_chunks_with_comments_and_crlf_is_read_the_same(tmp_path: Path) -> None:
    body = b": waiting\r\n\r\n" + b"".join(
        event(choices=[{"delta": {"content": piece}, "finish_reason": None}]).replace(b"\n", b"\r\n")
        for piece in ("été ", "😀 ", "\\boxed{0}")
    )
    raw = body.replace(b"\\u00e9", "é".encode()).replace(b"\\ud83d\\ude00", "😀".encode())
    end = delta(finish="stop") + DONE + DONE
    place = Workplace(tmp_path, rows=1)
    chunks = [bytes([byte]) for byte in raw] + [end]
    with serving(lambda _ask: Reply(chunks)) as server:
        place.snapshot["endpoint"] = server.url
        assert place.generate().returncode == 0
    (record,) = place.records()
    assert record["generation"] == "été 😀 \\boxed{0}"
    assert record["num_generated_tokens"] == 3


def test_a_loop_is_flagged_and_cut_only_if_the_config_says_so(tmp_path: Path) -> None:
    waiting: list[Step] = [*[delta("Wait, ")] * 20, 0.01] * 20
    steps: list[Step] = [delta("Let me see. "), *waiting, delta(finish="stop"), usage(401), DONE]
    for cut in (False, True):
        place = Workplace(tmp_path / str(cut), rows=1)
        with serving(lambda _ask: Reply(steps)) as server:
            place.snapshot |= {"endpoint": server.url, "loops": {"flag_chars": 1000, "cut": cut}}
            assert place.generate().returncode == 0
        (record,) = place.records()
        assert record["seedbed"]["flags"] == ["loop"]
        assert "repeats 6 bytes over and over" in record["seedbed"]["reason"]
        assert record["seedbed"]["status"] == ("truncated" if cut else "ok")
        assert record["finish_reason"] == ("length" if cut else "stop")
        assert (len(record["generation"]) < 2000) is cut
        assert len(server.samples) == 1


def test_the_row_and_the_score_are_those_of_now_the_answer_that_of_then(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=2)
    with serving(right) as server:
        place.snapshot["endpoint"] = server.url
        assert place.generate().returncode == 0
        place.data.write_text(place.data.read_text().replace('"expected_answer": "1"', '"expected_answer": "5"'))
        assert place.generate().returncode == 0
    assert [record["symbolic_correct"] for record in place.records()] == [True, False]
    assert len(server.samples) == 2


def test_mathematics_is_graded_as_the_strict_scorer_does(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=3)
    place.snapshot["benchmarks"]["b"]["answer_type"] = "math"
    answers = ["\\frac{0}{3}", "1.0", "3"]
    with serving(lambda ask: streamed(f"so \\boxed{{{answers[number(ask)]}}}")) as server:
        place.snapshot["endpoint"] = server.url
        done = place.generate()
    assert done.returncode == 0, done.stderr
    assert [record["symbolic_correct"] for record in place.records()] == [True, True, False]
    assert place.progress()["correct"] == 2


def test_a_run_begun_with_nemo_skills_is_taken_over(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=4)
    partial = place.out().with_name("output-rs42.jsonl-async")
    partial.parent.mkdir(parents=True)
    begun: list[dict[str, Any]] = [
        {
            "id": "b-2",
            "problem": "number 2",
            "generation": "\\boxed{2}",
            "finish_reason": "stop",
            "num_generated_tokens": 9,
        },
        {
            "id": "b-0",
            "problem": "number 0",
            "generation": "\\boxed{0",
            "finish_reason": "length",
            "generation_time": 2.5,
        },
        {"id": "b-1", "problem": "number 1", "generation": "", "finish_reason": "error"},
    ]
    lines = [json.dumps(record | {"_async_position": int(record["id"][2:])}) for record in begun]
    partial.write_text("\n".join(lines) + '\n{"id": "b-3", "gener')
    with serving(right) as server:
        place.snapshot["endpoint"] = server.url
        done = place.generate()
    assert done.returncode == 0, done.stderr
    assert sorted(map(number, server.samples)) == [1, 3]
    assert "2 answers taken over" in done.stderr
    assert "torn" in done.stderr
    records = place.records()
    assert [record["generation"] for record in records[:3:2]] == ["\\boxed{0", "\\boxed{2}"]
    assert records[0]["generation_time"] == 2.5
    assert "_async_position" not in records[2]
    assert not partial.exists()


def test_a_partial_file_of_another_dataset_is_refused(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=1)
    partial = place.out().with_name("output-rs42.jsonl-async")
    partial.parent.mkdir(parents=True)
    partial.write_text('{"_async_position": 0, "id": "other-0", "generation": "x", "finish_reason": "stop"}\n')
    place.snapshot["endpoint"] = "http://127.0.0.1:9/v1"
    done = place.generate()
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith("line 1: id is 'other-0'; row 0 has 'b-0'")
    assert partial.exists()
