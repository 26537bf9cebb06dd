"""Scorers that must not be used, and why."""

from pathlib import Path

import pytest

from seedbed.core.errors import InputError
from seedbed.scoring.definition import FOLDER, Definition, PatternStage
from seedbed.scoring.examples import check, check_file
from seedbed.scoring.pattern_checks import dead_alternatives, misread_commands, super_linear


def written(folder: Path, pattern: str, more: str = "") -> Path:
    """Return a scorer's file with one pattern."""
    path = folder / "mine.yaml"
    lines = "\n".join(f"      {line}" for line in pattern.splitlines())
    path.write_text(f"stages:\n  - stage: pattern\n    pattern: |-\n{lines}\n{more}", encoding="utf-8")
    return path


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yaml")), ids=lambda path: path.stem)
def test_shipped_scorers_are_sound(path: Path) -> None:
    check_file(path)


def test_the_published_pattern_is_told_that_its_backslash_is_a_word_boundary(tmp_path: Path) -> None:
    path = written(tmp_path, r"(?:\boxed\{|(?i:answer)\s*(?:is|=|:)[^0-9\-]{0,30})(-?\d+)")
    with pytest.raises(InputError, match=r"mine\.yaml:4: .*`\\b` is a word boundary here; did you mean `\\\\boxed`\?"):
        check_file(path)


@pytest.mark.parametrize("pattern", [r"\bfinal answer: (\d+)", r"\bold (\d+)", r"\\boxed\{(\d+)", r"\bare\b (\d+)"])
def test_word_boundaries_that_are_meant_are_left_alone(pattern: str) -> None:
    assert misread_commands(pattern) == []


@pytest.mark.parametrize(("pattern", "dead"), [
    (r"(?:result\b42|answer: )(\d+)", r"`result\b42`"),
    (r"answer$(\d+)|final (\d+)", r"`answer$(\d+)`"),
    (r"(\d+)^x", r"`(\d+)^x`"),
])  # fmt: skip
def test_alternatives_that_can_never_match_are_named(pattern: str, dead: str) -> None:
    assert [reason for _, reason in dead_alternatives(pattern)] == [f"the alternative {dead} can never match"]


@pytest.mark.parametrize("pattern", [
    r"answer(?=:): (\d+)", r"[^\d]x", r"(a|b)*c", r"(?i:Answer|ANS)\s*[:=]\s*(\d+)", r"x|", r"[]|]a|b",
    r"(?P<n>a)(?P=n)|c",
])  # fmt: skip
def test_alternatives_that_match_are_not(pattern: str) -> None:
    assert dead_alternatives(pattern) == []


@pytest.mark.parametrize("pattern", [r"answer[^0-9]*(\d+)", r"(a+)+b", r"(?:x|x)*y", r"\s+$", r"(\d+)+ apples"])
def test_growth_beyond_the_length_of_the_text_is_found(pattern: str) -> None:
    assert "grows faster" in (super_linear(pattern) or "")


@pytest.mark.parametrize(
    "pattern", [r"answer[^0-9]{0,30}(\d+)", r"\\boxed\{([^{}]*)\}", r"(?i:the answer is)\s*(-?\d+)"]
)
def test_linear_patterns_pass(pattern: str) -> None:
    assert super_linear(pattern) is None


@pytest.mark.parametrize(("pattern", "more", "message"), [
    ("answer is\n(\\d+", "", r"mine\.yaml:5: pattern does not compile: missing \)"),
    (r"answer is (\d+)", 'examples:\n  - {text: "answer is 1,234", answer: "1234"}\n',
     r"mine\.yaml:6: example .* expected '1234', found '1'"),
    (r"answer is (\d+)", "canarys: []\n", r"mine\.yaml:5: Object contains unknown field `canarys`"),
    (r"answer is (\d+)", "examples:\n  - {text: a, answer: 7}\n", r"mine\.yaml:6: .*examples\[0\].answer"),
    (r"answer is (\d+)", "  - stage: lable\n",
     r"mine\.yaml:5: Invalid value 'lable' .*; expected one of strict, pattern, .*, bare$"),
    (r"answer is (\d+)", "timeout: 0\n", r"mine\.yaml: timeout: found 0"),
    (r"answer is (\d+)", "  bad: [\n", r"mine\.yaml:\d+: not YAML"),
])  # fmt: skip
def test_a_problem_names_file_line_and_reason(tmp_path: Path, pattern: str, more: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_file(written(tmp_path, pattern, more))


def test_a_scorer_that_is_not_utf8_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_bytes(b"part: \xff\xfe")
    with pytest.raises(InputError, match=r"mine\.yaml: not YAML: [^\n]*\Z"):
        check_file(path)


def test_growth_may_be_left_out() -> None:
    definition = Definition((PatternStage(r"answer[^0-9]*(\d+)"),))
    assert check(definition, growth=False) == []
    assert len(check(definition)) == 1
