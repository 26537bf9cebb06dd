"""One scorer's table as columns, in the order of the report: seed by seed, in each the problems."""

import contextlib
import csv
import gc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from seedbed.core.errors import InputError
from seedbed.records.outputs import ANSWERED, NO_ANSWER, TIMEOUT
from seedbed.scoring.score_files import COLUMNS

RIGHT, WRONG, NONE, OUT_OF_TIME, NOTHING = "r", "w", "n", "o", "-"
FIRST_DIFFERS = "first-differs"  # a flag of samples
_EMPTY = ("", "", "", "", "", "", "", "", "")


@dataclass
class Verdicts:
    """What a scorer made of each sample; `cells` has one of r, w, n, o and - a sample."""

    cells: str = ""
    answer: list[str | None] = field(default_factory=list)
    stage: list[str] = field(default_factory=list)
    span: list[str] = field(default_factory=list)  # start:end in characters, or nothing
    flags: list[str] = field(default_factory=list)
    part: list[str] = field(default_factory=list)


def read_verdicts(path: Path, seeds: Sequence[int], ids: Sequence[str]) -> Verdicts:
    """Return the columns of samples-{scorer}.csv; raises InputError if it is none of ours."""
    with path.open(encoding="utf-8", newline="", errors="surrogatepass") as file, _without_collection():
        reader = csv.reader(file)
        if tuple(next(reader, ())) != COLUMNS:
            raise InputError(f"{path}: expected the columns {','.join(COLUMNS)}")
        rows: list[Sequence[str]] = list(reader)
        if any(len(row) != len(COLUMNS) for row in rows):
            raise InputError(f"{path}: expected {len(COLUMNS)} fields a line")
        rows = _in_order(rows, [str(seed) for seed in seeds], ids)
        _, _, answers, rights, states, stages, spans, flags, parts = zip(*rows, strict=True) if rows else _EMPTY
    return Verdicts(
        "".join(map(_cell, rights, states)),
        [answer if state == ANSWERED or answer else None for answer, state in zip(answers, states, strict=True)],
        list(stages),
        list(spans),
        list(flags),
        list(parts),
    )


@contextlib.contextmanager
def _without_collection() -> Iterator[None]:
    """Leave the garbage alone meanwhile: a table may have a million rows, and none of them is part of a cycle."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _in_order(rows: Sequence[Sequence[str]], seeds: Sequence[str], ids: Sequence[str]) -> list[Sequence[str]]:
    """Return the rows seed by seed in the order of the problems, an empty one where there is none."""
    blocks: dict[str, list[Sequence[str]]] = {}
    for row in rows:
        blocks.setdefault(row[1], []).append(row)
    found: list[Sequence[str]] = []
    for seed in seeds:
        part = blocks.get(seed, [])
        if [row[0] for row in part] == ids:
            found += part
        else:
            known = {row[0]: row for row in part}
            found += [known.get(identity, _EMPTY) for identity in ids]
    return found


def _cell(right: str, state: str) -> str:
    """Return the character of a sample."""
    if right == "true":
        return RIGHT
    if not state:
        return NOTHING
    return NONE if state == NO_ANSWER else OUT_OF_TIME if state == TIMEOUT else WRONG


def flagged(found: Verdicts, flag: str) -> list[int]:
    """Return the samples that bear a flag."""
    return [at for at, flags in enumerate(found.flags) if flag in flags]


def places(span: str) -> list[int] | None:
    """Return start and end of a span, None of none; raises ValueError."""
    return [int(end) for end in span.split(":")] if span else None
