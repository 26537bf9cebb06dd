"""From the columns of a source to the fields of a row, as a benchmark file says it."""

import re
from collections.abc import Mapping
from typing import Any

from scripts.errors import InputError

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
    """Return a field's value; raises InputError naming the place and column, never the text that stands there."""
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
            raise InputError(f"{where}: {text!r} stands in {len(named)} groups of {column!r}; expected one (columns)")
        return named[0]
    return text
