"""Check a scorer before any generation starts: its patterns compile, match in linear time, and its examples hold."""

from pathlib import Path
from typing import NamedTuple

from seedbed.core.errors import InputError
from seedbed.records.lazy_json import Text
from seedbed.scoring.answers import Sample, Scorer
from seedbed.scoring.definition import Definition, Example, PatternStage, StrictStage, read_definition
from seedbed.scoring.strict import Strict


class Problem(NamedTuple):
    """What is wrong with a scorer, and on which line of its file."""

    line: int
    reason: str


def check_file(path: Path, growth: bool = True, answer_type: str | None = None) -> None:
    """Raise InputError, with the file, line and reason, if the scorer in `path` cannot be trusted.

    Without `growth` its patterns are not timed: their time-out bounds them too, at a hundredth of the cost. With an
    `answer_type` only the examples of that type are run, for those who score nothing else.
    """
    definition = read_definition(path)
    source = path.read_text(encoding="utf-8")
    problems = check(definition, source, growth, answer_type)
    if problems:
        first, *others = problems
        more = f" (and {len(others)} more)" if others else ""
        raise InputError(f"{path}:{first.line}: {first.reason}{more}")


def check(
    definition: Definition, source: str = "", growth: bool = True, answer_type: str | None = None
) -> list[Problem]:
    """Return every problem of a scorer; `source` is its YAML, for the lines."""
    problems = []
    for number, stage in enumerate(definition.stages):
        if isinstance(stage, PatternStage):
            problems += _check_pattern(stage, source, number, growth)
    if problems:
        return problems
    scorer = _scorer(definition)
    for number, example in enumerate(definition.examples):
        wrong = _wrong(scorer, example) if answer_type in {None, example.answer_type} else None
        if wrong:
            problems.append(Problem(_line_of_example(source, example, number), wrong))
    return problems


def _check_pattern(stage: PatternStage, source: str, number: int, growth: bool) -> list[Problem]:
    """Return what is wrong with one pattern: the first of not compiling, misread commands, dead parts, growth."""
    import regex

    from seedbed.scoring.pattern_checks import dead_alternatives, misread_commands

    found = misread_commands(stage.pattern)
    try:
        regex.compile(stage.pattern)
    except regex.error as error:
        reason = f"pattern does not compile: {error}"
        return [_at(stage, source, place, why) for place, why in found] or [
            _at(stage, source, getattr(error, "pos", None) or 0, reason)
        ]
    found = found or dead_alternatives(stage.pattern)
    if not found and growth:
        from seedbed.scoring.pattern_checks import super_linear

        grows = super_linear(stage.pattern)
        found = [(0, grows)] if grows else []
    return [_at(stage, source, place, f"stage {number + 1}: {reason}") for place, reason in found]


def _at(stage: PatternStage, source: str, place: int, reason: str) -> Problem:
    """Return a problem at a position of a pattern, with its line in the source."""
    lines = stage.pattern[:place].count("\n")
    head = stage.pattern.splitlines()[0] if stage.pattern else ""
    for number, line in enumerate(source.splitlines(), 1):
        if head and head.strip() in line:
            return Problem(number + lines, reason)
    return Problem(1, reason)


def _scorer(definition: Definition) -> Scorer:
    """Return the scorer that a definition describes."""
    if isinstance(definition.stages[0], StrictStage):
        return Strict()
    from seedbed.scoring.staged import Staged

    return Staged("checked", definition)


def _wrong(scorer: Scorer, example: Example) -> str | None:
    """Return how a scorer fails on a example, or None."""
    truncated = example.finish_reason == "length"
    found = scorer.extract(Sample(Text.of(example.text), example.answer_type, truncated, example.options))
    if found.value == example.answer:
        return None
    shown = example.text if len(example.text) <= 60 else example.text[:57] + "..."
    return f"example {shown!r}: expected {example.answer!r}, found {found.value!r}"


def _line_of_example(source: str, example: Example, number: int) -> int:
    """Return the line on which a example stands, as far as its text tells."""
    lines = source.splitlines()
    head = example.text.splitlines()[0] if example.text else ""
    for index, line in enumerate(lines, 1):
        if head and (head in line or head.replace("'", "''") in line or head.replace("\\", "\\\\") in line):
            return index
    start = next((index for index, line in enumerate(lines, 1) if line.startswith(("examples:", "canaries:"))), 1)
    return min(start + number + 1, max(len(lines), 1))
