"""What other servers that speak the same protocol do differently, and what must not be taken from them."""

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.client.stub_server import DONE, Ask, Reply, Step, delta, event, refusal, serving, streamed, usage, whole
from tests.client.workplace import Workplace

KEY = "sk-" + "A1b2C3d4" * 6
ANSWER = streamed("So it is \\boxed{0}")
WHOLE = whole("So it is \\boxed{0}")


def right(_ask: Ask) -> Reply:
    """Answer the first row."""
    return ANSWER


def always(reply: Reply) -> Callable[[Ask], Reply]:
    """Return a behaviour that gives `reply` to every request."""
    return lambda _ask: reply


@pytest.mark.parametrize(
    ("reply", "stream"),
    [
        (Reply(ANSWER.steps, content_type="application/json"), True),
        (Reply(WHOLE.steps, content_type="text/plain"), False),
        (Reply([b"\n ", *WHOLE.steps], content_type="text/event-stream"), False),
        (Reply([event(model="", choices=[], prompt_filter_results=[]), *ANSWER.steps]), True),
    ],
)
def test_a_body_is_what_it_begins_like_and_not_what_its_header_says(tmp_path: Path, reply: Reply, stream: bool) -> None:
    place = Workplace(tmp_path, rows=1)
    with serving(always(reply)) as server:
        place.snapshot |= {"endpoint": server.url, "stream": stream}
        done = place.generate()
    assert done.returncode == 0, done.stderr
    (record,) = place.records()
    assert (record["generation"], record["num_generated_tokens"]) == ("So it is \\boxed{0}", 4)
    assert record["seedbed"]["attempts"] == 1


NAMED = b'event: error\ndata: {"detail":"engine died"}\n\n'
ECHOES: dict[str, Any] = {
    "400": lambda said: refusal(400, "x" * 280 + " " + said),
    "401": lambda said: refusal(401, "z" * 275 + " " + said),
    "event": lambda said: Reply([b"data: not json " + b"y" * 40 + said.encode() + b"\n\n"]),
    "model": lambda said: Reply([delta("hi"), event(model=said, choices=[]), delta(finish="stop"), DONE]),
}


@pytest.mark.parametrize("echo", ECHOES)
@pytest.mark.parametrize("tolerated", [0.0, 1.0])
def test_no_part_of_the_key_is_shown_wherever_a_server_repeats_it(tmp_path: Path, echo: str, tolerated: float) -> None:
    place = Workplace(tmp_path, rows=1)
    with serving(lambda ask: ECHOES[echo](ask.headers["authorization"])) as server:
        server.key = KEY
        place.snapshot |= {
            "endpoint": server.url,
            "api_key_env": "TEST_KEY",
            "errors": {"max_failed_fraction": tolerated},
        }
        done = place.generate(TEST_KEY=KEY)
    assert done.returncode == (0 if tolerated and echo != "401" else 1)
    texts = [done.stderr, *(path.read_text() for path in tmp_path.rglob("*") if path.is_file())]
    assert not any(KEY[:6] in text for text in texts)


def test_an_error_that_comes_in_pieces_is_read_whole(tmp_path: Path) -> None:
    quota: list[Step] = [b'{"error":{"message":"You exceeded your quota",', 0.1, b'"code":"insufficient_quota"}}']
    place = Workplace(tmp_path, rows=1)
    with serving(lambda _ask: Reply(quota, 429, {}, "application/json")) as server:
        place.snapshot["endpoint"] = server.url
        assert place.generate().returncode == 1
        assert len(server.samples) == 1
    long: list[Step] = [b'{"error":{"message":"This model\'s ', 0.1, b'maximum context length is 2048 tokens"}}']
    with serving(lambda _ask: Reply(long, 400, {}, "application/json")) as server:
        place.snapshot |= {"endpoint": server.url, "context_overflow": "skip"}
        assert place.generate().returncode == 0
    assert place.records()[0]["seedbed"]["flags"] == ["skipped"]


@pytest.mark.parametrize("steps", [[NAMED, delta(finish="stop"), DONE], [b"event: error\n: worker lost\n\n", DONE]])
def test_an_event_named_error_is_an_error(tmp_path: Path, steps: list[Step]) -> None:
    place = Workplace(tmp_path, rows=1)
    with serving(lambda ask: Reply([delta("hi"), *steps]) if ask.attempt == 1 else ANSWER) as server:
        place.snapshot["endpoint"] = server.url
        assert place.generate().returncode == 0
    (record,) = place.records()
    assert (record["generation"], record["seedbed"]["attempts"]) == ("So it is \\boxed{0}", 2)


@pytest.mark.parametrize(
    "reply",
    [
        Reply([b"[" * 60_000], 503, {}, "application/json"),
        Reply([b'{"error":{"message":"bad \\ud800 thing"}}'], 503, {}, "application/json"),
        refusal(429, "later", {"Retry-After": "Mon, 01 Jan 99999 00:00:00 GMT"}),
        refusal(429, "later", {"Retry-After": "Mon, 01 Jan 2026 00:00:00 +99999999999999"}),
    ],
)
def test_an_odd_refusal_is_a_refusal(tmp_path: Path, reply: Reply) -> None:
    place = Workplace(tmp_path, rows=1)
    with serving(lambda ask: reply if ask.attempt == 1 else ANSWER) as server:
        place.snapshot["endpoint"] = server.url
        done = place.generate()
    assert done.returncode == 0, done.stderr
    assert place.records()[0]["seedbed"]["attempts"] == 2


