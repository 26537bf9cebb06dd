"""Turn the objects of a source into rows of a benchmark, take a subset of them, and turn a row into the prompt.

A benchmark file says which columns become which fields, and how options are put under letters. A configuration may ask
for a subset: by `subset_for_metrics`, by ids, or so many rows, always the same ones.
"""

import difflib
import functools
import hashlib
import json
import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from seedbed.core.errors import InputError
from seedbed.records.dataset import REQUIRED, Row, checked

Spec = Any  # a column's name, {column, take, replace, groups}, or a list of these


def taken(spec: Spec) -> list[str]:
    """Return the columns that a field is made of."""
    if isinstance(spec, list):
        return [name for part in spec for name in taken(part)]
    return [spec if isinstance(spec, str) else spec["column"]]


def check(spec: Spec, key: str) -> None:
    """Raise InputError naming the key when a pattern in `spec` is none."""
    for part in spec if isinstance(spec, list) else [spec]:
        if isinstance(part, Mapping):
            for pattern in [part.get("take", ""), *part.get("replace", {})]:
                try:
                    re.compile(pattern)
                except re.error as error:
                    raise InputError(f"{key}: {pattern!r} is no regular expression: {error}") from None


def value(spec: Spec, raw: Mapping[str, Any], where: str) -> Any:
    """Return a field's value; raises InputError naming the place and column, never the text that is there."""
    if isinstance(spec, list):
        return [value(part, raw, where) for part in spec]
    column = spec if isinstance(spec, str) else spec["column"]
    if column not in raw:
        raise InputError(f"{where}: the field {column!r} is missing; found {', '.join(map(repr, raw)) or 'none'}")
    found = raw[column]
    if isinstance(spec, str) or found is None:
        return found
    text = str(found)
    if "take" in spec:
        match = re.search(spec["take"], text)
        if match is None:
            raise InputError(f"{where}: {column!r} is not like {spec['take']!r} (columns)")
        text = match[1] if match.re.groups else match[0]
    for pattern, replacement in spec.get("replace", {}).items():
        text = re.sub(pattern, replacement, text)
    if "groups" in spec:
        named = [group for group, members in spec["groups"].items() if text in members]
        if len(named) != 1:
            raise InputError(f"{where}: {text!r} is in {len(named)} groups of {column!r}; expected one (columns)")
        return named[0]
    return text


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
SHUFFLE_SEED = 42


def lettered(question: str, options: Sequence[str]) -> dict[str, Any]:
    """Return `problem` (the question with its options), `options` and a field a letter, as NeMo-Skills writes them."""
    by_letter = dict(zip(LETTERS, options, strict=False))
    text = "\n".join(f"{letter}) {option}" for letter, option in by_letter.items())
    question = question.strip("\n")
    return {"problem": f"{question}\n\n{text}", "options": text, **by_letter}


def in_order(row: dict[str, Any], options: Sequence[Any], number: int, where: str) -> dict[str, Any]:
    """Return what `lettered` makes of a row whose options stand in their final order."""
    return lettered(row["problem"], _texts(options, where))


def shuffled_options(row: dict[str, Any], options: Sequence[Any], number: int, where: str) -> dict[str, Any]:
    """Return `lettered` fields for options of which the last is right, shuffled; `option_order` records how.

    The order belongs to the row's number in the source alone: NeMo-Skills' for its seed 42, the same everywhere.
    """
    texts = [" " if text is None else _tidied(text) for text in options]
    order = order_of(number, len(texts))
    shown = [texts[index] for index in order]
    right = LETTERS[shown.index(texts[-1])]
    return {"expected_answer": right, **lettered(row["problem"], shown), "option_order": order}


def order_of(number: int, size: int) -> list[int]:
    """Return the order of `size` options of row `number`: Fisher and Yates' shuffle, row after row from the seed."""
    made, generator = _orders(size)
    while len(made) <= number:
        order = list(range(size))
        for last in range(size - 1, 0, -1):
            other = _below(generator, last + 1)
            order[last], order[other] = order[other], order[last]
        made.append(order)
    return made[number]


@functools.cache
def _orders(size: int) -> tuple[list[list[int]], random.Random]:
    """Return the orders made so far and the generator that makes the next."""
    return [], random.Random(SHUFFLE_SEED)


def _below(generator: random.Random, limit: int) -> int:
    """Return a number below `limit` from the generator's bits alone, so that no version of Python draws another."""
    bits = limit.bit_length()
    while (drawn := generator.getrandbits(bits)) >= limit:
        pass
    return drawn


def _tidied(text: str) -> str:
    """Return an option as NeMo-Skills cleans it."""
    return str(text).strip().replace(" [title]", ". ").replace("  ", " ")


def _texts(options: Sequence[Any], where: str) -> list[str]:
    """Return the options if each is a text; raises InputError."""
    for letter, option in zip(LETTERS, options, strict=False):
        if not isinstance(option, str):
            raise InputError(f"{where}: option {letter} is {type(option).__name__}; expected some text")
    return list(options)


BUILDERS = {"in_order": in_order, "shuffled_options": shuffled_options}


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


_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


def render(template: str, row: Mapping[str, object]) -> str:
    """Return `template` with every `{name}` that is a field of `row` replaced; every other brace stays literal."""
    return _PLACEHOLDER.sub(lambda found: str(row[found[1]]) if found[1] in row else found[0], template)


def fields(template: str) -> set[str]:
    """Return the names that `template` would take from a row."""
    return set(_PLACEHOLDER.findall(template))


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
