import random
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from math import sqrt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seedbed.core.environment import SOURCES
from seedbed.scoring.answers import Scored
from seedbed.scoring.figures import Cells, by_problem, figure, passes, share, statistics
from seedbed.scoring.metrics import Graded, metrics
from tests.unit.scored import row, rows

COHORTS = st.integers(1, 8).flatmap(
    lambda k: st.tuples(st.just(k), st.lists(st.integers(0, k), min_size=1, max_size=12))
)


def values(node: Any) -> list[float]:
    """Return every share in statistics.json, however deep."""
    if isinstance(node, dict):
        own = [node[key] for key in ("value", "low", "high") if isinstance(node.get(key), int | float)]
        return own + [value for inner in node.values() for value in values(inner)]
    return []


def cells_of(counts: dict[tuple[int, int], int]) -> Cells:
    """Return the samples of problems of which so many have (n, c)."""
    return {
        f"p{right}-{index}": rows([right], size) for (size, right), count in counts.items() for index in range(count)
    }


def of_peer(table: list[Scored], k: int) -> dict[str, Any]:
    """Return the peer's block of metrics for the same samples."""
    problems = [
        ((), [Graded(s.found.value, s.correct, s.found.value is None) for s in samples[:k]])
        for samples in by_problem(table).values()
    ]
    found: dict[str, Any] = metrics("b", problems)["b"]
    return found


def test_figures_equal_those_of_metrics_json() -> None:
    table = [
        row(f"p{problem}", 42 + seed, [None, "1", "2", "1.0"][(problem * seed + seed) % 4], (problem + seed) % 3 == 0)
        for seed in range(4)
        for problem in range(7)
    ]
    found, peer = statistics(table, {}, {}), of_peer(table, 4)
    for mode in ("pass@1[avg-of-4]", "pass@2", "pass@3", "pass@4", "majority@2", "majority@4"):
        assert found[mode]["value"] == pytest.approx(peer[mode]["symbolic_correct"], abs=1e-9)
    assert found["no_answer"]["value"] == pytest.approx(peer["pass@1[avg-of-4]"]["no_answer"], abs=1e-9)


@given(st.lists(st.lists(st.sampled_from([None, "1", "1", "1", "2"]), min_size=5, max_size=5), min_size=1, max_size=6))
def test_every_figure_equals_that_of_metrics_json(answers: list[list[str | None]]) -> None:
    table = [
        row(f"p{p}", s, value, value == "1") for s in range(5) for p, value in enumerate(one[s] for one in answers)
    ]
    found, peer = statistics(table, {}, {}), of_peer(table, 5)
    for mode in ("pass@1[avg-of-5]", *(f"pass@{k}" for k in range(2, 6)), "majority@2", "majority@4", "majority@5"):
        assert found[mode]["value"] == pytest.approx(peer[mode]["symbolic_correct"], abs=1e-9)
    assert found["no_answer"]["value"] == pytest.approx(peer["pass@1[avg-of-5]"]["no_answer"], abs=1e-9)


def test_no_answer_of_every_sample_is_100_percent() -> None:
    found = statistics([row(f"p{p}", s, None, False) for s in range(8) for p in range(4)], {}, {})
    assert found["no_answer"]["value"] == 100
    assert found["majority@8"]["value"] == 0


def test_pass_at_k_goes_no_further_than_the_samples() -> None:
    found = statistics(rows([1] * 50 + [0] * 114, 1), {}, {})
    assert found["pass@1"]["value"] == pytest.approx(100 * 50 / 164)
    assert not [name for name in found if name.startswith("pass@") and name != "pass@1"]
    assert figure(by_problem(rows([1, 0], 1)), "pass", 10) is None


def test_pass_at_k_near_100_percent_is_as_sure_as_runs_show() -> None:
    # 30 problems, half right of 16: runs of such problems (true pass@8 99.61) fall between 98.8 and 99.94
    found = passes({(16, 8): 30})["pass@8"]
    assert found["value"] == pytest.approx(99.9922, abs=1e-4)
    assert 98.5 < found["across_seeds"]["low"] < 99.4
    assert found["across_seeds"]["high"] > 99.99
    assert found["across_problems"]["low"] <= found["across_seeds"]["low"]


def test_pass_at_all_samples_is_unsure_of_problems_that_were_right_once() -> None:
    once, always = (passes({(16, right): 30})["pass@16"] for right in (1, 16))
    assert once["value"] == always["value"] == 100
    assert once["across_seeds"]["low"] < 89
    assert always["across_seeds"]["low"] > 99.99