def test_a_loop_is_cut_out_of_a_whole_answer_as_out_of_a_stream(tmp_path: Path) -> None:
    said = "Let me see. " + "Wait, " * 400
    steps: list[Step] = []
    for piece in re.findall(r".{6}", said):
        steps += [delta(piece), 0.001]
    cut = []
    for stream in (True, False):
        place = Workplace(tmp_path / str(stream), rows=1)
        reply = Reply([*steps, delta(finish="stop"), usage(402), DONE]) if stream else whole(said)
        with serving(always(reply)) as server:
            place.snapshot |= {"endpoint": server.url, "stream": stream, "loops": {"flag_chars": 600, "cut": True}}
            assert place.generate().returncode == 0
        (record,) = place.records()
        assert (record["finish_reason"], record["seedbed"]["status"]) == ("length", "truncated")
        assert record["seedbed"]["flags"] == ["loop"]
        assert said.startswith(record["generation"])
        cut.append((len(record["generation"]), record["seedbed"]["reason"]))
    assert cut[0][1] == cut[1][1]
    assert cut[1][0] == 750
    assert cut[0][0] == pytest.approx(750, abs=60)


def test_an_answer_ends_at_its_end_mark_and_not_with_its_connection(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=6)
    place.snapshot["concurrency"] = 1
    with serving(lambda _ask: Reply([*ANSWER.steps, 0.8])) as server:
        place.snapshot["endpoint"] = server.url
        begun = time.monotonic()
        assert place.generate().returncode == 0
    assert time.monotonic() - begun < 6 * 0.8
    assert all(record["generation_time"] < 0.5 for record in place.records())


def test_the_wait_that_a_server_asks_for_ends_when_another_is_published(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=1)
    with serving(right) as fresh:

        def refuse(_ask: Ask) -> Reply:
            place.publish(fresh.url, 2)
            return refusal(429, "later", {"Retry-After": "600"})

        with serving(refuse) as old:
            place.replace("run/m/lease", "1")
            place.publish(old.url, 1)
            done = place.generate()
    assert done.returncode == 0, done.stderr
    assert (len(old.samples), len(fresh.samples)) == (1, 1)


def test_how_tokens_were_counted_is_told(tmp_path: Path) -> None:
    for steps, expected in ((ANSWER.steps, "usage"), ([delta("\\boxed{0}"), delta(finish="stop"), DONE], "events")):
        place = Workplace(tmp_path / expected, rows=1)
        with serving(always(Reply(steps))) as server:
            place.snapshot["endpoint"] = server.url
            assert place.generate().returncode == 0
        assert place.records()[0]["seedbed"]["tokens_counted"] == expected


GOOD = {"_async_position": 0, "generation": "\\boxed{0}", "finish_reason": "stop", "num_generated_tokens": 4}


@pytest.mark.parametrize(
    "wrong",
    [
        {"generation": ["a"]},
        {"generation": 5},
        {"num_generated_tokens": "many"},
        {"num_generated_tokens": -1},
        {"reasoning_content": 5},
        {"generation_time": float("nan")},
        {"finish_reason": ""},
        {"finish_reason": 7},
    ],
)
def test_a_field_of_the_wrong_type_is_not_taken_over(tmp_path: Path, wrong: dict[str, Any]) -> None:
    place = Workplace(tmp_path, rows=1)
    partial = place.out().with_name("output-rs42.jsonl-async")
    partial.parent.mkdir(parents=True)
    partial.write_text(json.dumps(GOOD | wrong) + "\n")
    with serving(right) as server:
        place.snapshot["endpoint"] = server.url
        done = place.generate()
    assert done.returncode == 0, done.stderr
    assert "output-rs42.jsonl-async, line 1: b-0 is not taken over but generated again" in done.stderr
    assert len(server.samples) == 1


def test_half_a_character_in_an_answer_taken_over_is_replaced(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=1)
    partial = place.out().with_name("output-rs42.jsonl-async")
    partial.parent.mkdir(parents=True)
    partial.write_text(json.dumps(GOOD | {"generation": "\ud83d \\boxed{0}"}) + "\n")
    with serving(right) as server:
        place.snapshot["endpoint"] = server.url
        done = place.generate()
    assert done.returncode == 0, done.stderr
    assert (place.records()[0]["generation"], len(server.samples)) == ("� \\boxed{0}", 0)


def test_a_foreign_record_in_the_store_ends_the_job_with_one_line(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=2)
    with serving(lambda ask: streamed("\\boxed{0}")) as server:
        place.snapshot["endpoint"] = server.url
        assert place.generate().returncode == 0
        first, second = place.store().read_text().splitlines()
        key = json.loads(second)["key"]
        place.store().write_text(f'{first}\n{{"key":"{key}","record":{{"id":"b-0"}}}}\n')
        place.out().unlink()
        done = place.generate()
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert re.match(
        r"error: store/m/b/rs42.jsonl, line 2: .*`python -m seedbed store drop`", done.stderr.splitlines()[-1]
    )
