"""The policies of a scorer: which part, which match, how far back, which stages; and texts made to be slow."""

import time
from pathlib import Path

import msgspec
import pytest

from seedbed.core.errors import InputError
from seedbed.records.lazy_json import Text
from seedbed.scoring.answers import Found, Sample
from seedbed.scoring.definition import Definition, PatternStage, find_definition, read_definition
from seedbed.scoring.examples import check_file
from seedbed.scoring.staged import Staged, load_scorer

BROAD = read_definition(find_definition("regex"))
HOSTILE = [
    "answer ", "Answer: ", "Answer: x\n", "the answer is ", r"\boxed{", r"\boxed{}", r"\boxed{\boxed{}}",
    "Question: \n", "<answer>", "<answer>5</answer>", "#### ", "(", "$", r"\frac{", "<think>", "</think>",
    "</", "B is correct ", "答案", "1,", "9", " ", "\n", "answer is not ", "=", "Q: a\nAnswer: x\n",
    "Answer: x = ", "Answer: 5, 6 or ",
]  # fmt: skip


def found(text: str, answer_type: str = "integer", **changes: object) -> Found:
    """Return what the broad scorer, changed, finds."""
    definition = Definition(**{name: getattr(BROAD, name) for name in BROAD.__struct_fields__} | changes)
    return Staged("changed", definition).extract(Sample(Text.of(text), answer_type))


def test_the_thought_is_looked_into_only_if_asked_for() -> None:
    text = "So \\boxed{41}, no: \\boxed{42}.\n\nThat was case 2 of 3.</think>"
    assert found(text).value is None
    looked = found(text, look_back=True)
    assert (looked.value, looked.part, looked.flags) == ("42", "reasoning", ("in-reasoning",))
    assert looked.span is not None
    assert text[slice(*looked.span)] == "42"
    assert found(text + "The answer is 7.", look_back=True).value == "7"


def test_a_thought_that_was_cut_is_looked_into_only_if_asked_for() -> None:
    sample = Sample(Text.of(r"<think>So \boxed{42} and"), truncated=True)
    assert load_scorer("regex").extract(sample).value is None
    definition = msgspec.structs.replace(BROAD, look_back=True)
    assert Staged("changed", definition).extract(sample).value == "42"


def test_a_text_that_stopped_in_its_thought_ends_with_its_answer() -> None:
    text = "<think>First 41.\n\nSo it is \\boxed{42}."
    looked = found(text)
    assert (looked.value, looked.part, looked.flags) == ("42", "reasoning", ("in-reasoning",))
    assert looked.span is not None
    assert text[slice(*looked.span)] == "42"
    assert found(text + "\n\nBut I cannot finish it.").value is None
    assert found(text.replace("it is", "is it") + " Or not?").value is None


def test_a_thought_in_a_field_of_its_own_is_read_where_nothing_else_is_said() -> None:
    thought = Text.of("We add.\n\nThe answer is 42.")
    scorer = load_scorer("regex")
    looked = scorer.extract(Sample(Text.of(""), separate_reasoning=True, reasoning=thought))
    assert (looked.value, looked.span, looked.flags) == ("42", (23, 25), ("in-reasoning",))
    assert scorer.extract(Sample(Text.of("Done."), separate_reasoning=True, reasoning=thought)).value is None
    cut = Sample(Text.of(""), truncated=True, separate_reasoning=True, reasoning=thought)
    assert scorer.extract(cut).value is None


def test_the_words_of_an_option_name_it() -> None:
    words = ("a red one", "a blue one")
    sample = Sample(Text.of("It cannot be the first.\n\n**A blue one.**"), "choice", letters="AB", words=lambda: words)
    assert load_scorer("regex").extract(sample).value == "B"


def test_the_whole_text_may_count() -> None:
    assert found(r"<think>\boxed{41}</think>The end.", part="whole").value == "41"


def test_the_first_or_the_last_mark_counts() -> None:
    text = "The answer is 5. Later on the answer is 6."
    assert (found(text).value, found(text).flags) == ("6", ("first-differs",))
    assert found(text, match="first").value == "5"
    assert found(r"\boxed{1} \boxed{2}", match="first").value == "1"
    assert found("The answer is 5. Again, the answer is 5.").flags == ()


def test_a_run_on_text_is_cut_only_if_asked_for() -> None:
    text = "The answer is 5.\nQuestion: next?\nThe answer is 6."
    assert found(text).value == "5"
    assert found(text, run_on=False).value == "6"


def test_stages_left_out_find_nothing() -> None:
    boxes = tuple(stage for stage in BROAD.stages if type(stage).__name__ == "BoxStage")
    assert found("Answer: 5", stages=boxes).value is None
    assert found(r"\boxed{5}", stages=boxes).value == "5"


def test_a_pattern_comes_before_the_other_stages() -> None:
    stages = (PatternStage(r"VERDICT: (\d+)", "verdict"), *BROAD.stages)
    assert found(r"VERDICT: 5, or \boxed{6}", stages=stages).stage == "verdict"
    assert found(r"VERDICT none, but \boxed{6}", stages=stages).stage == "box"


def test_half_a_value_at_the_end_of_a_cut_text_is_none() -> None:
    sample = Sample(Text.of("</think>The answer is 12"), truncated=True)
    assert load_scorer("regex").extract(sample).flags == ("cut",)


def test_a_thought_in_a_field_of_its_own_is_closed() -> None:
    scorer = load_scorer("regex")
    assert (
        scorer.extract(Sample(Text.of("The answer is 42. For"), truncated=True, separate_reasoning=True)).value == "42"
    )
    assert scorer.extract(Sample(Text.of("The answer is 42. For"), truncated=True)).value is None


def test_a_scorer_is_found_by_name_or_file(tmp_path: Path) -> None:
    assert find_definition("regex").name == "regex.yaml"
    with pytest.raises(InputError, match="no such scorer: expected a YAML file or one of regex, seed-compat, strict"):
        find_definition("broad")
    (tmp_path / "a b.yaml").write_text("stages: [{stage: box}]\n")
    with pytest.raises(InputError, match="expected letters, digits, - and _"):
        find_definition(str(tmp_path / "a b.yaml"))


def test_an_unknown_language_and_a_lonely_strict_are_told(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("stages: [{stage: label, languages: [en, xx]}]\n")
    with pytest.raises(InputError, match=r"languages: found \['xx'\]"):
        read_definition(path)
    path.write_text("stages: [{stage: strict}, {stage: box}]\n")
    with pytest.raises(InputError, match="strict stands alone"):
        read_definition(path)


@pytest.mark.parametrize("answer_type", ["integer", "math", "choice"])
def test_no_text_takes_long_however_it_repeats_itself(answer_type: str) -> None:
    scorer = load_scorer("regex")
    for piece in HOSTILE:
        text = Text.of(piece * (400_000 // len(piece)))
        start = time.process_time()
        scorer.extract(Sample(text, answer_type))
        assert time.process_time() - start < 1.5, piece


def test_the_scorer_in_the_manual_is_sound(tmp_path: Path) -> None:
    manual = (Path(__file__).parents[2] / "docs" / "scoring.md").read_text(encoding="utf-8")
    path = tmp_path / "house.yaml"
    path.write_text(manual.split("```yaml\n")[1].split("```")[0], encoding="utf-8")
    check_file(path)
