"""The strict scorer against NeMo-Skills: texts of our own, and its golden files where they are present."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.records.outputs import seed_files
from seedbed.scoring import strict
from seedbed.scoring.cohort import read_cohort
from seedbed.scoring.grading import grade, plain_integer, quick_grade
from seedbed.scoring.strict import Strict, predict
from tests.shared import SHARED

GOLDEN = SHARED / "golden"
KINDS = [("math", "aime25", "math"), ("multichoice", "gpqa", "choice")]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (r"So \boxed{41}, no: \boxed{42}.", "42"),
        (r"\boxed{\frac{1}{2}}", r"\frac{1}{2}"),
        (r"\boxed{}", ""),
        (r"\boxed{42} and \boxed{7", None),
        (r"\boxed{42}. Write it in \boxed please", None),
        (r"\boxed {42}", None),
        (r"\fbox{42}", None),
        (r"<think>\boxed{41}", "41"),
        (r"\boxed{ 42 }", " 42 "),
        (r"\boxed{a}}{b}", "a"),
        ("The answer is 42.", None),
        ("", None),
    ],
)
def test_the_last_box_is_the_answer_to_the_character(text: str, answer: str | None) -> None:
    assert predict(text, "math", {}) == answer


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        (r"\boxed{C) because} Answer: D", "C"),
        ("Answer: A, no. **Answer:** B", "B"),
        ("The final answer is (D)", "D"),
        ("The final answer is B.\nDone", None),
        ("Answer: **D**", None),
        ("answer: c", "C"),
        ("Answer: A/B", "A"),
        ("\\boxed{\uff22}", "B"),
        (r"\boxed{b}", "B"),
        (r"\boxed{42} Answer: C", "C"),
    ],
)
def test_a_choice_is_the_box_or_the_last_answer_line(text: str, letter: str | None) -> None:
    assert predict(text, "choice", {}) == letter


LABELS = st.sampled_from(
    ["**Answer**", "answer", ":", "*", "_", " ", "\n", "A", "(B)", "C", "Answer: D", "Answer:\nE.", "x"]
)


@settings(max_examples=200, deadline=None)
@given(
    before=st.lists(LABELS, max_size=20).map("".join),
    filling=st.integers(0, 150),
    after=st.lists(LABELS, max_size=20).map("".join),
    end=st.integers(4060, 4100),
)
def test_the_last_label_of_a_long_text_is_that_of_a_full_scan(before: str, filling: int, after: str, end: int) -> None:
    text = before + "We count the pairs once more. " * filling + after + "." * end
    found = strict._ANSWER.findall(text)
    assert predict(text, "choice") == (found[-1].upper() if found else None)


def test_plain_integers_need_no_mathematics() -> None:
    assert quick_grade("007", "7", "math") is True
    assert quick_grade("+7", "7", "integer") is True
    assert quick_grade("8", "7", "integer") is False
    assert quick_grade(None, "7", "integer") is False
    assert quick_grade("7.0", "7", "integer") is None
    assert plain_integer("\uff17") is None


def test_other_answers_are_compared_as_the_peer_compares_them() -> None:
    assert grade(r"\text{70}", "70", "math") is True
    assert grade("1,234", "1234", "math") is True
    assert grade(r"60^\circ", "60", "math") is True
    assert grade("77 or 78", "77", "math") is False


@pytest.mark.needs_shared("golden")
@pytest.mark.parametrize(("folder", "benchmark", "answer_type"), KINDS)
def test_golden_records_and_metrics_are_equal_to_the_peers(folder: str, benchmark: str, answer_type: str) -> None:
    scored = GOLDEN / folder / "scored"
    cohort = read_cohort(seed_files(GOLDEN / folder), [Strict()], answer_type)
    rows = {(row.id, row.seed): row for row in cohort.rows("strict")}
    for path in seed_files(scored):
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            row = rows[record["id"], int(path.stem.removeprefix("output-rs"))]
            assert (row.found.value, row.correct) == (record["predicted_answer"], record["symbolic_correct"])
    expected = json.loads((scored / "metrics.json").read_text(encoding="utf-8"))
    assert_close(cohort.metrics(benchmark, "strict"), expected)


def assert_close(found: Any, expected: Any) -> None:
    """Assert the same keys in the same order, integers alike and numbers equal to 1e-9."""
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        for key, value in expected.items():
            assert_close(found[key], value)
    else:
        assert type(found) is type(expected)
        assert found == pytest.approx(expected, abs=1e-9)
