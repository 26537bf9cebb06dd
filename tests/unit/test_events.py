"""What differs among servers in one event, and what cannot be true."""

import json
from typing import Any

import pytest

from seedbed.client.outcomes import Failure, Kind
from seedbed.client.stream import MOST_TOKENS, Answer, Usage, read_usage, text

END = {"choices": [{"delta": {}, "finish_reason": "stop"}]}
ANONYMOUS = {"choices": [], "model": "", "prompt_filter_results": []}


def answer(*events: dict[str, Any]) -> Answer:
    """Return an answer that took these events."""
    taken = Answer()
    for event in events:
        taken.take(json.dumps(event).encode())
    return taken


def said(content: object, finish: str | None = None, **more: Any) -> dict[str, Any]:
    """Return an event with content."""
    return {"choices": [{"delta": {"content": content}, "finish_reason": finish}], **more}


def counted(**usage: Any) -> dict[str, Any]:
    """Return an event that counts."""
    return {"choices": [], "usage": usage}


def test_an_empty_finish_reason_ends_nothing_and_overwrites_nothing() -> None:
    assert answer(said("hi", "")).finish_reason is None
    assert answer(said("hi", "length"), said("", "")).finish_reason == "length"
    assert answer({"choices": [{"message": {"content": "hi"}, "finish_reason": ""}]}).finish_reason is None


def test_only_a_name_is_a_model_and_it_does_not_change() -> None:
    assert answer(ANONYMOUS, said("hi", model="m"), END).model == "m"
    with pytest.raises(Failure, match="from 'm' to 'other'") as raised:
        answer(said("hi", model="m"), said("ho", model="other"))
    assert raised.value.kind is Kind.CUT


def test_content_may_be_a_list_of_texts_and_an_index_null() -> None:
    parts = [{"type": "text", "text": "so "}, {"type": "text", "text": "7"}]
    taken = answer({"choices": [{"index": None, "delta": {"content": parts}, "finish_reason": "stop"}]})
    assert (text(taken.text), taken.finish_reason) == ("so 7", "stop")
    with pytest.raises(Failure, match="no text"):
        answer(said([{"type": "image", "image": "x"}]))


def test_half_a_character_in_a_finish_reason_or_a_model_is_replaced() -> None:
    taken = Answer()
    taken.take(b'{"model":"m\\ud83d","choices":[{"delta":{"content":"x"},"finish_reason":"st\\ud83d"}]}')
    assert (taken.model, taken.finish_reason) == ("m�", "st�")


@pytest.mark.parametrize(
    "event",
    [
        {"choices": [], "message": "worker lost", "code": 503},
        {"choices": [], "error": {"message": "worker lost", "code": 503}},
        {"detail": "worker lost"},
    ],
)
def test_an_error_beside_empty_choices_is_one(event: dict[str, Any]) -> None:
    with pytest.raises(Failure, match="error inside the answer: worker lost") as raised:
        answer(said("hi"), event)
    assert raised.value.kind is Kind.CUT


@pytest.mark.parametrize("opening", ["", '{"choices":null,"error":', '{"error":{"message":'])
def test_an_event_nested_too_deeply_is_a_failure_like_others(opening: str) -> None:
    with pytest.raises(Failure) as raised:
        Answer().take((opening + "[" * 60_000 + "]" * 60_000 + "}" * opening.count("{")).encode())
    assert raised.value.kind is Kind.CUT


def test_an_infinite_code_is_no_status() -> None:
    with pytest.raises(Failure) as raised:
        answer({"error": {"code": float("inf"), "message": "x"}})
    assert raised.value.kind is Kind.CUT


@pytest.mark.parametrize("wrong", [-5, True, 2**70, MOST_TOKENS + 1, 2.5, float("nan"), "7", None, [7]])
def test_what_cannot_be_a_count_is_none(wrong: object) -> None:
    assert read_usage({"completion_tokens": wrong, "prompt_tokens": 3.0}) == Usage(3, None, None)


def test_more_reasoning_than_tokens_is_no_count_of_reasoning() -> None:
    told = {"completion_tokens": 4, "completion_tokens_details": {"reasoning_tokens": 5}}
    assert read_usage(told) == Usage(None, 4, None)


def test_tokens_are_counted_by_events_where_usage_cannot_be_right() -> None:
    for usage in ({"completion_tokens": -5}, {"completion_tokens": 0}, {}):
        taken = answer(said("a"), said("b", "stop"), counted(**usage))
        assert (taken.tokens, taken.counted) == (2, False)
    taken = answer(said("a"), said("b", "stop"), counted(completion_tokens=9.0))
    assert (taken.tokens, taken.counted) == (9, True)


def test_a_whole_answer_without_usage_tells_nothing_of_its_reasoning_tokens() -> None:
    body = {"choices": [{"message": {"content": "7", "reasoning_content": "a long thought"}, "finish_reason": "stop"}]}
    assert answer(body).reasoning_tokens is None
    assert answer(body | {"usage": {"completion_tokens": 2}}).reasoning_tokens is None
    details = {"completion_tokens": 9, "completion_tokens_details": {"reasoning_tokens": 6}}
    assert answer(body | {"usage": details}).reasoning_tokens == 6
