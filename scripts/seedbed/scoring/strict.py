"""The strict scorer: the answer and the verdict of NeMo-Skills (2026-04), to the character."""

import re
from collections.abc import Mapping

from seedbed.scoring.answers import FINAL, NOTHING, Found, Sample, answered
from seedbed.scoring.grading import Comparer, grade

_BOX = "\\boxed"
_FINAL = "The final answer is "
_LETTER = re.compile(r"\b[A-Z]\b(?!.*\b[A-Z]\b)", re.DOTALL)
_ANSWER = re.compile(r"(?i)[\*\_]{0,2}Answer[\*\_]{0,2}\s*:[\s\*\_]{0,2}\s*([A-Z])(?![a-zA-Z0-9])")
_ARABIC, _BENGALI, _FULL_WIDTH = "أبجد", "অবডঢ", "\uff21\uff22\uff23\uff24"  # what stands for A to D elsewhere
_LETTERS_ELSEWHERE = str.maketrans({
    letter: " " + latin
    for letters in (_ARABIC, _BENGALI, _FULL_WIDTH)
    for letter, latin in zip(letters, "ABCD", strict=True)
})  # fmt: skip


def predict(text: str, answer_type: str, row: Mapping[str, object] | None = None) -> str | None:
    """Return the strict answer of a generation, or None; `row` is unused, it is there for extractors that need it."""
    return strict_letter(text) if answer_type == "choice" else last_box(text)


def last_box(text: str) -> str | None:
    r"""Return the content of the last literal `\boxed{…}`, or None if it is unbalanced; no earlier box counts."""
    start = text.rfind(_BOX)
    if start < 0 or not text.startswith("{", start + len(_BOX)):
        return None
    start += len(_BOX) + 1
    end = closing_brace(text, start)
    return None if end is None else text[start:end]


def closing_brace(text: str, start: int) -> int | None:
    """Return where the group closes whose content begins at `start`, or None; every brace counts, escaped or not."""
    depth = 1
    opening, closing = text.find("{", start), text.find("}", start)
    while closing >= 0:
        if 0 <= opening < closing:
            depth += 1
            opening = text.find("{", opening + 1)
        else:
            depth -= 1
            if depth == 0:
                return closing
            closing = text.find("}", closing + 1)
    return None


def strict_letter(text: str) -> str | None:
    r"""Return the option letter: "The final answer is …" on the last line, else the box, else the last `Answer: X`."""
    found = _last_line_answer(text) or last_box(text)
    if found is not None:
        found = found.translate(_LETTERS_ELSEWHERE).strip()
        if len(found) == 1:
            return found.upper()
        letters = _LETTER.findall(found)
        if letters:
            return str(letters[-1])
    return _last_label(text)


def _last_label(text: str) -> str | None:
    """Return the letter of the last `Answer: X`, or None; no two labels overlap, so the last of an end is the last."""
    for start in (max(0, len(text) - window) for window in (1 << 12, 1 << 16, len(text))):
        labelled = _ANSWER.findall(text, start)
        if labelled or not start:
            return str(labelled[-1]).upper() if labelled else None
    return None


def _last_line_answer(text: str) -> str | None:
    """Return what follows "The final answer is " on the last line, or None."""
    line = text.removesuffix("\n")
    line = line[line.rfind("\n") + 1 :]
    _, label, rest = line.partition(_FINAL)
    return rest if label and rest else None


_WINDOWS = (1 << 12, 1 << 15, 1 << 18)  # bytes from the end, tried in turn before the whole text


class Strict:
    """Scores as `metrics.json` promises."""

    votes = "strings"

    def __init__(self, comparer: Comparer | None = None, name: str = "strict") -> None:
        """Prepare; without a comparer the process's shared one is used, when an answer needs it."""
        self.comparer = comparer
        self.name = name

    def fits(self, answer_type: str) -> bool:
        """Return whether the scorer can find answers of this type: of every one."""
        return True

    def extract(self, sample: Sample) -> Found:
        r"""Return the last box, or for a choice the letter; only the end of the text is read if it is there."""
        if sample.answer_type == "choice":
            letter = strict_letter(sample.generation.full())
            return NOTHING if letter is None else answered(letter, "strict", None, FINAL)
        for window in _WINDOWS:
            text, whole = sample.generation.tail(window)
            if whole or "\\boxed" in text:
                break
        else:
            text = sample.generation.full()
        value = last_box(text)
        if value is None:
            return NOTHING
        start = text.rfind("\\boxed") + len("\\boxed{") - len(text)
        return answered(value, "strict", sample.generation.span(start, start + len(value)), FINAL)

    def grade(self, value: str, expected: str, sample: Sample) -> bool | None:
        """Return NeMo-Skills' verdict, None if sympy took too long."""
        return grade(value, expected, sample.answer_type, self.comparer)
