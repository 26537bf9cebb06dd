"""A scorer made of stages, as its definition says."""

from scripts.evals.answers import NOTHING, Found, Sample
from scripts.evals.definitions import Definition, PatternStage
from scripts.evals.grading import Comparer, grade
from scripts.evals.patterns import search


class Staged:
    """Tries the stages in their order."""

    def __init__(self, name: str, definition: Definition, comparer: Comparer | None = None) -> None:
        """Prepare a scorer called `name`."""
        self.name = name
        self.definition = definition
        self.comparer = comparer

    def extract(self, sample: Sample) -> Found:
        """Return the answer of the first stage that has one."""
        for stage in self.definition.stages:
            if isinstance(stage, PatternStage):
                found = search(stage, sample.generation.full(), self.definition.match, self.definition.timeout)
                if found is not NOTHING:
                    return found
        return NOTHING

    def grade(self, value: str, expected: str, sample: Sample) -> bool | None:
        """Return whether the value is right."""
        return grade(value, expected, sample.answer_type, self.comparer)
