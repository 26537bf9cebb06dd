"""What is kept of the events of an answer."""

import json
from typing import Any

import pytest

from seedbed.client.outcomes import Failure, Kind
from seedbed.client.stream import Answer, text


def answer(*events: dict[str, Any] | bytes) -> Answer:
    """Return an answer that took these events."""
    taken = Answer()
    for event in events:
        taken.take(event if isinstance(event, bytes) else json.dumps(event).encode())
    return taken


def delta(**fields: Any) -> dict[str, Any]:
    """Return an event with one delta."""
    return {"choices": [{"delta": fields, "finish_reason": None}]}


END = {"choices": [{"delta": {}, "finish_reason": "stop"}]}


def test_content_and_reasoning_are_kept_apart_under_either_name() -> None:
    taken = answer(delta(reasoning_content="think "), delta(reasoning="more"), delta(content="7"), END, b"[DONE]")
    assert (text(taken.reasoning), text(taken.text)) == ("think more", "7")
    assert (taken.finish_reason, taken.ended, taken.tokens, taken.reasoning_tokens) == ("stop", True, 3, 2)


def test_tokens_are_the_servers_count_where_it_counts() -> None:
    counted = {"choices": [], "usage": {"completion_tokens": 9, "completion_tokens_details": {"reasoning_tokens": 4}}}
    taken = answer(delta(content="a b c"), END, counted, b"[DONE]")
    assert (taken.tokens, taken.reasoning_tokens) == (9, 4)


def test_null_content_and_empty_choices_are_no_text() -> None:
    taken = answer({"choices": []}, delta(role="assistant", content=None), delta(content=""), END)
    assert (text(taken.text), taken.deltas, taken.first) == ("", 0, None)


def test_what_follows_the_end_mark_is_not_taken() -> None:
    taken = answer(delta(content="7"), END, b"[DONE]", b"[DONE]", delta(content="8"))
    assert text(taken.text) == "7"


def test_other_alternatives_are_not_mixed_in() -> None:
    other = {"choices": [{"index": 1, "delta": {"content": "no"}, "finish_reason": "length"}]}
    taken = answer(delta(content="yes"), other, END)
    assert (text(taken.text), taken.finish_reason) == ("yes", "stop")


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        ({"error": {"code": 503, "message": "worker lost"}}, Kind.CUT),
        ({"error": {"code": 500, "message": "broke"}}, Kind.CUT),
        ({"error": {"code": "400", "message": "too long"}}, Kind.REJECTED),
        ({"error": "it broke"}, Kind.CUT),
        ({"message": "worker lost", "type": "Service Unavailable", "code": 503}, Kind.CUT),
        ({"error": {"code": 401, "message": "who?"}}, Kind.FATAL),
    ],
)
def test_an_error_inside_the_stream_is_a_failure(event: dict[str, Any], kind: Kind) -> None:
    with pytest.raises(Failure) as raised:
        answer(delta(content="so far"), event)
    assert raised.value.kind is kind


def test_an_error_500_before_any_text_may_be_a_prompt_over_the_context() -> None:
    with pytest.raises(Failure) as raised:
        answer({"error": {"code": 500, "message": "Internal server error"}})
    assert raised.value.kind is Kind.FAULT


@pytest.mark.parametrize("data", [b'{"choices": [', b"[1]", b'{"choices": [{"delta": {"content": 7}}]}', b"\xff\xfe"])
def test_an_unreadable_event_is_asked_for_again(data: bytes) -> None:
    with pytest.raises(Failure) as raised:
        answer(data)
    assert raised.value.kind is Kind.CUT


def test_halves_of_a_character_in_two_events_are_joined_and_a_lone_half_is_replaced() -> None:
    first, second = b'{"choices":[{"delta":{"content":"\\ud83d"}}]}', b'{"choices":[{"delta":{"content":"\\ude00"}}]}'
    assert text(answer(first, second).text) == "😀"
    assert text(answer(first, delta(content="!")).text) == "�!"


def test_a_whole_answer_gives_the_same_as_a_stream() -> None:
    body = {
        "model": "m",
        "choices": [{"message": {"content": "7", "reasoning_content": "hm"}, "finish_reason": "stop"}],
    }
    taken = answer(body)
    assert (text(taken.text), text(taken.reasoning), taken.finish_reason, taken.model) == ("7", "hm", "stop", "m")
