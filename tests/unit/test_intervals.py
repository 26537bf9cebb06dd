from collections import Counter
from math import sqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seedbed.statistics.intervals import (
    ACROSS_PROBLEMS,
    ACROSS_SEEDS,
    Interval,
    Tally,
    across_problems,
    across_seeds,
    linked,
    mean_of,
    paired,
    paired_again,
)
from seedbed.statistics.pass_at_k import pass_variance

SHARES = st.lists(st.integers(0, 16), min_size=2, max_size=60).map(lambda counts: [count / 16 for count in counts])


def tally(values: list[float]) -> Tally:
    """Return values as (value, how many)."""
    return list(Counter(values).items())


def again_of(rights: list[int]) -> Interval | None:
    """Return the run-again interval of pass@1 of problems with so many right of 16."""
    spread = [(pass_variance(16, right, 1) or 0.0, 1) for right in rights]
    return across_seeds(tally([right / 16 for right in rights]), 16 * len(rights), spread)


def test_each_interval_says_which_question_it_answers() -> None:
    values = tally([0.25, 0.5, 1.0])
    others, again = across_problems(values, 4), across_seeds(values, 12, [(0.01, 3)])
    assert others is not None
    assert again is not None
    assert others.percent()["question"] == ACROSS_PROBLEMS
    assert again.percent()["question"] == ACROSS_SEEDS
    assert "at_most" not in again.percent()


def test_problem_clustered_and_run_to_run_errors_differ_as_known() -> None:
    # 100 problems × 8 samples, half of them right 7 of 8 times, half 1 of 8 times
    values, spread = [(7 / 8, 50), (1 / 8, 50)], [(7 / 8 * 1 / 8 / 7, 100)]
    others, again = across_problems(values, 8), across_seeds(values, 800, spread)
    assert others is not None
    assert again is not None
    assert others.std_err == pytest.approx(0.375 / sqrt(99), abs=1e-9)
    assert again.std_err == pytest.approx(0.125 / 10, abs=1e-9)


def test_all_right_is_not_certain() -> None:
    others, again = across_problems([(1.0, 30)], 16), across_seeds([(1.0, 30)], 480, [(0.0, 30)])
    assert others is not None
    assert again is not None
    assert (others.high, again.high) == (1.0, 1.0)
    assert others.low == pytest.approx(0.868, abs=0.001)
    assert again.low == pytest.approx(480 / (480 + 1.959964**2), abs=1e-6)  # Wilson, 480 of 480


def test_alike_problems_give_the_interval_of_so_many_samples() -> None:
    # 30 problems of about 8 right of 16, as alike as can be seen: the width is that of free samples, by z and not by t
    counts = {6: 3, 7: 6, 8: 12, 9: 6, 10: 3}
    found = across_problems([(count / 16, problems) for count, problems in counts.items()], 16)
    assert found is not None
    error = sqrt(sum(n * (c / 16 - 0.5) ** 2 for c, n in counts.items()) / 29 / 30)
    assert found.high - found.low == pytest.approx(2 * 1.95996 * error, rel=0.03)


def test_unlike_problems_give_the_wider_interval_of_so_few_problems() -> None:
    # 15 problems of 4 and 15 of 12 right of 16: three tenths of a problem at each end, and Student's t of 29
    found = across_problems([(0.25, 15), (0.75, 15)], 16)
    assert found is not None
    total, t = 30.6, 2.0452296
    size = 0.25 / ((30 * 0.0625 + 0.6 * 0.25) / (total - 1) / total)
    reach = t * sqrt(0.25 / size + t**2 / size**2 / 4) / (1 + t**2 / size)
    assert (found.low, found.high) == pytest.approx((0.5 - reach, 0.5 + reach), abs=1e-4)


def test_one_problem_tells_nothing_of_others() -> None:
    assert across_problems([(0.5, 1)], 16) is None
    assert paired([(0.5, 1)]) is None
    assert across_seeds([(0.5, 1)], 1, None) is None


def test_one_sample_a_problem_bounds_the_chance_of_another_run() -> None:
    again = across_seeds([(1.0, 20), (0.0, 10)], 30, None)
    assert again is not None
    assert again.percent()["at_most"] is True
    assert again.std_err == pytest.approx(sqrt(2 / 3 * 1 / 3 / 29), abs=1e-9)


def test_no_difference_is_not_certainty() -> None:
    found = paired([(0.0, 30)])
    assert found is not None
    assert found.value == 0
    assert -0.02 < found.low < 0 < found.high < 0.02


def test_a_paired_difference_is_the_t_interval_when_problems_move() -> None:
    moves = [0.1 * step for step in range(-9, 12)]
    found = paired(tally(moves))
    assert found is not None
    n, mean = len(moves), sum(moves) / len(moves)
    reach = 2.0859634 * sqrt(sum((move - mean) ** 2 for move in moves) / (n - 1) / n)
    assert found.high - found.value == pytest.approx(reach, rel=0.01)


