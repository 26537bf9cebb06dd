"""The peer's metrics on numbers that can be worked out by hand."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seedbed.scoring.cohort import _with_equal_answers
from seedbed.scoring.metrics import Graded, metrics


def problem(answers: list[str | None], right: str, tokens: int = 10) -> list[Graded]:
    """Return the samples of a problem, each one second after the other."""
    return [
        Graded(answer, answer == right, answer is None, tokens, 0.0, float(tokens), float(index), index + 2.5)
        for index, answer in enumerate(answers)
    ]


def modes(*problems: list[Graded]) -> dict[str, Any]:
    """Return the block of one benchmark without subsets."""
    return metrics("made", [((), samples) for samples in problems])["made"]


def test_modes_stand_in_the_peers_order() -> None:
    names = list(modes(problem(["1", "2", "3"], "1")))
    assert names == ["pass@1", "pass@2", "pass@1[avg-of-2]", "pass@3", "pass@1[avg-of-3]", "majority@2", "majority@3"]


def test_one_seed_has_pass_at_1_alone() -> None:
    assert modes(problem(["1"], "1")) == {
        "pass@1": {"num_entries": 1, "avg_tokens": 10, "gen_seconds": 2, "symbolic_correct": 100.0, "no_answer": 0.0}
    }


def test_pass_at_k_counts_over_all_samples_and_averages_over_the_first() -> None:
    block = modes(problem(["1", "2", "2", "1"], "1"))
    assert block["pass@1"]["symbolic_correct"] == 50.0
    assert block["pass@2"]["symbolic_correct"] == pytest.approx(100 * (1 - 1 / 6))
    assert block["pass@1[avg-of-3]"]["symbolic_correct"] == pytest.approx(100 / 3)


def test_majority_leaves_no_answers_out_and_averages_ties() -> None:
    assert modes(problem([None, None, "1"], "1"))["majority@3"]["symbolic_correct"] == 100.0
    assert modes(problem(["1", "2"], "1"))["majority@2"]["symbolic_correct"] == 50.0
    assert modes(problem([None, None], "1"))["majority@2"]["symbolic_correct"] == 0.0
    assert modes(problem(["", "", "1"], "1"))["majority@3"]["symbolic_correct"] == 0.0


def test_no_answer_of_pass_at_j_needs_all_of_the_first_j() -> None:
    block = modes(problem([None, "1"], "1"), problem([None, None], "1"))
    assert (block["pass@1"]["no_answer"], block["pass@2"]["no_answer"]) == (100.0, 50.0)
    assert block["pass@1[avg-of-2]"]["no_answer"] == 75.0


def test_spread_is_over_runs_with_ddof_1() -> None:
    spread = modes(problem(["1", "2"], "1"), problem(["1", "1"], "1"))["pass@1[avg-of-2]"][
        "symbolic_correct_statistics"
    ]
    assert spread == pytest.approx(
        {"avg": 0.75, "std_dev_across_runs": 0.125**0.5, "avg_sample_std_dev": 0.125**0.5, "std_err_across_runs": 0.25}
    )


def test_subsets_have_blocks_of_their_own() -> None:
    blocks = metrics("made", [(("easy",), problem(["1"], "1")), (("hard",), problem(["2"], "1"))])
    assert list(blocks) == ["made", "made-easy", "made-hard"]
    assert blocks["made-hard"]["pass@1"]["symbolic_correct"] == 0.0


@given(st.lists(st.lists(st.sampled_from(["1", "2", None]), min_size=4, max_size=4), min_size=1, max_size=6))
def test_percentages_stay_between_0_and_100(rows: list[list[str | None]]) -> None:
    for block in modes(*(problem(row, "1") for row in rows)).values():
        assert 0.0 <= block["symbolic_correct"] <= 100.0
        assert 0.0 <= block["no_answer"] <= 100.0


def test_pass_at_k_equals_the_share_of_subsets_with_a_right_sample() -> None:
    for right in product([True, False], repeat=4):
        samples = [Graded("1" if good else "2", good, False) for good in right]
        pairs = [right[a] or right[b] for a in range(4) for b in range(a + 1, 4)]
        assert modes(samples)["pass@2"]["symbolic_correct"] == pytest.approx(100 * sum(pairs) / 6)


def test_a_broad_scorers_majority_counts_equal_values_and_the_strict_one_strings() -> None:
    written = ["0.5", r"\frac{1}{2}", r"\dfrac12", "3", "3"]
    problem = [Graded(answer, answer != "3", False) for answer in written]
    rows = _with_equal_answers(problem)
    assert [one.predicted_answer for one in rows] == ["0.5", "0.5", "0.5", "3", "3"]
    by_value, by_string = (modes(graded)["majority@5"]["symbolic_correct"] for graded in (rows, problem))
    assert (by_value, by_string) == (100.0, 0.0)
