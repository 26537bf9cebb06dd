"""What an extractor is asked and what it says."""

from typing import Final, Protocol

import msgspec

from scripts.evals.records import ANSWERED, NO_ANSWER, TIMEOUT
from scripts.evals.texts import Text

ANSWER_TYPES: Final = ("integer", "choice", "decimal", "math")
LETTERS: Final = "ABCDEFGHIJ"  # the options of a choice whose row does not say which it has
FINAL: Final = "final"
REASONING: Final = "reasoning"


class Sample(msgspec.Struct, frozen=True, gc=False):
    """A generation with what an extractor may know of it."""

    generation: Text
    answer_type: str = "integer"
    truncated: bool = False
    letters: str = LETTERS
    separate_reasoning: bool = False  # the server delivered the thought in a field of its own


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

    def extract(self, sample: Sample) -> Found:
        """Return the answer of the sample."""

    def grade(self, value: str, expected: str, sample: Sample) -> bool | None:
        """Return whether `value` is right, None if the comparison timed out."""
