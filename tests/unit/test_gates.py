import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from seedbed.core.errors import InputError
from seedbed.decisions.criteria import (
    EXIT_CODES,
    FAIL,
    INCONCLUSIVE,
    PASS,
    criterion,
    decide_count,
    decide_not_worse,
    decide_score,
    decide_verdict,
    k_of,
    overall,
)


def figure(value: float, low: float, high: float) -> dict[str, object]:
    """Return a figure as statistics.json has it."""
    return {
        "value": value,
        "across_seeds": {"question": "across seeds (the same problems with other seeds)", "low": low, "high": high},
    }


def compared(low: float, high: float, shared: int = 30, whole: int = 30) -> dict[str, object]:
    """Return a comparison as `compare` gives it."""
    return {"difference": figure((low + high) / 2, low, high), "problems": {"compared": shared, "of": whole}}


@pytest.mark.parametrize(
    ("low", "high", "result"), [(70.5, 76.0, PASS), (70.0, 76.0, PASS), (64.0, 69.9, FAIL), (68.0, 74.0, INCONCLUSIVE)]
)
def test_a_score_is_decided_by_its_interval(low: float, high: float, result: str) -> None:
    asked = criterion("pass@1[avg-of-16] >= 70")
    assert decide_score(asked, figure((low + high) / 2, low, high)).result == result


def test_what_cannot_be_told_names_the_margin_that_this_size_decides() -> None:
    decision = decide_score(criterion("pass@1 >= 70"), figure(71.0, 68.0, 73.5))
    assert decision.margin == 3.0
    assert decision.words == "found 71.0 (68.0 to 73.5 across seeds), decides from 3.0 points off 70"


@pytest.mark.parametrize(
    ("low", "high", "results"),
    [  # of >= 70, > 70, <= 70, < 70
        (70.0, 72.0, (PASS, INCONCLUSIVE, INCONCLUSIVE, FAIL)),
        (68.0, 70.0, (INCONCLUSIVE, FAIL, PASS, INCONCLUSIVE)),
        (70.0, 70.0, (PASS, FAIL, PASS, FAIL)),
        (70.00000001, 72.0, (PASS, PASS, FAIL, FAIL)),
    ],
)
def test_a_bound_that_is_the_limit_is_on_the_side_of_the_sign(
    low: float, high: float, results: tuple[str, ...]
) -> None:
    for sign, result in zip((">=", ">", "<=", "<"), results, strict=True):
        for limit in ("70", "70.0", "70 %", "70.00 percent"):
            asked = criterion(f"pass@1 {sign} {limit}")
            assert decide_score(asked, figure((low + high) / 2, low, high)).result == result


@pytest.mark.parametrize("limit", ["0.1", "0.3", "1", "7", "29", "0.07", "57.1"])
def test_a_share_that_is_the_limit_holds_it_and_one_sample_more_does_not(limit: str) -> None:
    asked, count = criterion(f"truncated <= {limit} %"), round(float(limit) * 1000)
    assert decide_count(asked, count, 100_000).result == PASS
    assert decide_count(asked, count + 1, 100_000).result == FAIL
    assert decide_count(criterion(f"truncated >= {limit} %"), count, 100_000).result == PASS
    assert decide_count(criterion(f"truncated < {limit} %"), count, 100_000).result == FAIL


@given(st.floats(0, 100), st.floats(0, 100), st.sampled_from([">=", ">", "<=", "<"]), st.integers(0, 99))
def test_a_decision_is_that_of_both_bounds(one: float, other: float, sign: str, limit: int) -> None:
    low, high = sorted((one, other))
    held = [{">=": x >= limit, ">": x > limit, "<=": x <= limit, "<": x < limit}[sign] for x in (low, high)]
    assume((sign, limit) != ("<", 0))
    expected = PASS if all(held) else INCONCLUSIVE if any(held) else FAIL
    assert decide_score(criterion(f"pass@1{sign}{limit}"), figure((low + high) / 2, low, high)).result == expected


def test_an_undefined_score_cannot_be_told() -> None:
    decision = decide_score(criterion("pass@16 >= 70"), None, "pass@16 of 4 samples a problem is undefined")
    assert (decision.result, decision.words) == (INCONCLUSIVE, "pass@16 of 4 samples a problem is undefined")


@pytest.mark.parametrize(
    ("low", "high", "result"), [(-1.9, 3.0, PASS), (-2.5, 1.0, INCONCLUSIVE), (-6.0, -2.1, FAIL), (0.1, 2.0, PASS)]
)
def test_not_worse_by_two_points(low: float, high: float, result: str) -> None:
    asked = criterion("not worse than nightly/ref by 2 points")
    assert asked.reference == "nightly/ref"
    assert decide_not_worse(asked, compared(low, high)).result == result


