"""Whether two mathematical answers are the same."""

from scripts.evals.peer_equality import peer_equal


def same(predicted: str, expected: str) -> bool:
    """Return whether both answers are the same."""
    return peer_equal(predicted, expected)
