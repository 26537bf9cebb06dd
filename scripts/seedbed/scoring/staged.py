"""Scorers made of stages, as their files define them, and how to load one by name or path."""

from pathlib import Path

import msgspec

from seedbed.scoring.answers import FINAL, NOTHING, TIMED_OUT, Found, Sample, Scorer
from seedbed.scoring.definition import Definition, PatternStage, StrictStage, find_definition, read_definition
from seedbed.scoring.extraction.regions import Part, end_of_thought, final_part, first_turn, thought, whole_text
from seedbed.scoring.grading import Comparer, grade, grade_value
from seedbed.scoring.strict import Strict

FIRST_DIFFERS = "first-differs"  # flag: the final part marks another answer before the last one


class Marks:
    """The stages that read marks in words and boxes; their many patterns are compiled only where they are used."""

    def __init__(self, definition: Definition) -> None:
        """Prepare the stages of a definition."""
        from seedbed.scoring.extraction import marks, search

        self._search = search
        self._stages = marks.stages_of(definition.stages)
        self._definition = definition

    def extract(self, part: Part, sample: Sample) -> Found:
        """Return the answer that is marked in a part, the first or the last as the definition says."""
        if self._definition.match == "first":
            return self._search.extract_first(part, sample, self._stages)
        return self._search.extract(part, sample, self._stages, self._definition.run_on)

    def extract_end(self, part: Part, sample: Sample) -> Found:
        """Return the answer that a thought ends with."""
        return self._search.extract_end(part, sample, self._stages)

    def first_differs(self, part: Part, found: Found, sample: Sample) -> bool:
        """Return whether another answer is marked in the part before the last one."""
        return self._search.first_differs(part, found, sample, self._stages)


class Staged:
    """Tries its patterns in their order, then everything that marks an answer in words or boxes."""

    def __init__(self, name: str, definition: Definition, comparer: Comparer | None = None) -> None:
        """Prepare a scorer called `name`."""
        self.name = name
        self.definition = definition
        self.comparer = comparer
        self.votes = "strings" if definition.grading == "peer" else "values"
        self._marks = Marks(definition) if any(not isinstance(one, PatternStage) for one in definition.stages) else None
        self._patterns = [stage for stage in definition.stages if isinstance(stage, PatternStage)]
        if self._patterns:
            from seedbed.scoring import pattern_search

            self._read = pattern_search

    def fits(self, answer_type: str) -> bool:
        """Return whether the scorer can find answers of this type, as its file says."""
        return not self.definition.answer_types or answer_type in self.definition.answer_types

    def extract(self, sample: Sample) -> Found:
        """Return the answer in the part the scorer looks at; in the thought only if the scorer looks back."""
        if self.definition.part == "whole":
            return self._flagged(self._in_whole(sample), sample, None)
        part = final_part(sample)
        found = self._in_part(part, sample) if part is not None else NOTHING
        if found.value is None and self.definition.run_on and sample.truncated:
            turn = first_turn(sample)
            found = self._in_part(turn, sample) if turn is not None else found
        if found == NOTHING and self._marks is not None:
            end = end_of_thought(sample)
            found = self._marks.extract_end(end, sample) if end is not None else NOTHING
        if found == NOTHING and self.definition.look_back:
            before = thought(sample)
            found = self._in_part(before, sample) if before is not None else NOTHING
        return self._flagged(found, sample, part) if found.part == FINAL else found

    def _flagged(self, found: Found, sample: Sample, part: Part | None) -> Found:
        """Return an answer, with a flag if the final part marks another one before its last."""
        if found.value is None or not self._first_differs(part or final_part(sample), found, sample):
            return found
        return msgspec.structs.replace(found, flags=(*found.flags, FIRST_DIFFERS))

    def _in_whole(self, sample: Sample) -> Found:
        """Return the answer in all of a generation, thought and all."""
        for stage in self._patterns:
            found = self._read.search_text(stage, sample, self.definition.match, self.definition.timeout)
            if found != NOTHING:
                return found
        return self._in_part(whole_text(sample), sample) if self._marks is not None else NOTHING

    def _in_part(self, part: Part, sample: Sample) -> Found:
        """Return the answer in one part: of the first pattern that has one, else of the other stages."""
        for stage in self._patterns if self.definition.part == "final" else ():
            found = self._read.search(stage, part.text, self.definition.match, self.definition.timeout)
            if found == TIMED_OUT or found.span is None:
                if found == TIMED_OUT:
                    return found
                continue
            start, end = (place - part.from_end for place in found.span)
            return msgspec.structs.replace(found, span=sample.generation.span(start, end), part=part.name)
        return NOTHING if self._marks is None else self._marks.extract(part, sample)

    def _first_differs(self, part: Part | None, found: Found, sample: Sample) -> bool:
        """Return whether the final part marks another answer before its last one."""
        if part is None:
            return False
        if self._patterns:
            return any(self._read.first_differs(stage, part.text, self.definition.timeout) for stage in self._patterns)
        return self._marks is not None and self._marks.first_differs(part, found, sample)

    def grade(self, value: str, expected: str, sample: Sample) -> bool | None:
        """Return whether the value is right, by the peer's rules or by its type."""
        if self.definition.grading == "peer":
            return grade(value, expected, sample.answer_type, self.comparer)
        return grade_value(value, expected, sample.answer_type, self.comparer)


def load_scorer(name: str, comparer: Comparer | None = None) -> Scorer:
    """Return the scorer in a file, or the shipped one of that name; raises InputError."""
    path: Path = find_definition(name)
    definition = read_definition(path)
    if isinstance(definition.stages[0], StrictStage):
        return Strict(comparer, path.stem)

    return Staged(path.stem, definition, comparer)
