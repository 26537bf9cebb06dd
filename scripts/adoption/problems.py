"""The problems that outputs are about: those of a prepared benchmark, or gathered from the records themselves."""

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scripts.adoption.reading import Taken
from scripts.adoption.sources import SGL_EVAL
from scripts.errors import InputError
from scripts.evals.datasets import Row, iter_rows

UNKNOWN = "(unknown: the outputs do not hold the problem)"
_KEPT = re.compile(r"options|subset_for_metrics|[A-Z]")


@dataclass
class _Known:
    """What is known of a problem, and where from."""

    expected: str | None
    problem: str | None
    place: tuple[Any, ...]
    where: str
    row: Row


@dataclass
class Problems:
    """The problems of one benchmark by id; `dataset` is the file of the prepared rows, None where there is none."""

    benchmark: str
    form: str
    dataset: Path | None = None
    known: dict[str, _Known] = field(default_factory=dict)
    reworded: set[str] = field(default_factory=set)
    _worded: dict[tuple[str, int], str] = field(default_factory=dict)
    _seen: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, benchmark: str, form: str) -> "Problems":
        """Return those of resources/{benchmark}/test.jsonl, or none yet; raises InputError if that file is unusable."""
        path = Path("resources") / benchmark / "test.jsonl"
        if not path.is_file():
            return cls(benchmark, form)
        found, seen = cls(benchmark, form, path), Counter[str]()
        for row in iter_rows(path):
            identity = str(row["id"])
            known = _Known(str(row["expected_answer"]), row["problem"], (), str(path), row)
            found.known[identity] = known
            found._worded[row["problem"], seen[row["problem"]]] = identity
            seen[row["problem"]] += 1
        return found

    def begin_seed(self) -> None:
        """Forget which wordings have been seen: within a seed, equal ones without an id are different problems."""
        self._seen.clear()

    def identity(self, taken: Taken) -> str:
        """Return the id of a record's problem: its own, or that of its wording, or of its position."""
        if taken.record.id is not None:
            identity = str(taken.record.id)
            if not identity.isprintable() and any("\ud800" <= one <= "\udfff" for one in identity):
                raise InputError(f"{taken.where}: id: found {identity!r}; expected whole characters")
            return identity
        problem = taken.problem()
        if problem is None:
            if self.dataset is not None:
                raise InputError(
                    f"{taken.where}: no id and no problem; expected one of them to find it in {self.dataset}"
                )
            return f"{self.benchmark}-{taken.position}"
        wording = problem, self._seen[problem]
        self._seen[problem] += 1
        if wording not in self._worded:
            if self.dataset is not None:
                raise InputError(
                    f"{taken.where}: no id, and its problem is not in {self.dataset}; expected one of those"
                )
            self._worded[wording] = f"{self.benchmark}-{len(self._worded)}"
        return self._worded[wording]

    def add(self, identity: str, taken: Taken) -> None:
        """Check a record against what is known of its problem, or note it; raises InputError if it is another one."""
        expected, problem = taken.record.expected(), taken.problem()
        known = self.known.get(identity)
        if known is None:
            if self.dataset is not None:
                raise InputError(
                    f"{taken.where}: {identity!r} is not in {self.dataset}; expected its ids, or another --benchmark"
                )
            if expected is None or not expected.strip():
                raise InputError(
                    f"{taken.where}: no expected_answer; expected --columns expected_answer=NAME, or the benchmark"
                    f" prepared before (snakemake resources/{self.benchmark}/test.jsonl)"
                )
            self.known[identity] = _Known(expected, problem, self._place(identity, taken), taken.where, _row(taken))
            return
        if expected is not None and expected != known.expected:
            raise InputError(
                f"{taken.where}: {identity}: expected_answer {expected!r}, where {known.where} has {known.expected!r};"
                " expected one and the same problem"
            )
        if problem is not None and known.problem is not None and problem != known.problem:
            if self.dataset is None:
                raise InputError(f"{taken.where}: {identity} is another problem than at {known.where}")
            self.reworded.add(identity)

    def _place(self, identity: str, taken: Taken) -> tuple[Any, ...]:
        """Return what orders the rows: the position in a file, or the id where files are in order of completion."""
        if self.form == SGL_EVAL:
            return tuple((len(part), part) for part in re.split(r"(\d+)", identity))
        return (taken.position, len(self.known))

    def rows(self) -> list[Row]:
        """Return the gathered problems as rows of a dataset, in their order."""
        return [
            {"id": identity, "problem": known.problem or UNKNOWN, "expected_answer": known.expected, **known.row}
            for identity, known in sorted(self.known.items(), key=lambda one: one[1].place)
        ]


def _row(taken: Taken) -> Row:
    """Return what else of a record belongs to its problem: options, letters, subsets."""
    return {name: json.loads(value) for name, value in taken.fields.items() if _KEPT.fullmatch(name)}
