from itertools import pairwise
from math import pi, sqrt, tan

import pytest

from seedbed.statistics.intervals import NORMAL_80, NORMAL_975, student


def test_closed_forms_of_one_and_two_degrees_of_freedom() -> None:
    assert student(1) == pytest.approx(tan(pi * 0.475), rel=1e-12)
    assert student(2) == pytest.approx(0.95 * sqrt(2 / (1 - 0.95**2)), rel=1e-12)


@pytest.mark.parametrize(("df", "value"), [(5, 2.570581836), (29, 2.045229642), (60, 2.000297822), (120, 1.979930405)])
def test_published_tables(df: int, value: float) -> None:
    assert student(df) == pytest.approx(value, abs=1e-9)


def test_another_level() -> None:
    assert student(10, NORMAL_80, 0.8) == pytest.approx(0.879057829, abs=1e-8)


def test_the_expansion_goes_on_where_the_sums_end() -> None:
    steps = [student(df) for df in range(196, 206)]
    differences = [a - b for a, b in pairwise(steps)]
    assert all(5e-5 < step < 7e-5 for step in differences)
    assert student(13_999) == pytest.approx(NORMAL_975, abs=2e-4)


def test_no_degree_of_freedom_is_refused() -> None:
    with pytest.raises(ValueError, match="found 0 degrees of freedom"):
        student(0)
