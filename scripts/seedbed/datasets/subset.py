"""A part of a benchmark: some of its subsets, some ids, so many problems; always the same ones."""

import difflib
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from seedbed.core.errors import InputError
from seedbed.records.dataset import Row


def subsets_of(row: Row) -> list[str]:
    """Return the subsets a row belongs to."""
    named = row.get("subset_for_metrics") or []
    return [named] if isinstance(named, str) else [str(name) for name in named]


def chosen(rows: Iterable[tuple[str, Sequence[str]]], part: Mapping[str, Any], source: str) -> set[str]:
    """Return the ids of the part among (id, its subsets); raises InputError naming an unknown id or subset.

    `ids` and `subsets` both narrow it; of what is left, `limit` takes the ids with the least SHA-256 of "seed id", so a
    higher limit keeps all that a lower one took.
    """
    listed = {str(name) for name in part.get("ids") or ()}
    wanted = set(part.get("subsets") or ())
    every: list[str] = []
    left: list[str] = []
    known: set[str] = set()
    for name, subsets in rows:
        every.append(name)
        known |= set(subsets)
        if (not listed or name in listed) and (not wanted or wanted & set(subsets)):
            left.append(name)
    for key, missing, all_of in (("ids", listed - set(every), every), ("subsets", wanted - known, sorted(known))):
        if missing:
            raise InputError(f"{source}.{key}: unknown {sorted(missing)[0]!r}; {_hint(sorted(missing)[0], all_of)}")
    if not left:
        raise InputError(f"{source}: its subsets and ids have no problem in common; expected at least one")
    limit = part.get("limit")
    return set(left if limit is None else sorted(left, key=lambda name: _rank(name, part.get("seed", 0)))[:limit])


def label(dataset: Path) -> str:
    """Return how tables name the part that is in a dataset's folder: "100 of 12032", or nothing for the whole."""
    try:
        record = json.loads((dataset / "source.json").read_text(encoding="utf-8"))
        return f"{record['rows']} of {record['part']['of']}" if record.get("part") else ""
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _rank(name: str, seed: int) -> bytes:
    """Return what orders ids by chance, the same everywhere."""
    return hashlib.sha256(f"{seed} {name}".encode()).digest()


def _hint(found: str, known: Sequence[str]) -> str:
    """Return the known name most like `found`, or a few of them."""
    close = difflib.get_close_matches(found, known, n=1, cutoff=0.5)
    if close:
        return f"did you mean {close[0]!r}?"
    return f"expected one of: {', '.join(known[:20])}{' …' if len(known) > 20 else ''}" if known else "there are none"