def test_a_decision_on_problems_in_common_says_so_and_needs_nine_tenths_of_them() -> None:
    asked = criterion("not worse than nightly/ref by 2 points")
    most, few, one = (decide_not_worse(asked, compared(-1.0, 3.0, shared, 30)) for shared in (27, 26, 1))
    assert most.result == PASS
    assert most.words.startswith("found difference 1.0 on 27 of 30 problems in common (-1.0 to 3.0")
    assert few.result == one.result == INCONCLUSIVE
    assert one.words == "found difference 1.0 on 1 of 30 problems in common; expected at least 90 % of them"
    assert "in common" not in decide_not_worse(asked, compared(-1.0, 3.0)).words


@pytest.mark.parametrize("measure", ["pass@0", "majority@0", "pass@1[avg-of-0]", "pass@00"])
def test_a_score_of_no_sample_is_refused(measure: str) -> None:
    with pytest.raises(InputError, match="of no sample; expected at least 1"):
        criterion(f"{measure} >= 1")


@pytest.mark.parametrize(
    ("text", "count", "result"),
    [
        ("truncated <= 1 %", 4, PASS),
        ("truncated <= 1 %", 5, FAIL),
        ("truncated <= 1 %", None, INCONCLUSIVE),
        ("truncated <= 4", 4, PASS),
        ("no_answer ≤ 2%", 9, FAIL),
        ("duplicates = 0", 0, PASS),
        ("duplicates == 0", 1, FAIL),
        ("run-on < 3", 3, FAIL),
    ],
)
def test_what_went_wrong_is_counted_not_estimated(text: str, count: int | None, result: str) -> None:
    assert decide_count(criterion(text), count, 400).result == result


def test_a_verdict_is_as_it_is() -> None:
    asked = criterion("verdict = COMPLETE")
    assert decide_verdict(asked, "COMPLETE").result == PASS
    assert decide_verdict(asked, "PARTIAL").result == FAIL
    assert decide_verdict(asked, None).result == FAIL


def test_a_gate_passes_only_if_all_pass() -> None:
    assert overall([PASS, PASS]) == PASS
    assert overall([PASS, INCONCLUSIVE]) == INCONCLUSIVE
    assert overall([INCONCLUSIVE, FAIL, PASS]) == FAIL
    assert overall([]) == INCONCLUSIVE
    assert EXIT_CODES == {PASS: 0, FAIL: 1, INCONCLUSIVE: 3}


@pytest.mark.parametrize(
    ("measure", "read"),
    [
        ("pass@1", ("mean", None)),
        ("pass@1[avg-of-16]", ("mean", 16)),
        ("pass@4", ("pass", 4)),
        ("majority@8", ("majority", 8)),
    ],
)
def test_scores_are_named_as_in_metrics_json(measure: str, read: tuple[str, int | None]) -> None:
    assert k_of(criterion(f"{measure} >= 1").measure) == read


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("better than before", "is no criterion; expected a sentence such as"),
        ("pass >= 70", "unknown measure 'pass'; expected one of pass@K, pass@1"),
        ("majority@1 >= 70", "unknown measure 'majority@1'"),
        ("pass@1 = 70", "found '=' with an estimate; expected >= or <="),
        ("verdict = GOOD", "found 'GOOD'; expected one of COMPLETE, PARTIAL, INVALID"),
        ("truncated <= 1 promille", "is no criterion"),
        ("pass@1 >= nan", "is no criterion"),
        ("pass@1 >= 70,5", "is no criterion"),
        ("pass@1 => 70", "is no criterion"),
        ("pass@1 >= 0.7", "found 0.7 without a unit; expected percent, such as 70, or 0.7 %"),
        ("pass@1 >= 170", "found 170; expected 0 to 100 percent"),
        ("pass@1 >= -5 %", "found -5; expected 0 to 100 percent"),
        ("pass@1 > 100", "can never hold; expected >= 100"),
        ("pass@² >= 1", "unknown measure 'pass@²'"),
        ("truncated <= 101 %", "found 101; expected 0 to 100 percent"),
        ("truncated <= 0.5", "found 0.5 samples; expected a whole number, or a share such as 0.5 %"),
        ("duplicates = -1", "found -1 samples; expected a whole number"),
        ("truncated < 0", "can never hold; expected <= 0"),
        ("not worse than m by -2 points", "found -2; expected 0 to 100 points"),
        ("not worse than m by 200 points", "found 200; expected 0 to 100 points"),
    ],
)
def test_a_sentence_that_is_not_understood_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message.replace("[", r"\[")):
        criterion(text)
