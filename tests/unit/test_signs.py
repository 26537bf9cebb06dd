"""The exact test of differences by problem."""

import subprocess
import sys
from itertools import product
from math import comb, erfc, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seedbed.core.environment import SOURCES
from seedbed.statistics.intervals import LEAST, sign_flip_p


@given(st.lists(st.integers(-6, 6), max_size=9), st.integers(1, 7))
def test_sign_flips_are_counted_out(values: list[int], unit: int) -> None:
    sums = [
        abs(sum(sign * value for sign, value in zip(signs, values, strict=True)))
        for signs in product((-1, 1), repeat=len(values))
    ]
    expected = sum(one >= abs(sum(values)) for one in sums) / len(sums)
    assert sign_flip_p([unit * value for value in values]) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("up", "down"), [(1, 0), (6, 0), (9, 3), (250, 200), (7200, 6800)])
def test_differences_of_one_each_are_the_two_sided_sign_test(up: int, down: int) -> None:
    size = up + down
    ways = tail = comb(size, up)
    for part in range(up, size):
        ways = ways * (size - part) // (part + 1)  # the next binomial coefficient; each from scratch takes ten seconds
        tail += ways
    assert sign_flip_p([1] * up + [-1] * down) == pytest.approx(min(1, 2 * tail / 2**size), abs=1e-12)


def test_many_problems_are_counted_by_the_whole_distribution() -> None:
    values = [3, -1, 2, 2, 0, -5, 4, 1, 1, 7, -2, 16, -9] * 40
    ways = {0: 1}
    for value in map(abs, values):
        found: dict[int, int] = {}
        for total, count in ways.items():
            for moved in (total - value, total + value):
                found[moved] = found.get(moved, 0) + count
        ways = found
    extreme = sum(count for total, count in ways.items() if abs(total) >= abs(sum(values)))
    assert sign_flip_p(values) == pytest.approx(extreme / 2 ** len(values), rel=1e-6)


def test_what_is_too_small_to_be_told_is_told_as_the_least() -> None:
    assert sign_flip_p([16] * 14_000) == LEAST
    assert sign_flip_p([1, 1, 1, 1]) == 0.125
    assert sign_flip_p([]) == sign_flip_p([0, 0]) == sign_flip_p([3]) == 1


def test_fourteen_thousand_problems_need_nothing_heavy() -> None:
    code = (
        "import sys; from seedbed.statistics.intervals import sign_flip_p;"
        " print(sign_flip_p([index % 33 - 16 for index in range(14_000)]), 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=SOURCES)
    found, heavy = done.stdout.split()
    moves = [index % 33 - 16 for index in range(14_000)]
    normal = erfc((abs(sum(moves)) - 1) / sqrt(2 * sum(move**2 for move in moves)))  # half a step of two nearer
    assert heavy == "False"
    assert float(found) == pytest.approx(normal, abs=1e-5)