@pytest.mark.parametrize(("chance", "k"), [(0.1, 4), (0.5, 8), (0.8, 4), (0.8, 8), (0.93, 2)])
def test_pass_at_k_across_seeds_is_covered_and_no_wider_than_it_must(chance: float, k: int) -> None:
    draw, draws, hits = random.Random(5), 200, 0
    truth = 100 * (1 - (1 - chance) ** k)
    for _ in range(draws):
        rights = Counter((16, sum(draw.random() < chance for _ in range(16))) for _ in range(30))
        again = passes(rights)[f"pass@{k}"]["across_seeds"]
        hits += again["low"] - 1e-9 <= truth <= again["high"] + 1e-9
        assert again["high"] - again["low"] <= 25
    assert hits >= 0.91 * draws


def test_pass_at_k_of_many_seeds_that_comes_to_one_but_for_a_rounding_has_its_interval() -> None:
    found = passes({(256, 200 + index): 1 for index in range(30)})
    assert found["pass@128"]["value"] == 100
    assert 99 < found["pass@128"]["across_seeds"]["low"] <= 100
    assert found["pass@128"]["across_problems"]["low"] == pytest.approx(
        passes({(256, 256): 30})["pass@128"]["across_problems"]["low"]
    )
    assert set(found) == {"pass@1[avg-of-256]", *(f"pass@{k}" for k in range(2, 257))}


def test_one_problem_of_few_samples_takes_nothing_from_the_width_that_across_problems_need() -> None:
    counts = {(16, 16): 18, (16, 15): 5, (16, 13): 3, (16, 10): 3}  # as unlike as those of an ordinary benchmark
    whole, uneven = (
        share(cells_of({**counts, one: 1}), lambda sample: sample.correct)["across_problems"]
        for one in ((16, 8), (2, 1))
    )
    assert uneven["high"] - uneven["low"] == pytest.approx(whole["high"] - whole["low"], rel=0.02)


def test_pass_at_k_of_problems_hardly_ever_solved_is_as_sure_as_so_many_draws_of_k() -> None:
    # 3 of 30 problems once of 16: 5 % at k = 8, and a U-statistic is worth at least 480/8 draws: Wilson's 5 % of 60
    found = passes({(16, 0): 27, (16, 1): 3})["pass@8"]
    part = 1.959964**2 / 60
    high = (0.05 + part / 2 + 1.959964 * sqrt(0.05 * 0.95 / 60 + part / 240)) / (1 + part)
    assert found["value"] == pytest.approx(5)
    assert found["across_seeds"]["high"] == pytest.approx(100 * high, abs=1e-3)


@pytest.mark.parametrize("kind", ["mean", "pass", "majority"])
def test_a_figure_of_more_samples_than_there_are_is_undefined(kind: str) -> None:
    cells = by_problem([*rows({"a": 2, "b": 4}, 4), *rows({"c": 3}, 6)])  # 4 of one problem are too few for 5
    assert figure(cells, kind, 5) is None
    assert figure(cells, kind, 4) is not None


def test_a_mean_of_k_samples_is_of_the_first() -> None:
    assert (figure(by_problem(rows([2], 4)), "mean", 2) or {})["value"] == 100
    assert (figure(by_problem(rows([2], 4)), "mean", None) or {})["value"] == 50


def test_samples_that_failed_do_not_halve_the_score_of_those_that_came() -> None:
    came = [row("p", 42 + seed, "1", seed < 4) for seed in range(8)]
    failed = [row("p", 50 + seed, None, False, "error") for seed in range(8)]
    found = statistics([*came, *failed], {"errors": 8}, {})
    assert found["pass@1[avg-of-16]"]["value"] == 25
    assert found["without_errors"]["samples"] == 8
    assert found["without_errors"]["pass@1"]["value"] == 50
    assert found["errors"] == {"count": 8, "share": 50}


def test_equal_answers_vote_together() -> None:
    table = [row("p", seed, value, value.startswith("81")) for seed, value in enumerate(["81", "81.0", "7", "7"])]
    table += [row("p", 4, "+81", True)]
    found = statistics(table, {}, {})
    assert found["majority@5"]["value"] == 0
    assert found["majority@5"]["by_equivalence_class"]["value"] == 100


def test_both_intervals_stand_beside_every_score_and_say_what_they_answer() -> None:
    found = statistics(rows([16, 12, 3, 0, 8], 16), {}, {})
    mean = found["pass@1[avg-of-16]"]
    assert mean["across_problems"]["question"] == "across problems (with other problems like these)"
    assert mean["across_seeds"]["question"] == "across seeds (the same problems with other seeds)"
    assert mean["across_seeds"]["std_err"] < mean["across_problems"]["std_err"]
    assert found["pass@16"]["across_seeds"]["at_most"] is True
    assert "at_most" not in found["pass@8"]["across_seeds"]


