"""Prepare a benchmark: fetch its rows, check them against their pin, write them in the project's form."""

import fcntl
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from seedbed.core.digests import digest, sha256
from seedbed.core.errors import InputError
from seedbed.datasets.formats import objects
from seedbed.datasets.rows import chosen, shaped, subsets_of
from seedbed.datasets.sources import fetch
from seedbed.records.dataset import Row, write_rows


def prepare(definition: dict[str, Any], out: Path) -> dict[str, Any]:
    """Write the benchmark's rows to `out` and return their record: source, digests, number of rows, subset.

    Of two processes that prepare the same rows at once the second waits. What was fetched is removed once all rows are
    written; what an interrupted download left is kept, and the next attempt goes on from there.
    """
    folder = out.parent
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        fetched = folder / ".source"
        path = fetch(definition["source"], fetched)
        record = _write(definition, path, out)
        found = sha256(path)
        shutil.rmtree(fetched, ignore_errors=True)
    return {
        "benchmark": definition["name"],
        "source": definition["source"],
        "source_sha256": found,
        "definition": digest({key: definition.get(key) for key in ("columns", "keep", "ids", "options", "row")}),
        "sha256": sha256(out),
        **record,
    }


def _write(definition: Mapping[str, Any], path: Path, out: Path) -> dict[str, Any]:
    """Write the rows, or the subset that is asked for, one in memory at a time; returns their number and the subset."""
    name, part = definition["name"], definition.get("part")
    totals: list[int] = []

    def rows() -> Iterator[Row]:
        return _counted(shaped(objects(path, definition["source"]), definition, str(path)), definition, totals)

    if not part:
        write_rows(rows(), out)
        return {"rows": totals[-1], "part": None}
    taken = chosen([(row["id"], subsets_of(row)) for row in rows()], part, f"subset.{name}")
    write_rows((row for row in rows() if row["id"] in taken), out)
    return {"rows": len(taken), "part": {**part, "of": totals[-1]}}


def _counted(rows: Iterator[Row], definition: Mapping[str, Any], totals: list[int]) -> Iterator[Row]:
    """Yield the rows and append their number to `totals`; raises InputError when it is not the pinned one."""
    total, pinned = 0, definition["source"].get("rows")
    for row in rows:
        total += 1
        yield row
    if pinned is not None and total != pinned:
        raise InputError(f"{definition['name']}: the source has {total} rows; expected {pinned} (source.rows)")
    totals.append(total)
