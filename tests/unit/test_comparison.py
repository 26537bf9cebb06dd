from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seedbed.core.errors import InputError
from seedbed.decisions.comparison import compare, sentences
from tests.unit.scored import row, rows

PAIRS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=10)


def test_a_paired_difference_with_both_intervals() -> None:
    found = compare(rows([16, 8, 0, 4], 16), rows([16, 12, 4, 8], 16))
    assert found["a"]["value"] == pytest.approx(100 * 28 / 64)
    assert found["b"]["value"] == pytest.approx(100 * 40 / 64)
    difference = found["difference"]
    assert difference["value"] == pytest.approx(18.75)
    assert difference["across_seeds"]["question"] == "across seeds (the same problems with other seeds)"
    assert difference["across_seeds"]["answer"] == "better"
    assert difference["across_problems"]["answer"] == "inconclusive"
    assert difference["across_seeds"]["std_err"] == pytest.approx(100 * ((2 * 0.25 + 3 * 0.1875) / 15 / 16) ** 0.5)


def test_problems_that_only_one_side_has_are_left_out_and_named() -> None:
    found = compare(rows({"a": 1, "b": 4, "c": 2}, 4), rows({"b": 2, "c": 2, "d": 4}, 4))
    assert found["problems"] == {"compared": 2, "of": 3, "only_a": ["a"], "only_b": ["d"]}
    assert found["difference"]["value"] == pytest.approx(-25)
    assert "compared on the problems that both have: 1 only in a, 1 only in b" in sentences(found)


def test_no_problem_in_common_is_an_error() -> None:
    with pytest.raises(InputError, match=r"no problem in common: found 1 \(a\) and 1 \(b\)"):
        compare(rows({"a": 1}, 4), rows({"b": 1}, 4))


def test_the_exact_test_counts_every_pattern_of_signs() -> None:
    before, after = [4, 4, 0, 1, 2], [1, 2, 1, 1, 0]
    moves = [b - a for a, b in zip(before, after, strict=True)]
    patterns = [
        sum(sign * move for sign, move in zip(signs, moves, strict=True)) for signs in product((1, -1), repeat=5)
    ]
    exact = sum(abs(total) >= abs(sum(moves)) for total in patterns) / len(patterns)
    assert compare(rows(before, 4), rows(after, 4))["sign_flip_p"] == pytest.approx(exact)


def test_sides_with_other_numbers_of_seeds_are_compared_by_shares() -> None:
    found = compare(rows([2, 4], 4), rows([8, 16], 16))
    assert found["difference"]["value"] == 0
    assert found["sign_flip_p"] == 1
    assert "× 4 and 16 samples" in sentences(found)[0]
    assert "exact test by problem of as many samples: p = 1 (0 up, 0 down, 2 the same)" in sentences(found)
    assert (found["a"]["samples_per_problem"], found["b"]["samples_per_problem"]) == (4, 16)


def test_the_smallest_difference_that_thirty_problems_can_show() -> None:
    before = [8 + index % 3 for index in range(30)]
    after = [8 + (index * 7) % 3 for index in range(30)]
    least = compare(rows(before, 16), rows(after, 16))["smallest_difference"]
    # 480 samples a side at a mean of 1/2: (1.96 + 0.84) · sqrt(2 · 0.25 / 480) is 9 points
    assert least["power"] == 80
    assert least["across_seeds"] == pytest.approx(9.3, abs=0.4)


def test_two_scorers_on_one_set_of_outputs_are_compared_sample_by_sample() -> None:
    strict, broad = rows([8] * 10, 16), rows([9] * 10, 16)
    paired, free = compare(strict, broad, same_samples=True), compare(strict, broad)
    assert paired["difference"]["across_seeds"]["answer"] == "better"
    assert free["difference"]["across_seeds"]["answer"] == "inconclusive"


def test_two_scorers_that_each_find_what_the_other_does_not_go_apart_as_cells_of_a_multinomial() -> None:
    found = {name: [index < right for index in range(16)] for name, right in (("before", 8), ("after", 6))}
    found["after"][8:11] = [True] * 3  # of 16, two lost and three gained, at each of ten problems
    before, after = (
        [row(f"p{p}", 42 + s, "1", right) for p in range(10) for s, right in enumerate(found[name])]
        for name in ("before", "after")
    )
    again = compare(before, after, same_samples=True)["difference"]["across_seeds"]
    up, down = 3 / 16, 2 / 16
    assert again["std_err"] == pytest.approx(100 * ((up + down - (up - down) ** 2) / 150) ** 0.5)
    assert again["high"] - again["low"] == pytest.approx(2 * 1.96 * again["std_err"], rel=0.03)