def test_a_vote_counts_once_a_problem_however_many_samples_it_is_of() -> None:
    found = statistics(rows([12] * 30, 16), {}, {})["majority@16"]
    assert found["value"] == 100
    assert found["across_seeds"]["low"] == pytest.approx(100 * 30 / (30 + 1.959964**2))  # Wilson, 30 of 30
    assert found["across_seeds"]["at_most"] is True


def test_accuracy_is_told_problem_by_problem() -> None:
    assert statistics(rows({"a": 1, "b": 4}, 4), {}, {})["per_problem"] == {"a": 0.25, "b": 1.0}


@given(COHORTS)
def test_all_shares_lie_between_0_and_100(cohort: tuple[int, list[int]]) -> None:
    k, counts = cohort
    assert all(0 <= value <= 100 + 1e-9 for value in values(statistics(rows(counts, k), {"errors": 1}, {})))


@given(COHORTS)
def test_pass_at_k_never_falls_with_k(cohort: tuple[int, list[int]]) -> None:
    k, counts = cohort
    found = statistics(rows(counts, k), {}, {})
    passes = [found[f"pass@1[avg-of-{k}]" if k > 1 else "pass@1"]["value"]]
    passes += [found[f"pass@{j}"]["value"] for j in range(2, k + 1)]
    assert all(later >= earlier - 1e-9 for earlier, later in pairwise(passes))


@given(COHORTS, st.integers(0, 1000))
def test_the_order_of_seeds_is_irrelevant(cohort: tuple[int, list[int]], key: int) -> None:
    k, counts = cohort
    table = rows(counts, k)
    shuffled = list(table)
    random.Random(key).shuffle(shuffled)
    one, other = statistics(table, {}, {}), statistics(shuffled, {}, {})
    for name in (f"pass@1[avg-of-{k}]", f"pass@{k}", f"majority@{k}", "no_answer"):
        if name in one and name in other:
            assert sorted(values(one[name])) == pytest.approx(sorted(values(other[name])))


@given(COHORTS)
def test_two_halves_of_the_seeds_merged_are_the_whole(cohort: tuple[int, list[int]]) -> None:
    k, counts = cohort
    table = rows(counts, 2 * k)
    first = [sample for sample in table if sample.seed < 42 + k]
    second = [sample for sample in table if sample.seed >= 42 + k]
    whole, merged = statistics(table, {}, {}), statistics([*second, *first], {}, {})
    assert whole["samples"] == merged["samples"] == len(first) + len(second)
    assert whole["per_problem"] == merged["per_problem"]
    for name in (f"pass@1[avg-of-{2 * k}]", f"pass@{2 * k}"):
        assert values(whole[name]) == pytest.approx(values(merged[name]))
    halves = [figure(by_problem(half), "mean", None) for half in (first, second)]
    mean = sum(half["value"] for half in halves if half) / 2
    assert whole[f"pass@1[avg-of-{2 * k}]"]["value"] == pytest.approx(mean)


@given(COHORTS)
def test_two_halves_of_the_problems_merged_are_the_whole(cohort: tuple[int, list[int]]) -> None:
    k, counts = cohort
    half = rows({f"a{index}": count for index, count in enumerate(counts)}, k)
    other = rows({f"b{index}": count for index, count in enumerate(counts)}, k)
    name = f"pass@{k}" if k > 1 else "pass@1"
    whole = statistics([*half, *other], {}, {})
    assert whole["samples"] == 2 * len(half)
    assert whole[name]["value"] == pytest.approx(statistics(half, {}, {})[name]["value"])


def test_nothing_heavy_is_imported() -> None:
    code = "import sys, seedbed.commands.tabulate;"
    code += "print(*[n for n in ('numpy', 'pandas', 'scipy', 'sympy') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=SOURCES)
    assert done.stdout.split() == []


@given(COHORTS)
def test_across_problems_are_never_surer_than_another_run(cohort: tuple[int, list[int]]) -> None:
    k, rights = cohort
    found = statistics(rows(rights, k), {}, {})
    seen = 0
    for name, one in found.items():
        parts = [one, one.get("by_equivalence_class")] if name.startswith(("pass@", "majority@", "no_answer")) else []
        for part in parts:
            if part and part["across_problems"] and part["across_seeds"]:
                whole, again = part["across_problems"], part["across_seeds"]
                assert whole["low"] <= again["low"] <= again["high"] <= whole["high"]
                seen += 1
    assert seen or len(rights) < 2
