"""Every way in which a server was seen to fail, imitated by a stand-in: nothing lost, nothing doubled, nothing wrong.

The stand-in does what llama.cpp and Dynamo did; other files of this folder let the real ones do it.
"""

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.client.stub_server import (
    DONE,
    Ask,
    Cut,
    Reply,
    Step,
    delta,
    event,
    refusal,
    serving,
    streamed,
    usage,
    wait_until,
)
from tests.client.workplace import Workplace


def number(ask: Ask) -> int:
    """Return the number of the row."""
    return int(re.findall(r"\d+", ask.prompt)[-1])


def right(ask: Ask) -> Reply:
    """Answer with the number that was asked for."""
    return streamed(f"So it is \\boxed{{{number(ask)}}}")


def at_first(reply: Reply, times: int = 1) -> Callable[[Ask], Reply]:
    """Return a behaviour that gives `reply` to the first requests of every sample, then the right answer."""
    return lambda ask: reply if ask.attempt <= times else right(ask)


BEGUN = [delta("So "), delta("it ")]
WORKER_LOST = event(error={"code": 503, "message": "worker lost", "type": "Service Unavailable"})
PASSING = {
    "body cut inside a UTF-8 character": Reply([*BEGUN, b'data: {"choices":[{"delta":{"content":"\xf0\x9f', Cut.ABORT]),
    "body cut between events": Reply([*BEGUN, Cut.ABORT]),
    "error inside a 200 stream, then the end mark": Reply([*BEGUN, WORKER_LOST, DONE]),
    "error inside a 200 stream at the top level": Reply(
        [*BEGUN, event(message="worker lost", type="x", code=500), DONE]
    ),
    "end mark without a finish_reason": Reply([*BEGUN, DONE]),
    "clean end without anything": Reply([]),
    "missing end mark": Reply([*BEGUN, delta(finish="stop"), usage(2)]),
    "finish_reason abort": Reply([*BEGUN, delta(finish="abort"), DONE]),
    "no JSON in an event": Reply([*BEGUN, b"data: {what\n\n", DONE]),
    "an error page with status 200": Reply([b"<html>busy</html>"], content_type="text/html"),
    "503": refusal(503, "overloaded"),
    "503 with Retry-After": refusal(503, "overloaded", {"Retry-After": "0.2"}),
    "429": refusal(429, "slow down"),
    "502 from a proxy": Reply([b"bad gateway"], 502, content_type="text/plain"),
    "a bare 500": Reply([b"Internal Server Error"], 500, content_type="text/plain"),
    "404 after a success": refusal(404, "no such model"),
}


@pytest.mark.parametrize("fault", PASSING)
def test_a_passing_fault_costs_another_attempt_and_nothing_else(tmp_path: Path, fault: str) -> None:
    place = Workplace(tmp_path, rows=3)
    behave = at_first(PASSING[fault])
    if fault == "404 after a success":
        place.snapshot["concurrency"] = 1
        behave = lambda ask: refusal(404, "no such model") if number(ask) > 0 and ask.attempt == 1 else right(ask)  # noqa: E731
    with serving(behave) as server:
        place.snapshot["endpoint"] = server.url
        done = place.generate()
    assert done.returncode == 0, done.stderr
    records = place.records()
    assert [record["id"] for record in records] == ["b-0", "b-1", "b-2"]
    assert all(record["symbolic_correct"] and record["seedbed"]["attempts"] <= 2 for record in records)
    assert all(record["generation"] == f"So it is \\boxed{{{n}}}" for n, record in enumerate(records))
    assert len(place.store().read_text().splitlines()) == 3
    assert len(server.samples) == sum(record["seedbed"]["attempts"] for record in records)


def test_the_wait_that_the_server_asks_for_is_kept(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=1)
    times: list[float] = []

    def behave(ask: Ask) -> Reply:
        times.append(time.monotonic())
        return refusal(429, "later", {"Retry-After": "1"}) if ask.attempt == 1 else right(ask)

    with serving(behave) as server:
        place.snapshot["endpoint"] = server.url
        assert place.generate().returncode == 0
    assert 1.0 <= times[1] - times[0] < 5.0


