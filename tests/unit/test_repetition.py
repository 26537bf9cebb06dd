from fractions import Fraction
from itertools import combinations, product
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seedbed.scoring.metrics import Graded, metrics
from seedbed.statistics.pass_at_k import Answer, classed, equal_form, likely_miss, majority, pass_at_k, pass_variance


def test_pass_at_k_is_the_share_of_subsets_with_a_right_one() -> None:
    for n in range(1, 7):
        for right in range(n + 1):
            outcomes = [True] * right + [False] * (n - right)
            for k in range(1, n + 1):
                subsets = list(combinations(outcomes, k))
                expected = Fraction(sum(map(any, subsets)), len(subsets))
                assert pass_at_k(n, right, k) == pytest.approx(float(expected))


def test_k_beyond_n_is_undefined_and_never_one() -> None:
    assert pass_at_k(1, 1, 10) is None
    assert pass_at_k(8, 8, 9) is None
    assert pass_at_k(8, 8, 0) is None


@given(st.integers(1, 64), st.data())
def test_pass_at_k_grows_with_k_and_with_right_samples(n: int, data: st.DataObject) -> None:
    right = data.draw(st.integers(0, n))
    values = [pass_at_k(n, right, k) or 0.0 for k in range(1, n + 1)]
    assert all(0 <= value <= 1 for value in values)
    assert values == sorted(values)
    if right < n:
        assert all((pass_at_k(n, right + 1, k) or 0.0) >= value - 1e-12 for k, value in enumerate(values, 1))


def test_the_variance_of_one_sample_is_unbiased() -> None:
    assert pass_variance(16, 4, 1) == pytest.approx(0.25 * 0.75 / 15)
    assert pass_variance(16, 16, 3) == 0
    assert pass_variance(16, 5, 16) is None
    assert pass_variance(1, 1, 1) is None


@pytest.mark.parametrize("k", [2, 4])
def test_the_variance_of_pass_at_k_is_not_too_small(k: int) -> None:
    n, p = 8, 0.3
    chances = [comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
    values = [pass_at_k(n, c, k) or 0.0 for c in range(n + 1)]
    mean = sum(chance * value for chance, value in zip(chances, values, strict=True))
    true = sum(chance * (value - mean) ** 2 for chance, value in zip(chances, values, strict=True))
    told = sum(chance * (pass_variance(n, c, k) or 0.0) for c, chance in enumerate(chances))
    assert true <= told <= 1.6 * true


ANSWERS = st.lists(
    st.tuples(st.sampled_from(["81", "81.0", "7", "x", None]), st.booleans()).map(
        lambda pair: (pair[0], pair[0] in ("81", "81.0"))
    ),
    min_size=1,
    max_size=9,
)


def of_peer(answers: list[Answer], k: int) -> float:
    """Return majority@k of one problem as metrics.json has it, a share."""
    samples = [Graded(value, right, value is None) for value, right in answers]
    block = metrics("b", [((), samples)])["b"]
    value = block[f"majority@{k}"]["symbolic_correct"]
    assert isinstance(value, float)
    return value / 100


@given(ANSWERS)
def test_majority_is_counted_as_the_peer_counts(answers: list[Answer]) -> None:
    sizes = range(2, len(answers) + 1)
    for size, value in zip(sizes, majority(answers, sizes), strict=True):
        assert value == pytest.approx(of_peer(answers, size))
        assert 0 <= value <= 1


def test_81_and_81_0_are_one_answer() -> None:
    answers: list[Answer] = [("81", True), ("81.0", True), ("7", False), ("7", False), ("7", False), ("+81", True)]
    assert next(majority(answers, [6])) == 0
    assert next(majority(classed(answers), [6])) == 0.5
    answers.append(("81.00", True))
    assert next(majority(classed(answers), [7])) == 1


@given(ANSWERS)
def test_the_order_of_seeds_is_irrelevant_to_the_whole_vote(answers: list[Answer]) -> None:
    size = [len(answers)]
    ordered = sorted(answers, key=str)
    assert next(majority(answers, size)) == next(majority(ordered, size))
    assert next(majority(classed(answers), size)) == next(majority(classed(ordered), size))


@pytest.mark.parametrize(("samples", "right", "k"), [(16, 16, 2), (16, 0, 15), (16, 8, 8), (5, 2, 5), (64, 60, 32)])
def test_what_is_likely_to_be_missed_is_the_exact_sum_over_runs(samples: int, right: int, k: int) -> None:
    for added in ((Fraction(3, 10), Fraction(3, 10)), (Fraction(0), Fraction(2))):
        chance = (right + added[0]) / (samples + sum(added))
        runs = [comb(samples, c) * chance**c * (1 - chance) ** (samples - c) for c in range(samples + 1)]
        missed = [Fraction(comb(samples - c, k), comb(samples, k)) for c in range(samples + 1)]
        mean = sum(run * miss for run, miss in zip(runs, missed, strict=True))
        variance = sum(run * (miss - mean) ** 2 for run, miss in zip(runs, missed, strict=True))
        likely = likely_miss(samples, right, k, float(added[0]), float(added[1]))
        assert likely[0] == pytest.approx(float(mean), abs=1e-12)
        assert likely[1] == pytest.approx(float(variance), abs=1e-12)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("81", "81.0"),
        ("+81", "081"),
        ("1,234", "1234"),
        ("1{,}234", "1234.0"),
        ("\\frac12", "0.5"),
        ("1/2", "\\dfrac{2}{4}"),
        ("-0", "0"),
        (".5", "0.50"),
        ("$7$", "7."),
        ("-3.50", "-7/2"),
    ],
)
def test_ways_to_write_a_number(one: str, other: str) -> None:
    assert equal_form(one) == equal_form(other)


def test_what_is_no_number_stays_as_it_is() -> None:
    texts = ["x=3", "12:00", "1.2.3", "A", "", "1/0", "10^6", "1,23", "\\frac123", "5" * 200, "-3", "3"]
    assert len({equal_form(text) for text in texts}) == len(texts)


@given(st.text(max_size=30))
def test_any_text_has_a_form(text: str) -> None:
    assert equal_form(equal_form(text)) is not None


def test_every_pair_of_small_fractions_is_told_apart() -> None:
    forms = {(a, b): equal_form(f"{a}/{b}") for a, b in product(range(-6, 7), range(1, 7))}
    for (a, b), form in forms.items():
        for (c, d), other in forms.items():
            assert (form == other) == (a * d == c * b)
