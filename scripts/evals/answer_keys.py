"""What the expected answers of a set of outputs tell about their type."""

import re
from collections.abc import Iterable
from pathlib import Path

from scripts.evals.records import decode_record
from scripts.evals.seedfiles import read_lines

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
