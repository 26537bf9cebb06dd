"""Repetition: a text that repeats itself without end, and equal texts from several seeds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from seedbed.records.outputs import decoded, in_seed_order, read_lines, seed_of

PROBE = 48
REPEATS = 3


def period(text: bytes | bytearray, span: int) -> int | None:
    """Return the length of the piece that the last `span` bytes repeat at least three times, None if they do not."""
    if span <= 0 or len(text) < span:
        return None
    tail = bytes(text[-span:])
    probe = tail[-min(PROBE, span // REPEATS) :]
    at = len(tail) - len(probe)
    longest = span // REPEATS
    while (found := tail.rfind(probe, 0, at + len(probe) - 1)) >= 0:
        length = len(tail) - len(probe) - found
        if length > longest:
            return None
        if tail[length:] == tail[:-length]:
            return length
        at = found
    return None


class LoopWatch:
    """Looks at a growing answer each time it has grown by a quarter of the span: no loop of 1.25 spans escapes."""

    __slots__ = ("_next", "_span", "_text", "found")

    def __init__(self, span: int | None) -> None:
        """`span` in bytes; None or 0 never looks."""
        self._span = span or 0
        self._next = self._span
        self._text: bytearray | None = None
        self.found: int | None = None

    def look(self, text: bytearray, reasoning: bytearray) -> bool:
        """Return whether a loop has been seen so far; what grows is the reasoning until there is a text."""
        if not self._span:
            return False
        grows = text or reasoning
        if grows is not self._text:
            self._text, self._next = grows, self._span
        if len(grows) >= self._next and self.found is None:
            self._next = len(grows) + max(1, self._span // 4)
            self.found = period(grows, self._span)
        return self.found is not None

    def last(self, text: bytearray, reasoning: bytearray) -> bool:
        """Return whether a loop was seen, looking once more at the ends of the finished answer."""
        if self.found is None and self._span:
            self.found = period(text, self._span) or period(reasoning, self._span)
        return self.found is not None

    def cut(self, text: bytearray, reasoning: bytearray) -> bool:
        """Cut a finished answer where it would have been cut while it grew; return whether there was a loop."""
        for grown in (reasoning, text) if self._span else ():
            for at in range(self._span, len(grown) + 1, max(1, self._span // 4)):
                if (found := period(grown[at - self._span : at], self._span)) is None:
                    continue
                self.found = found
                end = at
                while end < len(grown) and grown[end] & 0xC0 == 0x80:
                    end += 1
                del grown[end:]
                if grown is reasoning:
                    text.clear()
                return True
        return False


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
        """Return a remark on the seeds of `model` in one line, None if nothing."""
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