@given(SHARES, st.integers(1, 32))
def test_intervals_hold_their_value_within_bounds(values: list[float], repeats: int) -> None:
    found = across_problems(tally(values), repeats)
    assert found is not None
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.value == pytest.approx(mean_of(tally(values)))


@given(SHARES)
def test_across_seeds_holds_its_value_within_bounds(values: list[float]) -> None:
    spread = [(pass_variance(16, round(16 * value), 1) or 0.0, 1) for value in values]
    found = across_seeds(tally(values), 16 * len(values), spread)
    assert found is not None
    assert 0 <= found.low <= found.value <= found.high <= 1


@given(SHARES)
def test_the_order_of_problems_is_irrelevant(values: list[float]) -> None:
    shuffled = sorted(values)
    one, other = across_problems(tally(values), 16), across_problems(tally(shuffled), 16)
    assert one is not None
    assert other is not None
    assert (one.low, one.high) == pytest.approx((other.low, other.high))


@given(SHARES)
def test_right_and_wrong_mirror_each_other(values: list[float]) -> None:
    one, other = across_problems(tally(values), 16), across_problems(tally([1 - value for value in values]), 16)
    assert one is not None
    assert other is not None
    assert (one.low, one.high) == pytest.approx((1 - other.high, 1 - other.low), abs=1e-9)


@given(st.lists(st.tuples(st.integers(0, 16), st.integers(0, 16)), min_size=2, max_size=40), st.floats(-1, 1))
def test_differences_stay_between_minus_one_and_one(pairs: list[tuple[int, int]], correlation: float) -> None:
    one, other = (again_of([pair[side] for pair in pairs]) for side in (0, 1))
    moves = tally([(after - before) / 16 for before, after in pairs])
    for found in (paired(moves), paired_again(one, other, correlation)):
        assert found is not None
        assert -1 <= found.low <= found.value <= found.high <= 1


def test_a_side_whose_chance_is_only_bounded_leaves_a_bound() -> None:
    bound = paired_again(across_seeds([(0.5, 4)], 4, None), again_of([8, 8, 8, 8]))
    assert bound is not None
    assert (bound.question, bound.at_most) == (ACROSS_SEEDS, True)
    assert paired_again(None, bound) is paired_again(bound, None) is None


def test_what_two_sides_have_in_common_is_taken_out_but_for_half_a_problem() -> None:
    # Newcombe 1998, method 10: of 56 both right, 25 one, 12 the other, 7 none: (56·7 - 25·12 - 50)/(81·19·68·32)^(1/2)
    pairs = [(1.0, 1.0)] * 56 + [(1.0, 0.0)] * 25 + [(0.0, 1.0)] * 12 + [(0.0, 0.0)] * 7
    assert linked(pairs) == pytest.approx((56 * 7 - 25 * 12 - 50) / sqrt(81 * 19 * 68 * 32))
    assert linked([(b, 1 - a) for a, b in pairs]) == pytest.approx(-(56 * 7 - 25 * 12) / sqrt(81 * 19 * 68 * 32))
    assert linked([(1.0, 0.0), (1.0, 1.0)]) == 0


@given(SHARES)
def test_merging_two_equal_halves_narrows_the_interval(values: list[float]) -> None:
    half, whole = across_problems(tally(values), 16), across_problems(tally(values * 2), 16)
    assert half is not None
    assert whole is not None
    assert whole.value == pytest.approx(half.value)
    assert whole.high - whole.low < half.high - half.low


@pytest.mark.parametrize(("mean", "size"), [(0.1, 2.0), (0.5, 1.0), (0.93, 0.5), (0.95, 2.0)])
def test_the_truth_is_covered_where_a_plain_t_interval_fails(mean: float, size: float) -> None:
    draw, draws = Random(7), 500
    others = again = 0
    for _ in range(draws):
        chances = [draw.betavariate(mean * size, (1 - mean) * size) for _ in range(30)]
        rights = Counter(sum(draw.random() < chance for _ in range(16)) for chance in chances)
        values = [(right / 16, count) for right, count in rights.items()]
        spread = [(pass_variance(16, right, 1) or 0.0, count) for right, count in rights.items()]
        found = across_problems(values, 16), across_seeds(values, 480, spread)
        others += found[0] is not None and found[0].low <= mean <= found[0].high
        again += found[1] is not None and found[1].low <= sum(chances) / 30 <= found[1].high
    # 93 to 97 % (docs/intervals.md), give or take twice the standard error of so few draws
    assert 0.91 * draws <= others <= 0.99 * draws
    assert 0.91 * draws <= again <= 0.99 * draws