LASTING = {
    "400": (refusal(400, "request (5000 tokens) exceeds the context size (2048 tokens)"), 1),
    "a bare 500, for instance for a prompt over the context": (Reply([], 500), 3),
    "a prompt over the context, as Dynamo streams it": (
        Reply([event(error={"code": 500, "message": "Internal server error"}), DONE]),
        3,
    ),
    "an error 400 inside the stream": (Reply([event(error={"code": 400, "message": "too long"}), DONE]), 1),
    "a redirect": (Reply([], 302, {"Location": "/v1/models"}), 1),
    "422": (refusal(422, "seed must be positive"), 1),
    "always 503": (refusal(503, "overloaded"), None),
    "always cut": (Reply([*BEGUN, Cut.ABORT]), 4),
    "never an end mark": (Reply([*BEGUN, delta(finish="stop")]), 4),
}


@pytest.mark.parametrize("fault", LASTING)
def test_one_of_30_rows_that_always_fails_is_named_and_the_others_are_kept(tmp_path: Path, fault: str) -> None:
    reply, attempts = LASTING[fault]
    place = Workplace(tmp_path, rows=30)
    place.snapshot["timeouts"]["first_byte"] = 1.0
    with serving(lambda ask: reply if number(ask) == 17 else right(ask)) as server:
        place.snapshot["endpoint"] = server.url
        done = place.generate()
        assert done.returncode == 1
        told = done.stderr.splitlines()[-1]
        assert told.startswith("error: 1 of 30 samples failed for good (b-17: ")
        asked = sum(number(ask) == 17 for ask in server.samples)
        assert f"(attempts: {asked})" in told
        assert asked == attempts or (attempts is None and asked > 4)
        assert not place.out().exists()
        assert not place.out().with_name("output-rs42.jsonl.done").exists()
        assert len(place.store().read_text().splitlines()) == 29
        # Allowed by the config, it becomes an error with a row of its own; the 29 are not asked again.
        place.snapshot["errors"] = {"max_failed_fraction": 0.04}
        done = place.generate()
    assert done.returncode == 0, done.stderr
    assert "warning: sample b-17 failed for good and counts as an error" in done.stderr
    records = place.records()
    failed = records[17]
    assert len(records) == 30
    assert (failed["generation"], failed["finish_reason"], failed["predicted_answer"]) == ("", "error", None)
    assert (failed["seedbed"]["status"], failed["symbolic_correct"]) == ("error", False)
    assert failed["seedbed"]["reason"]
    assert [record["seedbed"]["status"] for record in records].count("ok") == 29
    assert len(server.samples) - sum(number(ask) == 17 for ask in server.samples) == 29
    assert len(place.store().read_text().splitlines()) == 29


def test_the_same_reason_of_many_samples_is_told_once(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=3)
    with serving(lambda _ask: refusal(400, "unknown field")) as server:
        place.snapshot["endpoint"] = server.url
        done = place.generate()
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].count("unknown field") == 1
    assert "3 of 3 samples failed for good (b-0, b-1, b-2: HTTP 400: unknown field" in done.stderr


def test_a_wrong_key_stops_the_job_at_once_and_is_not_repeated_in_any_file(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=3)
    secret = "sk-very-secret-000"
    with serving(right) as server:
        server.key = "another"
        place.snapshot |= {"endpoint": server.url, "api_key_env": "TEST_KEY"}
        done = place.generate(TEST_KEY=secret)
        missing = place.generate()
    assert done.returncode == 1
    assert "HTTP 401: Incorrect API key provided: Bearer ***" in done.stderr.splitlines()[-1]
    assert missing.returncode == 2
    assert "environment variable TEST_KEY (api_key_env of model 'm') is not set" in missing.stderr
    texts = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(secret in text for text in [*texts, done.stderr])
    assert len(server.samples) == 0


