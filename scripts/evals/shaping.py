"""From the objects of a source to rows, as a benchmark file describes them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from scripts.errors import InputError
from scripts.evals.columns import taken, value
from scripts.evals.datasets import REQUIRED, Row, checked
from scripts.evals.rows import BUILDERS

Numbered = Iterable[tuple[str, dict[str, Any]]]


def shaped(objects: Numbered, definition: Mapping[str, Any], label: str) -> Iterator[Row]:
    """Yield the checked rows that `definition` (name, columns, keep, ids, options, row) makes of (where, object)."""
    return checked(
        ((where, _row(raw, definition, number, where)) for number, (where, raw) in enumerate(objects)), label
    )


def _row(raw: Mapping[str, Any], definition: Mapping[str, Any], number: int, where: str) -> Row:
    """Return one row: its fields from their columns, its options lettered, then the other columns that are kept."""
    columns = definition.get("columns", {})
    row: Row = {}
    for field in dict.fromkeys([*REQUIRED, *columns]):
        if field in columns:
            row[field] = value(columns[field], raw, where)
        elif field in raw:
            row[field] = raw[field]
    if definition.get("ids") == "numbered":
        row = {"id": f"{definition['name']}-{number}", **{key: row[key] for key in row if key != "id"}}
    options = definition.get("options")
    if options is not None:
        if not isinstance(row.get("problem"), str):
            raise InputError(f"{where}: the field 'problem' is missing; expected the question before its options")
        found = value(options, raw, where)
        if not isinstance(found, list):
            raise InputError(f"{where}: {options!r} is {type(found).__name__}; expected a list of options")
        row |= BUILDERS[definition.get("row", "in_order")](row, found, number, where)
    used = {name for spec in [*columns.values(), options or []] for name in taken(spec)}
    kept = definition.get("keep")
    others = [name for name in raw if (name not in used if kept is None else name in kept)]
    return row | {name: raw[name] for name in others if name not in row}
