"""A scorer made of stages, as its definition says."""

from scripts.evals.answers import NOTHING, Found, Sample
from scripts.evals.definitions import Definition, PatternStage
from scripts.evals.extraction.broad import extract
from scripts.evals.extraction.policy import stages_of
from scripts.evals.extraction.where import Part, final_part, thought, whole_text
from scripts.evals.grading import Comparer, grade
from scripts.evals.patterns import search
from scripts.evals.typed_grading import grade_value


class Staged:
    """Tries its patterns in their order, then everything that marks an answer in words or boxes."""

    def __init__(self, name: str, definition: Definition, comparer: Comparer | None = None) -> None:
        """Prepare a scorer called `name`."""
        self.name = name
        self.definition = definition
        self.comparer = comparer
        self._stages = stages_of(definition.stages)
        self._patterns = [stage for stage in definition.stages if isinstance(stage, PatternStage)]

    def extract(self, sample: Sample) -> Found:
        """Return the answer in the part the scorer looks at; in the thought only if the scorer looks back."""
        part = whole_text(sample) if self.definition.part == "whole" else final_part(sample)
        found = self._in_part(part, sample) if part is not None else NOTHING
        if self.definition.look_back and found == NOTHING and self.definition.part == "final":
            before = thought(sample)
            return self._in_part(before, sample) if before is not None else NOTHING
        return found

    def _in_part(self, part: Part, sample: Sample) -> Found:
        """Return the answer in one part."""
        for stage in self._patterns:
            found = search(stage, part.text, self.definition.match, self.definition.timeout)
            if found != NOTHING:
                return found
        return extract(part, sample, self._stages, self.definition.run_on) if any(self._stages) else NOTHING

    def grade(self, value: str, expected: str, sample: Sample) -> bool | None:
        """Return whether the value is right, by the peer's rules or by its type."""
        if self.definition.grading == "peer":
            return grade(value, expected, sample.answer_type, self.comparer)
        return grade_value(value, expected, sample.answer_type, self.comparer)
