"""Rows of a scorer's table, made up for tests of what is computed from them."""

from collections.abc import Mapping, Sequence

from seedbed.records.outputs import ANSWERED, NO_ANSWER
from seedbed.scoring.answers import Found, Scored


def row(problem: str, seed: int, value: str | None, correct: bool, *flags: str) -> Scored:
    """Return one sample; `value` None is no answer."""
    return Scored(problem, seed, Found(value, NO_ANSWER if value is None else ANSWERED, flags=flags), correct)


def rows(right: Mapping[str, int] | Sequence[int], samples: int, start: int = 42) -> list[Scored]:
    """Return `samples` samples of each problem, the first so many of them right, seed by seed."""
    counts = right if isinstance(right, Mapping) else {f"p{index}": count for index, count in enumerate(right)}
    return [
        row(problem, start + index, "1" if index < count else "0", index < count)
        for index in range(samples)
        for problem, count in counts.items()
    ]
