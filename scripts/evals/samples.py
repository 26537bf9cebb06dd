"""The per-sample table `samples-{scorer}.csv`: what was found, never the text it was found in."""

import csv
from collections.abc import Iterable
from pathlib import Path

import msgspec

from scripts.errors import InputError
from scripts.evals.answers import Found
from scripts.evals.records import ANSWERED, STATES

COLUMNS = ("id", "seed", "predicted_answer", "correct", "state", "stage", "span", "flags", "part")
_VERDICTS = {"true": True, "false": False}


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
        rows: list[Scored] = []
        flagged: dict[str, tuple[str, ...]] = {}
        for row in reader:
            try:
                identity, seed, value, correct, state, stage, span, flags, part = row
                if not seed.isdigit() or state not in STATES:
                    raise ValueError
                place = _place(span) if span else None
                if flags not in flagged:
                    flagged[flags] = tuple(flags.split())
                said = value if value or state == ANSWERED else None
                found = Found(said, state, stage, place, part, flagged[flags])
                rows.append(Scored(identity, int(seed), found, _VERDICTS[correct]))
            except (ValueError, KeyError):
                where = f"{path}:{reader.line_num}"
                raise InputError(f"{where}: expected {','.join(COLUMNS)}, found {','.join(row)}") from None
        return rows


def _place(span: str) -> tuple[int, int]:
    """Return start and end of a span; raises ValueError if it is none."""
    start, end = span.split(":")
    return int(start), int(end)
