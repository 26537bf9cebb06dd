import pytest

from scripts.errors import InputError
from scripts.evals.gates import (
    CANNOT_TELL,
    EXIT_CODES,
    FAIL,
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
    return {"value": value, "run_again": {"question": "these same problems, run again", "low": low, "high": high}}


def compared(low: float, high: float, shared: int = 30, whole: int = 30) -> dict[str, object]:
    """Return a comparison as `compare` gives it."""
    return {"difference": figure((low + high) / 2, low, high), "problems": {"compared": shared, "of": whole}}


@pytest.mark.parametrize(
    ("low", "high", "result"), [(70.5, 76.0, PASS), (70.0, 76.0, PASS), (64.0, 69.9, FAIL), (68.0, 74.0, CANNOT_TELL)]
)
def test_a_score_is_decided_by_its_interval(low: float, high: float, result: str) -> None:
    asked = criterion("pass@1[avg-of-16] >= 70")
    assert decide_score(asked, figure((low + high) / 2, low, high)).result == result


def test_what_cannot_be_told_names_the_margin_that_this_size_decides() -> None:
    decision = decide_score(criterion("pass@1 >= 70"), figure(71.0, 68.0, 73.5))
    assert decision.margin == 3.0
    assert decision.words == (
        "found 71.0 (68.0 to 73.5, these same problems, run again); this size decides 3.0 points or more from 70"
    )


def test_an_undefined_score_cannot_be_told() -> None:
    decision = decide_score(criterion("pass@16 >= 70"), None, "pass@16 of 4 samples a problem is undefined")
    assert (decision.result, decision.words) == (CANNOT_TELL, "pass@16 of 4 samples a problem is undefined")


@pytest.mark.parametrize(
    ("low", "high", "result"), [(-1.9, 3.0, PASS), (-2.5, 1.0, CANNOT_TELL), (-6.0, -2.1, FAIL), (0.1, 2.0, PASS)]
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
    assert few.result == one.result == CANNOT_TELL
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
        ("truncated <= 1 %", None, CANNOT_TELL),
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
    assert overall([PASS, CANNOT_TELL]) == CANNOT_TELL
    assert overall([CANNOT_TELL, FAIL, PASS]) == FAIL
    assert overall([]) == CANNOT_TELL
    assert EXIT_CODES == {PASS: 0, FAIL: 1, CANNOT_TELL: 3}


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
    ],
)
def test_a_sentence_that_is_not_understood_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message.replace("[", r"\[")):
        criterion(text)
