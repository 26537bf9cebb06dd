"""The strict scorer: NeMo-Skills' answer, NeMo-Skills' verdict."""

from scripts.evals.answers import FINAL, NOTHING, Found, Sample, answered
from scripts.evals.grading import Comparer, grade
from scripts.evals.strict import last_box, strict_letter

_WINDOWS = (1 << 12, 1 << 15, 1 << 18)  # bytes from the end, tried in turn before the whole text


class Strict:
    """Scores as `metrics.json` promises."""

    def __init__(self, comparer: Comparer | None = None, name: str = "strict") -> None:
        """Prepare; without a comparer the process's shared one is used, when an answer needs it."""
        self.comparer = comparer
        self.name = name

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
