"""The server file that a recipe of srt-slurm stands for."""

import json
import re
from collections.abc import Mapping
from typing import Any

from seedbed.core.errors import InputError
from seedbed.interop.srt_slurm.recipe import Recipe

VARIABLE = re.compile(r"^\$\{?([A-Z_][A-Z0-9_]*)\}?$")
MODES = {"prefill": "prefill", "decode": "decode", "aggregated": "agg"}
OURS = {"model-path", "served-model-name", "host", "port", "disaggregation-mode", "disaggregation-bootstrap-port"}
OURS |= {"nnodes", "node-rank", "dist-init-addr", "nccl-port"}  # what our commands say by themselves


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
        nodes = recipe.number(f"resources.{short}_nodes")
        if nodes > 0 or recipe.number(f"resources.{short}_workers") > 0:
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
    own, handed = variables(recipe, "frontend.env")
    if handed:
        found["secrets"] = sorted({*found.get("secrets", []), *handed})
    front = {"flags": _flags(recipe, "frontend.args"), "environment": own}
    found |= {"planes": _without_nothing(planes), "frontend": _without_nothing(front), "workers": workers}
    return _without_nothing(found)


def variables(recipe: Recipe, path: str) -> tuple[dict[str, str], list[str]]:
    """Return the variables at `path`, and the names of those that are handed on from the submitter's own."""
    own: dict[str, str] = {}
    handed: list[str] = []
    for name, value in recipe.map(path).items():
        other = VARIABLE.match(str(value))
        if other and other[1] == name:
            handed.append(name)
        elif other:
            recipe.elsewhere[f"{path}.{name}"] = f"nowhere yet: write its value out, no shell puts in {value}"
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
    if count < 1 or nodes < 1 or nodes % count:
        raise InputError(
            f"{recipe.source}: resources: {count} {mode} workers on {nodes} nodes; expected whole nodes for each worker"
        )
    environment, secrets = variables(recipe, f"backend.{mode}_environment")
    worker = {
        "count": count,
        "nodes": nodes // count,
        "gpus": _gpus(recipe, short, nodes // count),
        "flags": _flags(recipe, f"backend.sglang_config.{mode}"),
        "environment": environment,
    }
    return worker, secrets


def _gpus(recipe: Recipe, short: str, nodes: int) -> int:
    """Return the GPUs of a worker on each of its `nodes`: the recipe says how many it has in all, or a node has."""
    alone = recipe.number(f"resources.gpus_per_{short}")
    if alone % nodes:
        where = f"{recipe.source}: resources.gpus_per_{short}"
        raise InputError(f"{where}: found {alone} on {nodes} nodes; expected as many on each")
    return alone // nodes or recipe.number("resources.gpus_per_node", 4)


def _flags(recipe: Recipe, path: str) -> dict[str, Any]:
    """Return the flags at `path` without those that our own command gives; a map becomes JSON."""
    found = {}
    for name, value in recipe.map(path).items():
        if name.replace("_", "-") in OURS:
            recipe.elsewhere[f"{path}.{name}"] = f"nowhere: the workflow fills it in (the recipe has {value!r})"
        else:
            found[name.replace("_", "-")] = json.dumps(value) if isinstance(value, Mapping) else value
    return found


def _served(recipe: Recipe) -> str:
    """Return the name under which the recipe's model is served."""
    for mode in MODES:
        flags = recipe.at(f"backend.sglang_config.{mode}")
        for key in ("served-model-name", "served_model_name"):
            if isinstance(flags, Mapping) and key in flags:
                return str(flags[key])
    return str(recipe.take("model.path")).rstrip("/").rsplit("/", 1)[-1]


def _patience(recipe: Recipe) -> int:
    """Return the seconds that the recipe gives its server to be ready; half an hour where it says nothing."""
    return recipe.number("health_check.max_attempts", 180) * recipe.number("health_check.interval_seconds", 10)


def _mounts(recipe: Recipe) -> list[str]:
    """Return the folders that the recipe's containers see, FROM:TO."""
    named = [f"{source}:{target}" for source, target in recipe.map("container_mounts").items()]
    return named + [str(mount) for mount in recipe.list("extra_mount")]


def _without_nothing(found: dict[str, Any]) -> dict[str, Any]:
    """Return a map without what is empty."""
    return {key: value for key, value in found.items() if value not in (None, {}, [], "")}
