"""Two scorers on the same samples."""

from pathlib import Path

import pytest

from seedbed.core.errors import InputError
from seedbed.scoring.answers import NOTHING, TIMED_OUT, Found, Scored, answered
from seedbed.scoring.score_files import read_table, table
from seedbed.scoring.scorer_comparison import compare, compare_tables


def row(name: str, value: str | None, correct: bool, seed: int = 42) -> Scored:
    """Return one scored sample."""
    return Scored(name, seed, NOTHING if value is None else answered(value, "box", (0, 1)), correct)


BEFORE = [row("a", None, False), row("b", None, False), row("c", "5", True), row("d", "6", False), row("e", "7", True)]
AFTER = [row("a", "5", True), row("b", "9", False), row("c", None, False), row("d", "5", True), row("e", "7", True)]


def test_the_table_counts_what_became_of_every_sample() -> None:
    found = compare(BEFORE, AFTER, ("strict", "regex"))
    assert found["table"] == {
        "none": {"none": 0, "right": 1, "wrong": 1},
        "right": {"none": 1, "right": 1, "wrong": 0},
        "wrong": {"none": 0, "right": 1, "wrong": 0},
    }
    assert found["counts"] == {"changed": 4, "newly_found": 2, "newly_found_right": 1, "recovered": 2, "lost": 1}
    assert found["newly_found_precision"] == 0.5
    assert (found["recovered"], found["lost"]) == (["a@42", "d@42"], ["c@42"])
    assert found["difference"] == pytest.approx(20.0)


def test_a_timeout_is_wrong_and_not_none() -> None:
    found = compare([row("a", "5", True)], [Scored("a", 42, TIMED_OUT, False)], ("strict", "slow"))
    assert found["table"]["right"] == {"none": 0, "right": 0, "wrong": 1}
    assert found["timeouts"] == {"strict": 0, "slow": 1}


def test_other_samples_are_refused() -> None:
    with pytest.raises(InputError, match="different samples"):
        compare(BEFORE, AFTER[:3], ("strict", "regex"))


def test_tables_are_written_and_read_back(tmp_path: Path) -> None:
    rows = [*BEFORE, Scored("f", 43, Found('say "1,2"\n', "answered", "label", (-9, -3), "final", ("a", "b")), True)]
    for name, content in (("strict", rows), ("regex", rows)):
        (tmp_path / f"samples-{name}.csv").write_text(table(content), encoding="utf-8")
    assert read_table(tmp_path / "samples-strict.csv") == rows
    found = compare_tables(tmp_path / "samples-strict.csv", tmp_path / "samples-regex.csv")
    assert found["scorers"] == ["strict", "regex"]
    assert found["counts"]["changed"] == 0


def test_a_table_of_somebody_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "samples-x.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="expected the columns"):
        read_table(path)


@pytest.mark.parametrize(
    "broken", ["a,x,5,true", "a,42,5,yes", "a,42,5", "a,42,5,true,found", "a,42,5,true,answered,box,x:y"]
)
def test_a_broken_line_of_a_table_is_named(tmp_path: Path, broken: str) -> None:
    path = tmp_path / "samples-x.csv"
    whole, fields = table(BEFORE), broken.split(",")
    line = (
        [*fields, *["", "", "", "", "answered", "box", "0:1", "", "final"][len(fields) :]]
        if len(fields) > 3
        else fields
    )
    path.write_text(whole + ",".join(line) + "\n")
    with pytest.raises(InputError, match=rf"samples-x.csv:{len(BEFORE) + 2}: expected id,seed,.* found a,"):
        read_table(path)
