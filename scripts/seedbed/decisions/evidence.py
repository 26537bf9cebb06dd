"""What a gate judges: a folder of outputs, its coverage, and what a scorer made of it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from seedbed.core.errors import InputError
from seedbed.decisions import criteria
from seedbed.decisions.comparison import compare
from seedbed.decisions.criteria import INCONCLUSIVE, Criterion, Decision
from seedbed.decisions.declared import Case
from seedbed.decisions.scored_folder import Samples, read, side
from seedbed.health.repetition import find
from seedbed.records.outputs import NO_ANSWER, TIMEOUT, seed_files
from seedbed.scoring.figures import by_problem, figure


class Subject:
    """A folder that is judged: its coverage, and what a scorer made of it, read when a criterion needs it."""

    def __init__(self, case: Case, coverage: Mapping[str, Any], temperature: float | None, answer_type: str | None):
        """Remember where to look; nothing is read yet."""
        self.case, self.coverage = case, coverage
        self.temperature, self.answer_type = temperature, answer_type
        self._samples: Samples | None = None
        self._references: dict[str, Samples] = {}

    def samples(self) -> Samples:
        """Return the scorer's samples; raises InputError where there are none or they are of other outputs."""
        if self._samples is None:
            found = read(self.case.folder, self.case.scorer, self.answer_type)
            now = {name: output["trace"] for name, output in self.coverage["outputs"].items()}
            if now != found.details.get("outputs"):
                raise InputError(f"no metrics of {self.case.scorer} for these outputs: run snakemake")
            self._samples = found
        return self._samples

    def count(self, measure: str) -> int | None:
        """Return how many samples have what a criterion counts, None where it was not counted."""
        if measure in (NO_ANSWER, "timeouts"):
            state = NO_ANSWER if measure == NO_ANSWER else TIMEOUT
            return sum(row.found.state == state for row in self.samples().rows)
        if measure == "run-on":
            return int(self.samples().details.get("flags", {}).get(measure, 0))
        if measure == "duplicates":
            return find(seed_files(self.case.folder), self.temperature).samples
        hidden = {"loops": "loops", "truncated": "finish_reason"}.get(measure)
        if hidden is not None and self.coverage["unknown"][hidden]:
            return None
        if measure == "loops":
            return int(self.coverage["flags"].get("loop", 0))
        return int(self.coverage["counts"][measure.removesuffix("s")])

    def decide(self, asked: Criterion) -> Decision:
        """Return the decision on one criterion; what cannot be read is inconclusive."""
        try:
            if asked.kind == "verdict":
                return criteria.decide_verdict(asked, self.coverage["verdict"])
            if asked.kind == "count":
                return criteria.decide_count(asked, self.count(asked.measure), self.coverage["samples"])
            if asked.kind == "score":
                cells = by_problem(self.samples().rows)
                kind, k = criteria.k_of(asked.measure)
                there = min(map(len, cells.values()), default=0)
                return criteria.decide_score(
                    asked, figure(cells, kind, k), f"{asked.measure} of {there} samples a problem is undefined"
                )
            return self._not_worse(asked)
        except InputError as error:
            return Decision(asked.text, INCONCLUSIVE, str(error))

    def reference(self, named: str) -> Samples:
        """Return the samples of a reference; raises InputError where there are none or they cannot be used."""
        if named not in self._references:
            case = self.case
            found = side(named, case.models, [Path()])
            folder = found.folder(found.benchmark or case.benchmark, case.model)
            scorer = found.scorer or case.scorer
            if (folder.resolve(), scorer) == (case.folder.resolve(), case.scorer):
                raise InputError(f"{named} is what is judged; expected another reference")
            self._references[named] = read(folder, scorer, self.answer_type, finished=True)
        return self._references[named]

    def _not_worse(self, asked: Criterion) -> Decision:
        """Return the decision against a reference, on the problems that both have."""
        stored, now = self.reference(asked.reference), self.samples()
        found = compare(stored.rows, now.rows, same_samples=stored.of_same_outputs(now))
        return criteria.decide_not_worse(asked, found)
