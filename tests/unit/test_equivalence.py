"""Answers compared as mathematics, in a child that is killed when it takes too long."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from seedbed.scoring.equality_process import Equivalence
from seedbed.scoring.grading import grade, grade_value
from tests.shared import SHARED

CASES = SHARED / "cases"


@pytest.fixture(scope="module")
def symbolic() -> Iterator[Equivalence]:
    comparison = Equivalence("seedbed.scoring.symbolic")
    yield comparison
    comparison.close()


@pytest.mark.parametrize(
    ("predicted", "expected"),
    [
        (r"\frac{1}{2}", "0.5"),
        ("2/4", r"\frac12"),
        (r"\frac{\sqrt{2}}{2}", r"\frac{1}{\sqrt{2}}"),
        ("x = 3", "3"),
        ("(1, 2)", r"\left(1,2\right)"),
        ("0.333333333", r"\frac{1}{3}"),
        (r"50\%", "0.5"),
        (r"\{2, 1\}", "1, 2"),
        ("x^2+2x+1", "(x+1)^2"),
        (r"\text{even}", "even"),
        ("1,234", "1234"),
        (r"90^\circ", "90"),
        (r"12\text{ cm}^2", "12"),
    ],
)
def test_the_same_in_other_words(symbolic: Equivalence, predicted: str, expected: str) -> None:
    assert symbolic.equal(predicted, expected) is True


@pytest.mark.parametrize(
    ("predicted", "expected"),
    [
        (r"\frac{1}{2^{98}}", r"\frac{1}{2^{99}}"),
        ("0.33", r"\frac{1}{3}"),
        ("1000000001", "1000000002"),
        ("5.001", "5"),
        ("3x+4y+14=0", "3x-y+13=0"),
        ("1:00", "12:00"),
        ("(1,2)", "(2,1)"),
        ("[0,1)", "[0,1]"),
        ("x+1", "x+2"),
        ("odd", "even"),
        ("", "0"),
    ],
)
def test_not_the_same(symbolic: Equivalence, predicted: str, expected: str) -> None:
    assert symbolic.equal(predicted, expected) is False


def test_a_pair_that_takes_too_long_is_killed_and_the_next_one_is_answered() -> None:
    comparison = Equivalence("seedbed.scoring.symbolic", limit=2.0)
    assert comparison.equal("2+2", "4") is True
    start = time.monotonic()
    assert comparison.equal("9^{9^{9^{9^{9}}}}+x", "9^{9^{9^{9^{9}}}}+y") in {None, False}
    assert time.monotonic() - start < 6.0
    assert comparison.equal("3+3", "6") is True
    comparison.close()


def test_a_child_that_hangs_is_a_timeout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seedbed.scoring.equality_process.SOURCES", Path(__file__).parents[2])
    comparison = Equivalence("tests.unit.hanging_child", limit=0.5)
    assert comparison.equal("1", "2") is None
    assert comparison.timeouts == 1
    assert comparison.equal("1", "2") is None
    assert comparison.timeouts == 1
    comparison.close()


def test_typed_values_are_compared_exactly() -> None:
    assert grade_value("42", "42.0", "decimal") is True
    assert grade_value("33.5%", "0.335", "decimal") is True
    assert grade_value("33.5%", "33.5", "decimal") is True
    assert grade_value("0.1", "0.10000000001", "decimal") is False
    assert grade_value("3.5", "3", "integer") is False
    assert grade_value("1234", "1,234", "integer") is True
    assert grade_value("b", "(B)", "choice") is True


@pytest.mark.needs_shared("cases")
def test_at_least_97_percent_of_the_shared_pairs_are_told_apart(symbolic: Equivalence) -> None:
    files = [CASES / f"{name}.jsonl" for name in ("equivalence", "behaviour")]
    rows = [json.loads(line) for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    pairs = [row for row in rows if row["kind"] in {"equiv", "extract_equiv"}]
    right = sum(bool(symbolic.equal(row["text"], row["gold"])) == row["expected"] for row in pairs)
    assert right >= 0.97 * len(pairs)


def test_an_empty_answer_is_wrong_without_asking() -> None:
    class Refusing:
        def equal(self, predicted: str, expected: str) -> bool | None:
            raise AssertionError("asked")

    for blank in ("", " ", "\n"):
        assert grade(blank, "x+1", "math", Refusing()) is False
        assert grade_value(blank, "x+1", "math", Refusing()) is False


@pytest.mark.parametrize("answer", ["9999999!", "2^{100000000}", "7^7^7^7^7", "10**99999999", "((5!)!)!", "3^{9!}"])
def test_what_would_be_computed_for_ever_is_a_timeout_at_once(answer: str) -> None:
    comparison = Equivalence("seedbed.scoring.symbolic")
    assert comparison.equal("1", "2") is False
    start = time.monotonic()
    assert comparison.equal(answer, "5") is None
    assert time.monotonic() - start < 2
    comparison.close()


@pytest.mark.parametrize(("one", "other"), [("2^{10}", "1024"), ("5!", "120"), ("10^{3}", "1000")])
def test_ordinary_powers_and_factorials_are_compared(one: str, other: str) -> None:
    comparison = Equivalence("seedbed.scoring.symbolic")
    assert comparison.equal(one, other) is True
    comparison.close()


def test_the_limit_shrinks_when_a_process_has_lost_its_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seedbed.scoring.equality_process.SOURCES", Path(__file__).parents[2])
    monkeypatch.setattr("seedbed.scoring.equality_process.BUDGET", 0.5)
    monkeypatch.setattr("seedbed.scoring.equality_process.SHORT", 0.2)
    comparison = Equivalence("tests.unit.hanging_child", limit=0.6)
    spent = []
    for number in range(3):
        assert comparison.equal(str(number), "x") is None
        spent.append(comparison.lost)
    comparison.close()
    assert spent == pytest.approx([0.6, 0.8, 1.0])


@pytest.fixture(scope="module")
def mathematics() -> Iterator[Equivalence]:
    """Return one child for all the pairs below."""
    comparison = Equivalence("seedbed.scoring.symbolic")
    yield comparison
    comparison.close()


@pytest.mark.parametrize(
    ("predicted", "expected", "equal"),
    [
        ("731_8", "731_9", False),
        ("731_8", "731_{8}", True),
        ("1 101_2", "1101_{2}", True),
        ("10_3", "10_4", False),
        ("A3_{16}", "A3_{12}", False),
        (r"\frac{2}{i}", "-2i", True),
        (r"\frac{2}{i}", "2i", False),
        ("(1+i)^2", "2i", True),
        ("3-i", "3+i", False),
        (r"3\sinh(2x)", r"\frac{3}{2}(e^{2x}-e^{-2x})", True),
        (r"3\sinh(2x)", r"\frac{3}{2}(e^{2x}+e^{-2x})", False),
        (r"\cosh(x)^2-\sinh(x)^2", "1", True),
        ("(C) Parabola", r"\text{(C)}", True),
        ("(B) Parabola", r"\text{(C)}", False),
        ("(D)", r"\text{(D)}", True),
    ],
)
def test_bases_complex_numbers_hyperbolic_functions_and_named_options(
    mathematics: Equivalence, predicted: str, expected: str, equal: bool
) -> None:
    assert mathematics.equal(predicted, expected) is equal
