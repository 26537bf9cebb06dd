"""Generations that stand more than once: the same text for the same problem from several seeds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from scripts.evals.lines import decoded
from scripts.evals.seedfiles import in_seed_order, read_lines, seed_of

FLAG = "duplicate"
SHORT = 40  # characters; shorter texts coincide by chance
NAMED = 2  # problems with repeated texts that a line names; more are counted
IGNORED = 0.9  # share of the comparable problems that have one text only, from which on the seed seems to be ignored


class _Said(msgspec.Struct, frozen=True):
    """The texts of a record."""

    id: str | int | None = None
    generation: str | None = None
    reasoning_content: str | None = None


@dataclass(frozen=True)
class Duplicates:
    """What several seeds have in common; `groups` maps an id to its groups of seeds with one text."""

    groups: Mapping[str, list[list[int]]] = field(default_factory=dict)
    problems: int = 0
    seeds: int = 0
    uniform: int = 0

    @property
    def samples(self) -> int:
        """Return how many samples repeat another seed's text, the first of each text not counted."""
        return sum(len(group) - 1 for groups in self.groups.values() for group in groups)

    @property
    def seed_ignored(self) -> bool:
        """Return whether nearly every problem with long enough texts has the same one from all seeds."""
        return self.seeds > 1 and self.problems > 0 and self.uniform >= IGNORED * self.problems

    def line(self, model: str) -> str | None:
        """Return what has to be said about the seeds of `model` in one line, None if nothing."""
        if self.seed_ignored:
            return (
                f"the server of {model!r} ignores `seed`: {self.uniform} of {self.problems} problems have one and the "
                f"same text from all {self.seeds} seeds; they count as one sample, not as {self.seeds}"
            )
        if not self.groups:
            return None
        where = ", ".join(self.groups) if len(self.groups) <= NAMED else f"{len(self.groups)} problems"
        return f"{self.samples} repeat another seed's text ({where})"


def find(outputs: Iterable[Path], temperature: float | None) -> Duplicates:
    """Return what the output files of a benchmark's seeds have in common; at temperature 0 that is no news.

    `temperature` None is the server's default, taken as above 0. Empty and short texts are no duplicates.
    """
    files = in_seed_order(list(outputs))
    if temperature == 0 or len(files) < 2:
        return Duplicates(seeds=len(files))
    texts: dict[str, dict[int, list[int]]] = {}
    short: set[str] = set()
    brief: set[int] = set()
    decoder = msgspec.json.Decoder(_Said)
    for path in files:
        seed = seed_of(path)
        for _, line in read_lines(path):
            said = decoded(line, decoder)
            text = (said.reasoning_content or "", said.generation or "")
            length = sum(map(len, text))
            if not length:
                continue
            mark = hash(text)
            texts.setdefault(str(said.id), {}).setdefault(mark, []).append(seed)
            if length < SHORT:
                short.add(str(said.id))
                brief.add(mark)
    groups = {
        key: found
        for key, marks in texts.items()
        if (found := [sorted(seeds) for mark, seeds in marks.items() if seeds[1:] and mark not in brief])
    }
    comparable = [
        key for key, marks in texts.items() if key not in short and sum(map(len, marks.values())) == len(files)
    ]
    return Duplicates(groups, len(comparable), len(files), sum(len(texts[key]) == 1 for key in comparable))