def test_a_burst_of_503_does_not_use_up_the_patience_while_others_are_answered(tmp_path: Path) -> None:
    """A server with 2 places for 12 streams refuses far more often than a sample may be retried."""
    place = Workplace(tmp_path, rows=24)
    place.snapshot["concurrency"] = 12
    place.snapshot["retries"] = {"attempts": 4, "backoff": 0.02, "backoff_max": 0.05}

    def behave(ask: Ask) -> Reply:
        if server.streams > 2:
            return refusal(503, "overloaded")
        text = right(ask).steps
        return Reply([step for token in text for step in (token, 0.02)])

    with serving(behave) as server:
        place.snapshot["endpoint"] = server.url
        done = place.generate()
    assert done.returncode == 0, done.stderr
    records = place.records()
    assert all(record["symbolic_correct"] for record in records)
    assert len(server.samples) > 24 * 4


def test_silence_ends_an_attempt_and_comments_do_not(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=3)
    place.snapshot["timeouts"] |= {"first_byte": 1.5, "silence": 1.5}
    prefill: list[Step] = [step for _ in range(20) for step in (b": still reading\n\n", 0.15)]

    def behave(ask: Ask) -> Reply:
        if ask.attempt > 1 or number(ask) == 0:
            return Reply([*prefill, *right(ask).steps])
        return Reply([*BEGUN, Cut.HANG]) if number(ask) == 1 else Reply([Cut.HANG])

    with serving(behave) as server:
        place.snapshot["endpoint"] = server.url
        done = place.generate()
    assert done.returncode == 0, done.stderr
    records = place.records()
    assert [record["seedbed"]["attempts"] for record in records] == [1, 2, 2]
    assert records[0]["seedbed"]["ttft"] > 3.0
    assert all(record["symbolic_correct"] for record in records)


def test_a_server_killed_mid_stream_comes_back_on_another_port(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=6)
    slow = [step for token in ("So", " it", " is", " 1") for step in (delta(token), 0.2)]

    def behave(ask: Ask) -> Reply:
        return Reply([*slow, *right(ask).steps]) if generation == 1 else right(ask)

    generation = 1
    with serving(behave) as server:
        job = place.begin()
        place.replace("run/m/lease", "run")
        place.publish(server.url, 1)
        wait_until(lambda: server.streams == 6)
        server.kill()
        (tmp_path / "run/m/endpoint.json").unlink()
        time.sleep(0.5)
        generation, old = 2, server.port
        server.start()
        assert server.port != old
        place.publish(server.url, 2)
        _, told = job.communicate(timeout=30)
    assert job.returncode == 0, told
    records = place.records()
    assert [record["id"] for record in records] == [f"b-{n}" for n in range(6)]
    assert all(record["symbolic_correct"] for record in records)
    assert all(record["seedbed"]["attempts"] <= 3 for record in records)


def test_a_new_server_with_a_new_key_is_no_wrong_key(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=12)
    place.snapshot["concurrency"] = 2

    def behave(ask: Ask) -> Reply:
        return Reply([0.05, *right(ask).steps])

    with serving(behave) as server:
        server.key = "first"
        job = place.begin()
        place.replace("run/m/lease", "run")
        place.publish(server.url, 1, "first")
        wait_until(lambda: len(server.samples) >= 4)
        server.key = "second"
        place.publish(server.url, 2, "second")
        _, told = job.communicate(timeout=30)
    assert job.returncode == 0, told
    assert len(place.records()) == 12


def test_a_server_that_has_failed_for_good_ends_the_job_with_its_own_words(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=2)
    with serving(lambda _ask: Reply([Cut.HANG])) as server:
        job = place.begin()
        place.replace("run/m/lease", "run")
        place.publish(server.url)
        wait_until(lambda: server.streams == 2)
        place.replace("run/m/failed", "ended 3 times; CUDA error: out of memory")
        _, told = job.communicate(timeout=30)
    assert job.returncode == 1
    assert (
        told.splitlines()[-1]
        == "error: run/m: the server has failed for good: ended 3 times; CUDA error: out of memory"
    )
    assert list((tmp_path / "run/m/want").iterdir()) == []


