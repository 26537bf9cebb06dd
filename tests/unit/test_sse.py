"""The event reader, on streams broken anywhere."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seedbed.client.stream import EventReader


def read(*chunks: bytes) -> list[bytes]:
    """Return every event of a body that came in these chunks."""
    reader = EventReader()
    events = [event for chunk in chunks for event in reader.feed(chunk)]
    return events + reader.close()


def test_events_are_separated_by_empty_lines() -> None:
    assert read(b"data: a\n\ndata: b\n\n") == [b"a", b"b"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'event: error\ndata: {"detail":"died"}\n\n', b'{"detail":"died"}'),
        (b"event: error\n: worker lost\n\n", b"worker lost"),
        (b"event: error\n\n", b""),
        (b"error: died\n\n", b"died"),
    ],
)
@pytest.mark.parametrize("whole", [True, False])
def test_an_event_named_error_is_told_apart_and_nothing_follows_it(body: bytes, said: bytes, whole: bool) -> None:
    reader = EventReader()
    chunks = [b"data: a\n\n" + body + b"data: b\n\n"]
    if not whole:
        chunks = [chunks[0][at : at + 1] for at in range(len(chunks[0]))]
    assert [event for chunk in chunks for event in reader.feed(chunk)] == [b"a"]
    assert reader.error == said


def test_all_three_line_ends_are_understood() -> None:
    for end in (b"\n", b"\r\n", b"\r"):
        assert read(b"data: a" + end + b"data:b" + end + end + b"data: c" + end + end) == [b"a\nb", b"c"]


def test_comments_and_other_fields_are_no_events() -> None:
    assert read(b": keep-alive\n\n", b"event: ping\nid: 7\nretry: 10\n\n", b":\n\ndata: a\n\n") == [b"a"]


def test_one_space_after_the_colon_belongs_to_the_syntax() -> None:
    assert read(b"data:a\n\ndata:  b\n\n") == [b"a", b" b"]


def test_a_byte_order_mark_at_the_start_is_passed_over() -> None:
    assert read(b"\xef", b"\xbb\xbfdata: a\n\n") == [b"a"]


def test_an_event_without_its_empty_line_is_given_at_a_clean_end() -> None:
    assert read(b"data: a\n\ndata: [DONE]") == [b"a", b"[DONE]"]
    assert read(b"data: [DONE]\n") == [b"[DONE]"]


@given(
    events=st.lists(st.text(alphabet="ab é😀:\u2028", max_size=8), max_size=6),
    end=st.sampled_from([b"\n", b"\r\n", b"\r"]),
    comment=st.booleans(),
    cuts=st.lists(st.integers(0, 200), max_size=20),
)
def test_no_chunking_changes_the_events(events: list[str], end: bytes, comment: bool, cuts: list[int]) -> None:
    body = b"".join((b": c" + end if comment else b"") + b"data: " + event.encode() + end + end for event in events)
    at = sorted({min(cut, len(body)) for cut in cuts} | {0, len(body)})
    chunks = [body[start:stop] for start, stop in pairwise(at)]
    assert read(*chunks) == [event.encode() for event in events]


@given(cuts=st.lists(st.integers(0, 60), max_size=60))
def test_single_line_events_survive_every_cut(cuts: list[int]) -> None:
    body = "data: {é}\n\ndata: 😀\n\ndata: [DONE]\n\n".encode()
    at = sorted({min(cut, len(body)) for cut in cuts} | {0, len(body)})
    assert read(*(body[i:j] for i, j in pairwise(at))) == ["{é}".encode(), "😀".encode(), b"[DONE]"]
