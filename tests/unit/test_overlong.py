"""What servers say of a prompt over their context, and how much of it is kept."""

import pytest

from seedbed.client.context_overflow import Overflow, cut_middle, next_share, overflow


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "HTTP 400: request (1203 tokens) exceeds the available context size (512 tokens), try increasing it",
            Overflow(1203, 512),
        ),
        ("HTTP 400: the request exceeds the available context size, try increasing it", Overflow(None, None)),
        (
            "HTTP 400: This model's maximum context length is 4096 tokens. However, you requested 5000 tokens "
            "(4900 in the messages, 100 in the completion). (attempts: 1)",
            Overflow(4900, 4096),
        ),
        (
            "HTTP 400: The input (5000 tokens) is longer than the model's context length (4096 tokens).",
            Overflow(5000, 4096),
        ),
        (
            "HTTP 400: Requested token count exceeds the model's maximum context length of 4096 tokens. You requested "
            "a total of 5000 tokens: 4900 tokens from the input messages and 100 tokens for the completion.",
            Overflow(4900, 4096),
        ),
        ("HTTP 500: Internal Server Error", None),
        ("HTTP 400: unknown field 'seed'", None),
    ],
)
def test_the_words_of_servers_are_understood(said: str, told: Overflow | None) -> None:
    assert overflow(said) == told


def test_what_is_kept_leaves_room_for_the_answer() -> None:
    assert next_share(1.0, Overflow(2000, 1000), 100) == pytest.approx(0.97 * 900 / 2000)
    assert next_share(1.0, Overflow(2000, 1000), 5000) == pytest.approx(0.97 * 500 / 2000)
    assert next_share(0.5, Overflow(990, 1000), 0) == pytest.approx(0.45)
    assert next_share(0.8, Overflow(None, None), 0) == pytest.approx(0.6)


def test_both_ends_of_a_context_are_kept_and_the_gap_is_told() -> None:
    row = {"id": "a", "context": "b" * 50 + "m" * 100 + "e" * 50}
    shorter, kept = cut_middle(row, "context", 0.25)
    assert kept == 50
    assert shorter["context"] == "b" * 25 + "\n\n[… 150 characters are left out here …]\n\n" + "e" * 25
    assert len(row["context"]) == 200
    assert cut_middle(row, "context", 0.0)[1] == 0