def test_a_driver_that_is_gone_ends_the_job(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=2)
    place.snapshot["lease_seconds"] = 3.0
    job = place.begin()
    for _ in range(4):
        place.replace("run/m/lease", "run")
        time.sleep(0.5)
        assert job.poll() is None
    _, told = job.communicate(timeout=30)
    assert job.returncode == 1
    assert told.splitlines()[-1] == "error: run/m/lease: unchanged for 3 s: the driver of this run is gone"


def test_no_server_within_the_bound_ends_the_job(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=2)
    place.snapshot["timeouts"]["server_wait"] = 0.5
    place.snapshot["endpoint"] = "http://127.0.0.1:9/v1"
    done = place.generate()
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "error: no server for model 'm' within 0.5 s: http://127.0.0.1:9/v1/models: Connection refused"
    )


def test_a_lost_server_of_somebody_else_is_waited_for(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=6)
    place.snapshot["concurrency"] = 2
    with serving(lambda ask: Reply([0.1, *right(ask).steps])) as server:
        place.snapshot["endpoint"] = server.url
        job = place.begin()
        wait_until(lambda: len(server.samples) >= 3)
        models, server.models = server.models, []
        behave, server.behave = server.behave, lambda _ask: refusal(404, "model not found")
        time.sleep(0.6)
        server.models, server.behave = models, behave
        _, told = job.communicate(timeout=30)
    assert job.returncode == 0, told
    assert all(record["symbolic_correct"] for record in place.records())


def test_the_model_of_every_answer_is_compared(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=2)
    other = event(model="quantised", choices=[{"index": 0, "delta": {"content": "7"}, "finish_reason": "stop"}])
    with serving(lambda _ask: Reply([other, DONE])) as server:
        place.snapshot["endpoint"] = server.url
        done = place.generate()
    assert done.returncode == 1
    assert "the answer comes from model 'quantised'; expected 'stub'" in done.stderr
    assert place.store().read_text() == ""


def test_streams_are_ended_when_the_job_is_told_to_stop(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=4)
    place.snapshot["concurrency"] = 3
    with serving(lambda ask: right(ask) if number(ask) == 0 else Reply([*BEGUN, Cut.HANG])) as server:
        place.snapshot["endpoint"] = server.url
        job = place.begin()
        wait_until(lambda: server.streams == 3)
        began = time.monotonic()
        job.terminate()
        _, told = job.communicate(timeout=30)
        assert time.monotonic() - began < 10
    assert job.returncode == 1
    assert told.splitlines()[-1] == "error: interrupted; 1 of 4 samples are kept in the store"
    assert len(place.store().read_text().splitlines()) == 1
    assert place.progress()["state"] == "interrupted"
    assert list((tmp_path / "run/m/want").iterdir()) == []


def test_the_concurrency_of_a_model_is_shared_by_its_seeds(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=200)
    place.snapshot |= {"concurrency": 4, "lease_seconds": 1.8}
    steps = [step for token in ("a", " b", " c") for step in (delta(token), 0.1)]
    with serving(lambda ask: Reply([*steps, *right(ask).steps])) as server:
        place.snapshot["endpoint"] = server.url
        jobs = [place.begin(seed) for seed in (42, 43)]
        wait_until(lambda: {ask.body["seed"] for ask in server.samples} == {42, 43})
        for _ in range(30):  # the first beats tell each job of the other; streams begun before have to end
            server.most_streams = 0
            time.sleep(0.6)
            if 3 <= server.most_streams <= 4:
                break
        assert 3 <= server.most_streams <= 4
        for job in jobs:
            job.terminate()
            job.communicate(timeout=30)


def test_the_share_that_the_broker_publishes_is_read_again(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=60)
    place.snapshot |= {"concurrency": 8, "lease_seconds": 9.0}
    with serving(lambda ask: Reply([0.1, *right(ask).steps])) as server:
        place.replace("run/m/share.json", '{"streams": 2}')
        job = place.begin()
        place.replace("run/m/lease", "run")
        place.publish(server.url)
        wait_until(lambda: len(server.samples) >= 8)
        assert server.most_streams == 2
        place.replace("run/m/share.json", '{"streams": 6}')
        place.replace("run/m/lease", "run")
        _, told = job.communicate(timeout=30)
    assert job.returncode == 0, told
    assert server.most_streams == 6
