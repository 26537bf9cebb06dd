"""The interface of scorers: the sample they read, the answer they find, and the types of answers."""

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, Protocol

import msgspec

from seedbed.records.lazy_json import Text
from seedbed.records.outputs import ANSWERED, NO_ANSWER, TIMEOUT, decode_record, read_lines

ANSWER_TYPES: Final = ("integer", "choice", "decimal", "math")
LETTERS: Final = "ABCDEFGHIJ"  # the options of a choice whose row does not say which it has
FINAL: Final = "final"
REASONING: Final = "reasoning"


Words = Callable[[], tuple[str, ...]]


class Sample(msgspec.Struct, frozen=True, gc=False):
    """A generation with what an extractor may know of it."""

    generation: Text
    answer_type: str = "integer"
    truncated: bool = False
    letters: str = LETTERS
    separate_reasoning: bool = False  # the server delivered the thought in a field of its own
    reasoning: Text | None = None  # that thought, for scorers that need it
    words: Words | None = None  # the options' own words, where the row has them


class Found(msgspec.Struct, frozen=True, gc=False):
    """The answer of one sample: its value, the stage and character span it comes from, its part and its flags."""

    value: str | None = None
    state: str = NO_ANSWER
    stage: str = ""
    span: tuple[int, int] | None = None
    part: str = ""
    flags: tuple[str, ...] = ()


def answered(value: str, stage: str, span: tuple[int, int] | None, part: str = FINAL, *flags: str) -> Found:
    """Return an answer that was found."""
    return Found(value, ANSWERED, stage, span, part, flags)


NOTHING: Final = Found()
TIMED_OUT: Final = Found(state=TIMEOUT)


class Scorer(Protocol):
    """Takes an answer from a sample and says whether it is right."""

    name: str
    votes: str  # what a majority counts: `strings` as NeMo-Skills does, or `values`, equal ones as one

    def fits(self, answer_type: str) -> bool:
        """Return whether the scorer can find answers of this type at all."""

    def extract(self, sample: Sample) -> Found:
        """Return the answer of the sample."""

    def grade(self, value: str, expected: str, sample: Sample) -> bool | None:
        """Return whether `value` is right, None if the comparison timed out."""


_INTEGER = re.compile(r"\s*[-+]?\d[\d,]*\s*")
_DECIMAL = re.compile(r"\s*[-+]?(?:\d[\d,]*)?(?:\.\d+)?\s*")
_LETTER = re.compile(r"\s*\(?[A-Z]\)?\s*")


def answer_type_of(path: Path) -> str:
    """Return the narrowest answer type that fits every expected answer of a seed file."""
    answers = [decode_record(line, f"{path}:{number}").expected() for number, line in read_lines(path)]
    return narrowest([answer for answer in answers if answer is not None])


def narrowest(answers: Iterable[str]) -> str:
    """Return integer, choice, decimal or math, the first that all the answers are."""
    answers = list(answers)
    for name, pattern in (("integer", _INTEGER), ("choice", _LETTER), ("decimal", _DECIMAL)):
        if answers and all(pattern.fullmatch(answer) for answer in answers):
            return name
    return "math"


class Scored(msgspec.Struct, frozen=True, gc=False):
    """One sample as a scorer judged it: one line of `samples-{scorer}.csv`."""

    id: str
    seed: int
    found: Found
    correct: bool

    @property
    def outcome(self) -> str:
        """Return none, right or wrong; a time-out is wrong, not none."""
        if self.correct:
            return "right"
        return "none" if self.found.state == "no_answer" else "wrong"
