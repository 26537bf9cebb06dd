"""The per-sample table `samples-{scorer}.csv`: what was found, never the text it was found in."""

import csv
from collections.abc import Iterable
from pathlib import Path

import msgspec

from scripts.errors import InputError
from scripts.evals.answers import Found
from scripts.evals.records import ANSWERED, STATES

COLUMNS = ("id", "seed", "predicted_answer", "correct", "state", "stage", "span", "flags", "part")


class Scored(msgspec.Struct, frozen=True, gc=False):
    """One line of the table."""

    id: str
    seed: int
    found: Found
    correct: bool

    @property
    def outcome(self) -> str:
        """Return none, right or wrong; a time-out is wrong, not none."""
        if self.correct:
            return "right"
        return "none" if self.found.state == "no_answer" else "wrong"


def table(rows: Iterable[Scored]) -> str:
    """Return the table as CSV; span is start:end in characters of the generation, flags are joined by spaces."""
    import io

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        found = row.found
        span = "" if found.span is None else f"{found.span[0]}:{found.span[1]}"
        writer.writerow((
            row.id, row.seed, "" if found.value is None else found.value, "true" if row.correct else "false",
            found.state, found.stage, span, " ".join(found.flags), found.part,
        ))  # fmt: skip
    return out.getvalue()


def read_table(path: Path) -> list[Scored]:
    """Return the lines of a table; raises InputError, naming file and line, if it is not one of ours."""
    with path.open(encoding="utf-8", newline="", errors="surrogatepass") as file:
        reader = csv.reader(file)
        header = tuple(next(reader, ()))
        if header != COLUMNS:
            raise InputError(f"{path}: expected the columns {','.join(COLUMNS)}, found {','.join(header)}")
        return [_scored(row, f"{path}:{reader.line_num}") for row in reader]


def _scored(row: list[str], where: str) -> Scored:
    """Return one line; raises InputError if it does not have the columns, a seed, a verdict and a state."""
    if len(row) != len(COLUMNS) or not row[1].isdigit() or row[3] not in {"true", "false"} or row[4] not in STATES:
        raise InputError(f"{where}: expected {','.join(COLUMNS)}, found {','.join(row)}")
    identity, seed, value, correct, state, stage, span, flags, part = row
    start, _, end = span.partition(":")
    found = Found(
        value if state == ANSWERED or value else None,
        state,
        stage,
        (int(start), int(end)) if span else None,
        part,
        tuple(flags.split()),
    )
    return Scored(identity, int(seed), found, correct == "true")
