"""What each end of a request means."""

import json

import pytest

from seedbed.client.outcomes import Failure, Kind, of_status, retry_after, status_of, told, words
from tests.shared import SHARED

CASES = SHARED / "cases/behaviour.jsonl"


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, Kind.REJECTED),
        (401, Kind.FATAL),
        (403, Kind.FATAL),
        (404, Kind.UNREACHABLE),
        (413, Kind.REJECTED),
        (422, Kind.REJECTED),
        (408, Kind.CUT),
        (429, Kind.BUSY),
        (500, Kind.FAULT),
        (502, Kind.CUT),
        (503, Kind.BUSY),
        (504, Kind.CUT),
    ],
)
def test_every_status_has_one_meaning(status: int, kind: Kind) -> None:
    assert of_status(status, b"", {}).kind is kind


def test_a_quota_that_is_used_up_is_no_overload() -> None:
    body = b'{"error": {"message": "You exceeded your quota", "type": "insufficient_quota"}}'
    assert of_status(429, body, {}).kind is Kind.FATAL


@pytest.mark.parametrize(
    "body",
    [
        b'{"error": {"code": 400, "message": "too long", "type": "x"}}',
        b'{"message": "too long", "type": "x", "code": 400}',
        b'{"error": "too long"}',
        b'{"detail": "too long"}',
        b"too\n  long",
    ],
)
def test_the_message_is_found_in_every_shape_of_error_body(body: bytes) -> None:
    assert words(body) == "too long"


def test_a_long_or_empty_error_body_becomes_one_short_line() -> None:
    assert len(told(words(b"x" * 10_000), None)) == 301
    assert words(b"") == "no word from the server"


def test_retry_after_is_read_in_both_forms_against_the_servers_clock() -> None:
    date = {"Retry-After": "Wed, 21 Oct 2015 07:28:30 GMT", "Date": "Wed, 21 Oct 2015 07:28:00 GMT"}
    assert retry_after(date) == 30
    assert retry_after({"Retry-After": "2.5"}) == 2.5
    assert retry_after({"Retry-After": "soon"}) is None
    assert retry_after({}) is None


@pytest.mark.parametrize(
    ("finish", "text", "reasoning", "status"),
    [
        ("stop", "7", "", "ok"),
        ("stop", "", "thought", "ok"),
        ("stop", " \n", "", "empty"),
        ("length", "", "thought", "truncated"),
        ("length", "", "", "truncated"),
        ("eos", "7", "", "ok"),
    ],
)
def test_a_finished_answer_has_one_status(finish: str, text: str, reasoning: str, status: str) -> None:
    assert status_of(finish, text, reasoning)[0] == status


@pytest.mark.parametrize(
    ("finish", "kind"),
    [(None, Kind.CUT), ("", Kind.CUT), ("error", Kind.CUT), ("abort", Kind.CUT), ("content_filter", Kind.REJECTED)],
)
def test_an_answer_that_did_not_finish_is_no_answer(finish: str | None, kind: Kind) -> None:
    with pytest.raises(Failure) as raised:
        status_of(finish, "some text", "")
    assert raised.value.kind is kind


@pytest.mark.needs_shared("cases/behaviour.jsonl")
def test_response_cases_of_other_tools() -> None:
    cases = [json.loads(line) for line in CASES.read_text().splitlines()]
    seen = 0
    for case in cases:
        if case["kind"] != "response_status":
            continue
        seen += 1
        said = case["text"]
        try:
            status = status_of(said["finish_reason"], said["content"] or "", said["reasoning_content"] or "")[0]
        except Failure:
            status = "failed_request"
        assert status == case["expected"], case["id"]
    assert seen == 2


def test_the_key_is_struck_out_before_the_text_is_cut_however_it_is_spelt() -> None:
    key = "sk-a/b+" + "c" * 40
    for spelt in (key, key.replace("/", "\\/"), "sk-a%2Fb%2B" + "c" * 40):
        for before in (0, 270, 290, 299):
            assert "cccc" not in told("x" * before + spelt + " " * 400, key)
    assert told("no key here", None) == "no key here"


@pytest.mark.parametrize(
    "value", ["Mon, 01 Jan 99999 00:00:00 GMT", "Mon, 01 Jan 2026 00:00:00 +99999999999999", "Mon, 99 Jan 2026"]
)
def test_a_date_that_cannot_be_is_no_wait(value: str) -> None:
    assert retry_after({"Retry-After": value}) is None


def test_an_error_nested_too_deeply_has_words() -> None:
    assert words(b"[" * 60_000).startswith("[[[")
    assert words(b'{"error":' + b"[" * 60_000 + b"]" * 60_000 + b"}")
