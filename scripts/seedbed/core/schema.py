"""Check a parsed YAML document against its schema: fill defaults, read numbers given as text, name what is wrong."""

import contextlib
import copy
import difflib
import functools
import math
import reprlib
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

from seedbed.core.environment import ROOT
from seedbed.core.errors import InputError

_WORDS = {"true": True, "false": False}
_EXPECTED = {
    "type": "expected {}",
    "enum": "expected one of {}",
    "minimum": "expected at least {}",
    "maximum": "expected at most {}",
    "exclusiveMinimum": "expected more than {}",
    "minItems": "expected at least {} of them",
    "minProperties": "expected at least {} of them",
    "minLength": "expected some text",
    "pattern": "expected text like {}",
}


class UniqueKeyLoader(yaml.CSafeLoader if hasattr(yaml, "CSafeLoader") else yaml.SafeLoader):  # type: ignore[misc]
    """A safe loader that refuses a key given twice, where YAML would keep the last in silence."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Return the mapping of `node`; raises a ConstructorError that names a doubled key and its line."""
        seen = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key.value!r} appears twice", key.start_mark
                )
            seen.add(key.value)
        return super().construct_mapping(node, deep)  # type: ignore[no-any-return]


def read_yaml(path: Path) -> Any:
    """Return the parsed YAML file; raises InputError naming the file and line of what cannot be read."""
    try:
        return yaml.load(path.read_text(encoding="utf-8"), Loader=UniqueKeyLoader)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte {error.start} is not UTF-8; expected UTF-8 text") from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise InputError(f"{path}, line {line}: {error.problem}; expected YAML") from error


@functools.cache
def schema(name: str) -> dict[str, Any]:
    """Return the schema `name` of config/schema."""
    loaded: dict[str, Any] = read_yaml(ROOT / "config" / "schema" / f"{name}.yaml")
    return loaded


def nearest(found: str, known: Iterable[str]) -> str:
    """Return `did you mean …?` for the known name most like `found`, or the list of all known names."""
    names = sorted(map(str, known))
    close = difflib.get_close_matches(found, names, n=1, cutoff=0.5)
    return f"did you mean {close[0]!r}?" if close else f"expected one of: {', '.join(names)}"


def conform(document: Any, name: str, source: str) -> dict[str, Any]:
    """Return a copy of `document` that fits schema `name`, defaults filled in; raises InputError with source, key.

    A key's former name is read as its present one, with one line of warning on standard error.
    """
    root = schema(name)
    value = _shaped(_renamed(copy.deepcopy(document), root, "", source), root, root)
    error = best_match(Draft202012Validator(root).iter_errors(value), key=_relevance)
    if error is not None:
        raise InputError(f"{source}: {_sentence(error)}")
    filled: dict[str, Any] = value
    return filled


def _renamed(value: Any, node: dict[str, Any], where: str, source: str) -> Any:
    """Return `value` with keys under their present names where `node` says what they were `formerly`; warns once."""
    properties = node.get("properties", {})
    if not isinstance(value, dict):
        return value
    for key, part in properties.items():
        former = part.get("formerly")
        if former in value:
            if key in value:
                raise InputError(
                    f"{source}: found {where}{former} and its new name {where}{key}; expected only the new one"
                )
            value[key] = value.pop(former)
            _warn(f"{source}: {where}{former} is now called {where}{key}; the old name is read until the next release")
        if key in value:
            value[key] = _renamed(value[key], part, f"{where}{key}.", source)
    return value


@functools.cache
def _warn(text: str) -> None:
    """Print a warning, once a process."""
    print(f"warning: {text}", file=sys.stderr, flush=True)


def _relevance(error: ValidationError) -> tuple[int, int]:
    """Return a sort key that puts the shallowest error first, unknown keys before anything else there."""
    return (-len(error.path), error.validator == "additionalProperties")


def _resolve(node: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    """Return `node` with a `$ref` into the `$defs` of `root` replaced by what it names."""
    if "$ref" not in node:
        return node
    return {
        **root["$defs"][node["$ref"].rsplit("/", 1)[1]],
        **{key: value for key, value in node.items() if key != "$ref"},
    }


def _shaped(value: Any, node: dict[str, Any], root: dict[str, Any]) -> Any:
    """Return `value` with the defaults of `node` filled in and texts read as the type that `node` asks for."""
    node = _resolve(node, root)
    if isinstance(value, dict):
        properties = node.get("properties", {})
        for key, part in properties.items():
            if key not in value and "default" in _resolve(part, root):
                value[key] = copy.deepcopy(_resolve(part, root)["default"])
        rest = node.get("additionalProperties")
        for key in value:
            inner = properties.get(key, rest if isinstance(rest, dict) else None)
            if inner is not None:
                value[key] = _shaped(value[key], inner, root)
        return value
    if isinstance(value, list) and isinstance(node.get("items"), dict):
        return [_shaped(item, node["items"], root) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # the schema then names it as text that is no number
    return _read_text(value, node.get("type", ())) if isinstance(value, str) else value


def _read_text(text: str, kinds: str | list[str]) -> Any:
    """Return `text` as the number, truth value or null that `kinds` allows, since a command line gives texts."""
    if "string" in kinds:
        return text
    for kind, read in (("integer", int), ("number", float)):
        if kind in kinds:
            with contextlib.suppress(ValueError):
                number = read(text)
                return number if math.isfinite(number) else text
    if "boolean" in kinds and text.lower() in _WORDS:
        return _WORDS[text.lower()]
    return None if "null" in kinds and text.lower() in ("null", "none", "~") else text


def _sentence(error: ValidationError) -> str:
    """Return what is wrong in one clause: the key, what was found, what was expected."""
    key = ".".join(map(str, error.absolute_path)) or "the file"
    wanted: Any = error.validator_value
    instance: Any = error.instance
    if error.validator == "additionalProperties":
        known = list(error.schema.get("properties", {})) if isinstance(error.schema, dict) else []
        unknown = sorted(set(map(str, instance)) - set(known))[0]
        where = f"{key}.{unknown}" if error.absolute_path else unknown
        return f"unknown key {where!r}; {nearest(unknown, known)}"
    if error.validator == "required":
        return f"{key}: the key {sorted(set(wanted) - set(instance))[0]!r} is missing"
    if error.validator == "type":
        wanted = " or ".join([wanted] if isinstance(wanted, str) else wanted)
    expected = _EXPECTED.get(str(error.validator))
    return f"{key}: found {reprlib.repr(instance)}; {expected.format(wanted) if expected else error.message}"
