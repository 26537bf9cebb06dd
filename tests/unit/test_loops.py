"""Texts that repeat themselves."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seedbed.health.repetition import LoopWatch, period

NOTHING = bytearray()


def prose(size: int) -> bytes:
    """Return text that does not repeat itself."""
    numbers = random.Random(7)
    return b"".join(b"%d, " % numbers.randrange(10**6) for _ in range(size // 4))[:size]


@pytest.mark.parametrize("piece", [b"a", b"so ", b"Wait, let me check again.\n", prose(300)])
def test_a_repeated_piece_is_found_with_its_length(piece: bytes) -> None:
    assert period(prose(5000) + piece * (4000 // len(piece)), 1000) == len(piece)


def test_prose_and_short_texts_are_no_loops() -> None:
    assert period(prose(100_000), 2000) is None
    assert period(b"a" * 999, 1000) is None


def test_counting_up_is_no_loop() -> None:
    assert period(b"".join(b"Step %d. " % n for n in range(5000)), 2000) is None


def test_a_loop_in_the_middle_is_not_missed() -> None:
    watch, text = LoopWatch(1000), bytearray()
    for piece in (prose(3000), b"ha! " * 500, prose(9000)):
        for start in range(0, len(piece), 7):
            text += piece[start : start + 7]
            watch.look(text, NOTHING)
    assert watch.last(text, NOTHING)
    assert watch.found == 4


def test_a_loop_in_the_reasoning_and_one_in_the_answer_behind_it_are_found() -> None:
    watch, reasoning, text = LoopWatch(1000), bytearray(prose(20_000)), bytearray()
    assert not watch.look(text, reasoning)
    text += b"no " * 500
    assert watch.look(text, reasoning)
    assert LoopWatch(1000).look(NOTHING, bytearray(b"no " * 500))


def test_nothing_is_looked_at_without_a_span() -> None:
    assert not LoopWatch(None).last(bytearray(b"a" * 100_000), NOTHING)


@given(piece=st.binary(min_size=1, max_size=40), before=st.binary(max_size=100))
def test_any_piece_repeated_long_enough_is_a_loop(piece: bytes, before: bytes) -> None:
    found = period(before + piece * (600 // len(piece) + 1), 500)
    assert found is not None
    assert found <= len(piece)


def test_a_finished_text_is_cut_where_a_growing_one_is() -> None:
    whole = prose(1500) + b"\xf0\x9f\x98\x80 no " * 400
    grown, watch = bytearray(), LoopWatch(1000)
    for byte in whole:
        grown.append(byte)
        if watch.look(grown, NOTHING):
            break
    text = bytearray(whole)
    assert LoopWatch(1000).cut(text, NOTHING)
    text.decode()
    assert text[: len(grown)] == grown
    assert len(text) - len(grown) <= 3


def test_a_loop_in_the_reasoning_of_a_finished_answer_leaves_no_text() -> None:
    text, reasoning = bytearray(b"7"), bytearray(b"no " * 500)
    assert LoopWatch(1000).cut(text, reasoning)
    assert (len(text), len(reasoning)) == (0, 1000)
    assert not LoopWatch(1000).cut(bytearray(prose(5000)), bytearray(prose(3000)))
    assert not LoopWatch(None).cut(bytearray(b"no " * 500), bytearray())