def test_what_people_read_says_each_thing_once() -> None:
    found = compare(rows([16, 8, 0, 4], 16), rows([16, 12, 4, 8], 16))
    again, others = (found["difference"][key] for key in ("across_seeds", "across_problems"))
    least = found["smallest_difference"]
    assert sentences(found) == [
        "a 43.8 %, b 62.5 %: +18.8 points on 4 problems × 16 samples",
        f"across seeds (the same problems with other seeds): {again['low']:+.1f} to {again['high']:+.1f}, better"
        f" (shows {least['across_seeds']:.1f} points or more)",
        f"across problems (with other problems like these): {others['low']:+.1f} to {others['high']:+.1f}, inconclusive"
        f" (shows {least['across_problems']:.1f} points or more)",
        "exact test by problem: p = 0.25 (3 up, 0 down, 1 the same)",
        "moved most: p1 50 → 75 %, p2 0 → 25 %, p3 25 → 50 %",
    ]


def test_the_problems_that_moved_most_come_first() -> None:
    found = compare(rows({"a": 0, "b": 4, "c": 2, "d": 2}, 4), rows({"a": 1, "b": 0, "c": 2, "d": 4}, 4))
    assert [one["id"] for one in found["moved_most"]] == ["b", "d", "a"]
    assert found["moved"] == {"up": 2, "down": 1, "same": 1}


def test_a_side_without_a_miss_is_as_uncertain_here_as_by_itself() -> None:
    # 120 of 120 against 118 of 120: Wilson's bounds of each, square and add (Newcombe 1998, method 10)
    found = compare(rows([4] * 30, 4), rows([3, 3] + [4] * 28, 4))["difference"]["across_seeds"]
    alone = compare(rows([4] * 30, 4), rows([4] * 30, 4))["difference"]["across_seeds"]
    assert (alone["low"], alone["high"]) == pytest.approx(
        (-100 * 3.8415 / 123.8415, 100 * 3.8415 / 123.8415), abs=0.001
    )
    assert found["low"] < -5 < 1.5 < found["high"] < 2.5
    assert found["answer"] == "inconclusive"


@pytest.mark.parametrize(("size", "one", "other"), [(4, 1.0, 0.98), (4, 0.995, 0.97), (16, 0.0, 0.005), (4, 0.5, 0.6)])
def test_a_difference_near_the_ends_is_covered(size: int, one: float, other: float) -> None:
    draw, hits, draws = Random(3), 0, 200
    for _ in range(draws):
        drawn = [[sum(draw.random() < chance for _ in range(size)) for _ in range(30)] for chance in (one, other)]
        found = compare(rows(drawn[0], size), rows(drawn[1], size))["difference"]["across_seeds"]
        hits += found["low"] <= 100 * (other - one) <= found["high"]
    assert hits >= 0.92 * draws


@pytest.mark.parametrize(("size", "one", "other"), [(1, 1.0, 0.98), (1, 0.95, 0.9), (1, 0.5, 0.6), (1, 0.02, 0.0)])
def test_a_difference_of_one_sample_a_problem_is_covered(size: int, one: float, other: float) -> None:
    draw, hits, draws = Random(4), 0, 400
    for _ in range(draws):
        drawn = [[int(draw.random() < chance) for _ in range(30)] for chance in (one, other)]
        found = compare(rows(drawn[0], size), rows(drawn[1], size))["difference"]["across_seeds"]
        hits += found["low"] <= 100 * (other - one) <= found["high"]
        assert found["at_most"] is True
    assert hits >= 0.93 * draws


def test_all_right_once_is_no_certainty() -> None:
    # 30 of 30 on both sides: Wilson's bounds of each, square and add
    found = compare(rows([1] * 30, 1), rows([1] * 30, 1))["difference"]["across_seeds"]
    assert (found["low"], found["high"]) == pytest.approx((-100 * 3.8415 / 33.8415, 100 * 3.8415 / 33.8415), abs=0.01)


def test_the_exact_test_tells_nothing_apart_that_is_alike_however_many_samples_a_side_has() -> None:
    draw, told, draws = Random(6), 0, 200
    for _ in range(draws):
        one, other = (
            [row(f"p{p}", 42 + s, "1", draw.random() < 0.03) for s in range(size) for p in range(30)]
            for size in (1, 16)
        )
        told += compare(one, other)["sign_flip_p"] <= 0.05
    assert told <= 0.05 * draws  # by differences of unlike numbers, more than half would be


@given(PAIRS)
def test_the_two_sides_mirror_each_other(pairs: list[tuple[int, int]]) -> None:
    one, other = rows([a for a, _ in pairs], 4), rows([b for _, b in pairs], 4)
    there, back = compare(one, other), compare(other, one)
    assert there["difference"]["value"] == pytest.approx(-back["difference"]["value"])
    assert there["sign_flip_p"] == pytest.approx(back["sign_flip_p"])
    whole, again = there["difference"]["across_problems"], there["difference"]["across_seeds"]
    assert whole["low"] <= again["low"] <= again["high"] <= whole["high"]
    for key in ("across_problems", "across_seeds"):
        assert there["difference"][key]["low"] == pytest.approx(-back["difference"][key]["high"])


@given(PAIRS)
def test_a_side_against_itself_differs_by_nothing(pairs: list[tuple[int, int]]) -> None:
    table = rows([a for a, _ in pairs], 4)
    found = compare(table, table, same_samples=True)
    assert found["difference"]["value"] == 0
    assert found["sign_flip_p"] == 1
    assert found["difference"]["across_seeds"]["answer"] == "inconclusive"
