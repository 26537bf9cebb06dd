"""The broad scorer on texts of every kind, ours in `cases/`, and the shared ones of ../shared."""

import json
from pathlib import Path
from typing import Any

import pytest

from seedbed.records.lazy_json import Text
from seedbed.records.outputs import ANSWERED, NO_ANSWER
from seedbed.scoring.answers import LETTERS, Sample
from seedbed.scoring.staged import load_scorer
from tests.shared import SHARED

HERE = Path(__file__).parent
FILES: list[Any] = [pytest.param(path, id=path.stem) for path in sorted((HERE / "cases").glob("*.jsonl"))]
FILES += [
    pytest.param(SHARED / "cases" / name, id=f"shared-{name}", marks=pytest.mark.needs_shared(f"cases/{name}"))
    for name in ("extraction.jsonl", "real.jsonl")
]
UNANSWERABLE = {"C-084", "C-187"}  # their answers are in the thought and the options' words, which the rows lack
TYPES = {
    "extract_int": "integer",
    "extract_decimal": "decimal",
    "extract": "math",
    "extract_equiv": "math",
    "extract_mcq": "choice",
    "equiv": "math",
}


def rows_of(path: Path) -> list[dict[str, Any]]:
    """Return the cases of a file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def sample_of(row: dict[str, Any]) -> Sample:
    """Return the sample that a case describes."""
    truncated = row.get("status") == "truncated"
    text = rf"\boxed{{{row['text']}}}" if row["kind"] == "equiv" else row["text"]
    return Sample(Text.of(text), TYPES[row["kind"]], truncated, row.get("options") or LETTERS)


@pytest.mark.parametrize("path", FILES)
def test_every_case_of_a_kind_gives_its_answer(path: Path) -> None:
    scorer = load_scorer("regex")
    wrong = []
    for row in rows_of(path):
        if row["id"] in UNANSWERABLE:
            continue
        sample = sample_of(row)
        found = scorer.extract(sample)
        answer: object = found.value
        if row["kind"].endswith("equiv"):
            answer = found.value is not None and bool(scorer.grade(found.value, row["gold"], sample))
        if answer != row["expected"]:
            wrong.append(f"{row['id']}: expected {row['expected']!r}, found {answer!r} in {row['text'][-80:]!r}")
    assert not wrong, "\n".join(wrong)


def test_an_answer_says_where_it_stands() -> None:
    text = "We add.\n</think>\nThe answer is **1,234** apples."
    found = load_scorer("regex").extract(Sample(Text.of(text)))
    assert (found.value, found.state, found.stage, found.part) == ("1234", ANSWERED, "phrase", "final")
    assert found.span is not None
    assert text[slice(*found.span)] == "1,234"


def test_nothing_is_guessed_from_a_number_that_is_not_marked() -> None:
    found = load_scorer("regex").extract(Sample(Text.of("First 3, then 4, so 12 apples are left.")))
    assert (found.value, found.state) == (None, NO_ANSWER)


def test_a_text_that_runs_on_into_another_problem_is_cut_and_flagged() -> None:
    found = load_scorer("regex").extract(Sample(Text.of("The answer is 42.\n\nQuestion: and now?\nThe answer is 7.")))
    assert (found.value, found.flags) == ("42", ("run-on", "first-differs"))


def test_refusals_say_why() -> None:
    scorer = load_scorer("regex")
    assert scorer.extract(Sample(Text.of(r"\boxed{3 \text{ or } 5}"))).flags == ("several",)
    assert scorer.extract(Sample(Text.of(r"\boxed{42"))).flags == ("open-box",)
