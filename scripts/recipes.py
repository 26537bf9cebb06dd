"""A recipe of srt-slurm as our server file: each value is taken, belongs elsewhere, or is told to have no place."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from scripts.errors import InputError

VARIABLE = re.compile(r"^\$\{?([A-Z_][A-Z0-9_]*)\}?$")
MODES = {"prefill": "prefill", "decode": "decode", "aggregated": "agg"}
OURS = {"model-path", "served-model-name", "host", "port", "disaggregation-mode", "disaggregation-bootstrap-port"}
OURS |= {"nnodes", "node-rank", "dist-init-addr", "nccl-port"}  # what our commands say by themselves
REASONS = {
    "name": "only a name",
    "model.precision": "informs; the weights decide",
    "frontend.enable_multiple_frontends": "one frontend is started, without a proxy before it",
    "frontend.num_additional_frontends": "one frontend is started, without a proxy before it",
    "setup_script": "put what it installs into the image",
    "dynamo.install": "Dynamo is part of the image",
    "dynamo.hash": "Dynamo is part of the image",
    "dynamo.top_of_tree": "Dynamo is part of the image",
    "srun_options": "srun is told by the server file alone",
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


@dataclass
class Recipe:
    """A recipe, and what has become of each of its values so far."""

    source: str
    content: Mapping[str, Any]
    taken: set[str] = field(default_factory=set)
    elsewhere: dict[str, str] = field(default_factory=dict)

    def take(self, path: str, default: Any = None) -> Any:
        """Return the value at a dotted path and mark it and all below it as taken."""
        found: Any = self.content
        for name in path.split("."):
            if not isinstance(found, Mapping) or name not in found:
                return default
            found = found[name]
        self.taken |= {inner for inner, _ in leaves(found, path)}
        return default if found is None else found

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


def server(recipe: Recipe) -> dict[str, Any]:
    """Return the server file that a recipe stands for; raises InputError where its topology cannot be had."""
    for key in ("model", "resources", "backend"):
        if not isinstance(recipe.content.get(key), Mapping):
            raise InputError(f"{recipe.source}: the key {key!r} is missing; expected a recipe of srt-slurm")
    if (kind := recipe.take("backend.type", "sglang")) != "sglang":
        raise InputError(f"{recipe.source}: backend.type: found {kind!r}, expected sglang")
    door = recipe.take("frontend.type", "dynamo")
    environment, secrets = variables(recipe, "environment")
    found: dict[str, Any] = {
        "kind": "dynamo-sglang",
        "engine": f"ai-dynamo {version} with SGLang" if (version := recipe.take("dynamo.version")) else "SGLang",
        "model": {"name": _served(recipe), "path": str(recipe.take("model.path"))},
        "container": alias(recipe),
        "readiness": {"timeout": _patience(recipe)},
        "mounts": _mounts(recipe),
        "environment": environment,
    }
    workers: dict[str, Any] = {}
    for mode, short in MODES.items():
        if (nodes := recipe.number(f"resources.{short}_nodes")) > 0:
            workers[mode], more = _worker(recipe, mode, short, nodes)
            secrets += more
    if not workers:
        raise InputError(f"{recipe.source}: resources: found no prefill_nodes, decode_nodes or agg_nodes above 0")
    if secrets:
        found["secrets"] = sorted(set(secrets))
    if door == "sglang" and set(workers) == {"aggregated"} and workers["aggregated"]["count"] == 1:
        alone = workers["aggregated"]
        found |= {"kind": "sglang", **{key: alone[key] for key in ("nodes", "gpus", "flags")}}
        found["environment"] = {**environment, **alone["environment"]}
        return _without_nothing(found)
    if door != "dynamo":
        raise InputError(f"{recipe.source}: frontend.type: found {door!r}, expected dynamo")
    planes = {"requests": recipe.take("dynamo.request_plane"), "events": recipe.take("dynamo.event_plane")}
    front = {"flags": _flags(recipe, "frontend.args"), "environment": variables(recipe, "frontend.env")[0]}
    found |= {"planes": _without_nothing(planes), "frontend": _without_nothing(front), "workers": workers}
    return _without_nothing(found)


def variables(recipe: Recipe, path: str) -> tuple[dict[str, str], list[str]]:
    """Return the variables at `path`, and the names of those that are handed on from the submitter's own."""
    own: dict[str, str] = {}
    handed: list[str] = []
    for name, value in (recipe.take(path) or {}).items():
        if (other := VARIABLE.match(str(value))) and other[1] == name:
            handed.append(name)
        else:
            own[name] = str(value)
    return own, handed


def alias(recipe: Recipe) -> str:
    """Return the alias of the recipe's image; a path becomes one, to be entered in site.yaml."""
    named = str(recipe.take("model.container", ""))
    short = re.sub(r"[^A-Za-z0-9._-]+", "-", named.rsplit("/", 1)[-1].removesuffix(".sqsh"))
    recipe.elsewhere["model.container"] = (
        f"config/site.yaml: containers: {{{short}: {named if short != named else '…'}}}"
    )
    return short


def _worker(recipe: Recipe, mode: str, short: str, nodes: int) -> tuple[dict[str, Any], list[str]]:
    """Return one entry of `workers:` and the secrets its variables name."""
    count = recipe.number(f"resources.{short}_workers", 1)
    if count < 1 or nodes % count:
        raise InputError(
            f"{recipe.source}: resources: {count} {mode} workers on {nodes} nodes; expected whole nodes for each worker"
        )
    environment, secrets = variables(recipe, f"backend.{mode}_environment")
    worker = {
        "count": count,
        "nodes": nodes // count,
        "gpus": recipe.number("resources.gpus_per_node", 4),
        "flags": _flags(recipe, f"backend.sglang_config.{mode}"),
        "environment": environment,
    }
    return worker, secrets


def _flags(recipe: Recipe, path: str) -> dict[str, Any]:
    """Return the flags at `path` without those that our own command gives; a map becomes JSON."""
    found = {}
    for name, value in (recipe.take(path) or {}).items():
        if name.replace("_", "-") not in OURS:
            found[name.replace("_", "-")] = json.dumps(value) if isinstance(value, Mapping) else value
    return found


def _served(recipe: Recipe) -> str:
    """Return the name under which the recipe's model is served."""
    for mode in MODES:
        flags = (recipe.content.get("backend", {}).get("sglang_config") or {}).get(mode) or {}
        for key in ("served-model-name", "served_model_name"):
            if key in flags:
                return str(flags[key])
    return str(recipe.take("model.path")).rstrip("/").rsplit("/", 1)[-1]


def _patience(recipe: Recipe) -> int:
    """Return the seconds that the recipe gives its server to be ready; half an hour where it says nothing."""
    return recipe.number("health_check.max_attempts", 180) * recipe.number("health_check.interval_seconds", 10)


def _mounts(recipe: Recipe) -> list[str]:
    """Return the folders that the recipe's containers see, FROM:TO."""
    named = [f"{source}:{target}" for source, target in (recipe.take("container_mounts") or {}).items()]
    return named + [str(mount) for mount in recipe.take("extra_mount") or ()]


def _without_nothing(found: dict[str, Any]) -> dict[str, Any]:
    """Return a map without what is empty."""
    return {key: value for key, value in found.items() if value not in (None, {}, [], "")}
