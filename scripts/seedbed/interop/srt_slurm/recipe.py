"""A recipe of srt-slurm: each of its values is taken, belongs elsewhere, or is reported as without counterpart."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from seedbed.core.errors import InputError

REASONS = {
    "name": "only a name",
    "model.precision": "informs; the weights decide",
    "frontend.enable_multiple_frontends": "one frontend is started, without a proxy before it",
    "frontend.num_additional_frontends": "one frontend is started, without a proxy before it",
    "setup_script": "put what it installs into the image",
    "dynamo.install": "Dynamo is part of the image",
    "dynamo.hash": "Dynamo is part of the image",
    "dynamo.top_of_tree": "Dynamo is part of the image",
    "srun_options": "only the server file sets options of srun",
    "profiling": "nothing is profiled",
    "telemetry": "nothing is scraped",
    "observability": "nothing is scraped",
    "output": "results stand in the working directory",
    "sweep": "one recipe is one server",
    "infra": "neither etcd nor NATS is started",
}


def leaves(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Return every value of a document with its dotted path; an empty map or list is a value."""
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from leaves(inner, f"{path}.{name}" if path else str(name))
    else:
        yield path, value


def merged(base: Mapping[str, Any], override: Mapping[str, Any]) -> dict[str, Any]:
    """Return `base` with the values of `override` in their places, maps within maps too."""
    found = dict(base)
    for name, value in override.items():
        inner = found.get(name)
        both = isinstance(inner, Mapping) and isinstance(value, Mapping)
        found[name] = merged(inner, value) if both else value  # type: ignore[arg-type]
    return found


@dataclass
class Recipe:
    """A recipe, and what has become of each of its values so far."""

    source: str
    content: Mapping[str, Any]
    taken: set[str] = field(default_factory=set)
    elsewhere: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, source: str, content: object, variant: str | None = None) -> "Recipe":
        """Return the recipe in a parsed file; of one with `base` and `override_…`, the `variant` that is asked for."""
        if not isinstance(content, Mapping):
            raise InputError(f"{source}: found {type(content).__name__}, expected a recipe of srt-slurm")
        if "base" not in content:
            if variant is not None:
                raise InputError(f"{source}: there is no 'base'; expected a call without --variant")
            return cls(source, content)
        known = ["base", *(key for key in content if str(key).startswith("override_"))]
        if variant not in known or not all(isinstance(content[key], Mapping) for key in ("base", variant)):
            raise InputError(
                f"{source}: found several variants of a recipe, of which {variant!r} is asked for; "
                f"expected --variant with one of {', '.join(known)}"
            )
        return cls(source, content["base"] if variant == "base" else merged(content["base"], content[variant]))

    def at(self, path: str) -> Any:
        """Return the value at a dotted path, None where there is none, and leave it unmarked."""
        found: Any = self.content
        for name in path.split("."):
            if not isinstance(found, Mapping) or name not in found:
                return None
            found = found[name]
        return found

    def take(self, path: str, default: Any = None) -> Any:
        """Return the value at a dotted path and mark it and all below it as taken."""
        found = self.at(path)
        if found is None:
            return default
        self.taken |= {inner for inner, _ in leaves(found, path)}
        return found

    def map(self, path: str) -> Mapping[str, Any]:
        """Return the map at a dotted path, empty where there is none; raises InputError where it is none."""
        found = self.take(path) or {}
        if not isinstance(found, Mapping):
            raise InputError(f"{self.source}: {path}: found {found!r}, expected a map")
        return {str(name): value for name, value in found.items()}

    def list(self, path: str) -> Sequence[Any]:
        """Return the list at a dotted path, empty where there is none; raises InputError where it is none."""
        found = self.take(path) or []
        if not isinstance(found, list):
            raise InputError(f"{self.source}: {path}: found {found!r}, expected a list")
        return found

    def move(self, path: str, where: str) -> None:
        """Say where in this project the value at `path` belongs instead."""
        if self.take(path) is not None:
            self.elsewhere[path] = where

    def number(self, path: str, default: int = 0) -> int:
        """Return a number of the recipe; raises InputError where it is none."""
        found = self.take(path, default)
        try:
            return int(found)
        except (TypeError, ValueError):
            raise InputError(f"{self.source}: {path}: found {found!r}, expected a number") from None

    def left(self) -> dict[str, str]:
        """Return what has no counterpart, each value with its reason."""
        found = {}
        for path, value in leaves(self.content):
            if path not in self.taken:
                reason = next((why for key, why in REASONS.items() if path == key or path.startswith(f"{key}.")), "")
                found[path] = f"{value!r}" + (f" ({reason})" if reason else "")
        return found
