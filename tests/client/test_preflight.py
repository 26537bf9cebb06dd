"""Before the first sample: the wrong model, a model that does not reason, a context too small are all found."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.client.stub_server import DONE, Ask, Cut, Reply, StubServer, delta, event, refusal, serving, streamed, usage
from tests.client.workplace import Workplace


def right(ask: Ask) -> Reply:
    """Answer with the number that was asked for."""
    return streamed(f"So it is \\boxed{{{re.findall(r'[0-9]+', ask.prompt)[-1]}}}")


def probed(server: StubServer, reply: Reply) -> None:
    """Let the server answer checks with `reply`."""
    behave = server.behave
    server.answer_probes = False
    server.behave = lambda ask: reply if ask.probe else behave(ask)


def last_line(place: Workplace, **snapshot: Any) -> str:
    """Run a job that must stop with exit code 1 before its first sample, and return what it said."""
    place.snapshot |= snapshot
    done = place.generate()
    assert done.returncode == 1, done.stderr
    assert not place.out().exists()
    return done.stderr.splitlines()[-1]


def test_a_name_that_the_server_does_not_list_is_refused_with_the_nearest(tmp_path: Path) -> None:
    with serving(right, models=[{"id": "qwen3-8b"}, {"id": "stubb"}]) as server:
        told = last_line(Workplace(tmp_path), endpoint=server.url)
    assert told.endswith("/v1/models: lists qwen3-8b, stubb; expected 'stub' (served_name); the nearest is 'stubb'")
    assert not server.asks


def test_a_server_that_answers_with_another_model_is_refused(tmp_path: Path) -> None:
    other = event(model="llama-base", choices=[{"index": 0, "delta": {"content": "7"}, "finish_reason": "length"}])
    with serving(right) as server:
        probed(server, Reply([other, DONE]))
        told = last_line(Workplace(tmp_path), endpoint=server.url)
    assert "the answer comes from model 'llama-base'; expected 'stub'" in told
    assert not server.samples


def test_a_date_behind_the_name_is_no_other_model(tmp_path: Path) -> None:
    dated = event(
        model="stub-2026-01-31", choices=[{"index": 0, "delta": {"content": "\\boxed{0}"}, "finish_reason": "stop"}]
    )
    place = Workplace(tmp_path, rows=1)
    with serving(lambda _ask: Reply([dated, DONE])) as server:
        place.snapshot["endpoint"] = server.url
        assert place.generate().returncode == 0
    assert place.records()[0]["seedbed"]["model"] == "stub-2026-01-31"


def test_a_field_that_the_server_does_not_know_is_found_before_the_first_sample(tmp_path: Path) -> None:
    with serving(right) as server:
        probed(server, refusal(400, "Unsupported parameter: chat_template_kwarg"))
        told = last_line(Workplace(tmp_path), endpoint=server.url, extra_body={"chat_template_kwarg": {}})
    assert "HTTP 400: Unsupported parameter: chat_template_kwarg" in told
    assert [ask.body["chat_template_kwarg"] for ask in server.asks] == [{}]


@pytest.mark.parametrize(
    "thought",
    [
        streamed("9 and 18 make 27", reasoning="All but 9 run away"),
        streamed("<think>All but 9 run away</think> 27"),
        Reply([delta(None, "still thinking"), delta(finish="length"), usage(1), DONE]),
    ],
)
def test_a_model_that_has_to_reason_and_does_goes_on(tmp_path: Path, thought: Reply) -> None:
    place = Workplace(tmp_path, rows=2)
    with serving(right) as server:
        probed(server, thought)
        place.snapshot |= {"endpoint": server.url, "reasoning": "required"}
        done = place.generate()
    assert done.returncode == 0, done.stderr
    assert len(server.asks) == 2 + 2


def test_a_model_that_has_to_reason_and_does_not_is_refused_with_what_it_said(tmp_path: Path) -> None:
    place = Workplace(tmp_path)
    with serving(right) as server:
        probed(server, streamed("The answer is 27."))
        told = last_line(place, endpoint=server.url, reasoning="required")
        assert "`reasoning: required`" in told
        assert "no reasoning_content and no end tag such as </think> in 4 tokens" in told
        assert "'The answer is 27.'" in told
        assert not server.samples
        place.snapshot["reasoning"] = "optional"
        assert place.generate().returncode == 0


@pytest.mark.parametrize("place_told", ["max_model_len", "context_length"])
def test_a_context_too_small_for_the_longest_prompt_is_refused(tmp_path: Path, place_told: str) -> None:
    place = Workplace(tmp_path)
    place.snapshot["benchmarks"]["b"]["sampling"]["max_tokens"] = 1000
    with serving(right, models=[{"id": "stub", place_told: 1009}]) as server:
        told = last_line(place, endpoint=server.url)
        assert told == (
            "error: the served context of model 'm' is 1009 tokens; expected at least 1010: "
            "the longest prompt (b-0) has 10, max_tokens is 1000"
        )
        server.models = [{"id": "stub", place_told: 1010}]
        assert place.generate().returncode == 0


def test_the_context_has_room_for_the_answer_that_the_body_asks_for(tmp_path: Path) -> None:
    place = Workplace(tmp_path)
    place.snapshot["extra_body"] = {"max_completion_tokens": 1000, "temperature": 0.1}
    with serving(right, models=[{"id": "stub", "max_model_len": 1009}]) as server:
        told = last_line(place, endpoint=server.url)
        assert told.endswith("the longest prompt (b-0) has 10, max_tokens is 1000")
        server.models = [{"id": "stub", "max_model_len": 1010}]
        assert place.generate().returncode == 0
    assert {ask.body["temperature"] for ask in server.asks} == {1.0}


def test_the_checks_are_made_once_for_all_seeds_of_a_run_and_again_in_the_next_run(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=1)
    with serving(right) as server:
        place.snapshot["endpoint"] = server.url
        for seed in (42, 43, 44):
            assert place.generate(seed).returncode == 0
        assert len(server.asks) - len(server.samples) == 1
        run = tmp_path / "run/m/client.json"
        place.replace("run/m/client.json", run.read_text())
        for seed in (45, 46):
            assert place.generate(seed).returncode == 0
    assert len(server.asks) - len(server.samples) == 2
    assert len(server.samples) == 5


def test_an_address_that_knows_no_list_of_models_is_named_and_not_waited_for(tmp_path: Path) -> None:
    with serving(right) as server:
        place = Workplace(tmp_path)
        told = last_line(place, endpoint=server.url.removesuffix("/v1"))
    assert re.search(
        r"/models: HTTP 404: no /models; expected a list of models there: does the endpoint end in /v1\?", told
    )
    assert not server.asks


def test_a_server_that_lists_nothing_yet_is_waited_for(tmp_path: Path) -> None:
    """Dynamo says healthy while it has no worker: the list is empty, a chat is 404."""
    place = Workplace(tmp_path, rows=1)
    with serving(right, models=[]) as server:
        place.snapshot["endpoint"] = server.url
        job = place.begin()
        while server.paths.count("GET /v1/models") < 3:
            assert job.poll() is None
        assert not server.asks
        server.models = [{"id": "stub"}]
        _, told = job.communicate(timeout=30)
    assert job.returncode == 0, told


def test_a_server_that_lists_the_model_but_never_answers_is_not_waited_for_for_ever(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=1)
    place.snapshot["timeouts"]["first_byte"] = 0.2
    with serving(right) as server:
        probed(server, Reply([Cut.HANG]))
        told = last_line(place, endpoint=server.url)
    assert "a request of 1 tokens to 'stub' failed before the first sample: no first byte within 0.2 s" in told


def test_a_model_without_a_worker_is_asked_again_and_then_named(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=1)
    with serving(right) as server:
        probed(server, refusal(404, "no worker for stub"))
        told = last_line(place, endpoint=server.url)
        assert "HTTP 404: no worker for stub" in told
    assert len(server.asks) == 4
