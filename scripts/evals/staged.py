"""A scorer made of stages, as its definition says."""

import msgspec

from scripts.evals.answers import NOTHING, TIMED_OUT, Found, Sample
from scripts.evals.definitions import Definition, PatternStage
from scripts.evals.extraction.broad import extract, extract_first, first_differs
from scripts.evals.extraction.policy import stages_of
from scripts.evals.extraction.where import Part, final_part, thought, whole_text
from scripts.evals.grading import Comparer, grade
from scripts.evals.patterns import first_differs as first_match_differs
from scripts.evals.patterns import search, search_text
from scripts.evals.typed_grading import grade_value

FIRST_DIFFERS = "first-differs"  # flag: the final part marks another answer before the last one


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
        if self.definition.part == "whole":
            return self._flagged(self._in_whole(sample), sample, None)
        part = final_part(sample)
        found = self._in_part(part, sample) if part is not None else NOTHING
        if self.definition.look_back and found == NOTHING:
            before = thought(sample)
            return self._in_part(before, sample) if before is not None else NOTHING
        return self._flagged(found, sample, part)

    def _flagged(self, found: Found, sample: Sample, part: Part | None) -> Found:
        """Return an answer, with a flag if the final part marks another one before its last."""
        if found.value is None or not self._first_differs(part or final_part(sample), found, sample):
            return found
        return msgspec.structs.replace(found, flags=(*found.flags, FIRST_DIFFERS))

    def _in_whole(self, sample: Sample) -> Found:
        """Return the answer in all of a generation, thought and all."""
        for stage in self._patterns:
            found = search_text(stage, sample, self.definition.match, self.definition.timeout)
            if found != NOTHING:
                return found
        return self._in_part(whole_text(sample), sample) if any(self._stages) else NOTHING

    def _in_part(self, part: Part, sample: Sample) -> Found:
        """Return the answer in one part: of the first pattern that has one, else of the other stages."""
        for stage in self._patterns if self.definition.part == "final" else ():
            found = search(stage, part.text, self.definition.match, self.definition.timeout)
            if found == TIMED_OUT or found.span is None:
                if found == TIMED_OUT:
                    return found
                continue
            start, end = (place - part.from_end for place in found.span)
            return msgspec.structs.replace(found, span=sample.generation.span(start, end), part=part.name)
        if not any(self._stages):
            return NOTHING
        if self.definition.match == "first":
            return extract_first(part, sample, self._stages)
        return extract(part, sample, self._stages, self.definition.run_on)

    def _first_differs(self, part: Part | None, found: Found, sample: Sample) -> bool:
        """Return whether the final part marks another answer before its last one."""
        if part is None:
            return False
        if self._patterns:
            return any(first_match_differs(stage, part.text, self.definition.timeout) for stage in self._patterns)
        return first_differs(part, found, sample, self._stages)

    def grade(self, value: str, expected: str, sample: Sample) -> bool | None:
        """Return whether the value is right, by the peer's rules or by its type."""
        if self.definition.grading == "peer":
            return grade(value, expected, sample.answer_type, self.comparer)
        return grade_value(value, expected, sample.answer_type, self.comparer)
