"""Shorthands of server files: the roles that `kind: vllm`, `sglang`, `dynamo-sglang` and `command` stand for."""

from collections.abc import Mapping
from typing import Any

from scripts.errors import InputError

Entry = dict[str, Any]
MODES = ("prefill", "decode")
COMPONENTS = {"prefill": "prefill", "decode": "backend", "aggregated": "backend"}  # as Dynamo's workers register
PLANES = {"discovery": "file", "requests": "tcp", "events": "zmq"}  # neither etcd nor NATS
KEY_VARIABLES = {"vllm": "VLLM_API_KEY"}  # by which an engine takes the key of the run, where the file names none
KEY_CONFIG = "key.yaml"  # in the folder of an attempt, for SGLang: its API key, which a command line would show to all
_RANKS = ["--nnodes={nodes}", "--node-rank={node_rank}", "--dist-init-addr={master}:{master_port}"]
_KEPT = ("container", "secrets", "mounts", "workdir")


def expand(definition: Mapping[str, Any]) -> list[Entry]:
    """Return the entries of `roles:` that a server file writes out or stands for; raises InputError naming the key."""
    kinds = {"vllm": _vllm, "sglang": _sglang, "dynamo-sglang": _dynamo, "command": _command}
    kind = definition.get("kind", "roles")
    return kinds[kind](definition) if kind in kinds else list(definition.get("roles") or ())


def words(flags: Mapping[str, Any] | None, where: str = "flags") -> list[str]:
    """Return a map of flags as words: true is the bare flag, false and null nothing, a list the flag and its values."""
    found = []
    for name, value in (flags or {}).items():
        flag = f"--{name.lstrip('-').replace('_', '-')}"
        if isinstance(value, Mapping):
            raise InputError(f"{where}.{name}: found a map; expected a text, such as JSON in quotes")
        if isinstance(value, list):
            found += [flag, *map(str, value)]
        elif value is True:
            found.append(flag)
        elif value is not None and value is not False:
            found.append(f"{flag}={value}")
    return found


def _vllm(definition: Mapping[str, Any]) -> list[Entry]:
    """Return the one role of a vLLM on one node."""
    if definition.get("nodes", 1) > 1:
        raise InputError(f"nodes: found {definition['nodes']}, expected 1: a vLLM over several is written as `roles`")
    command = ["vllm", "serve", "{model_path}", "--served-model-name={served_name}", "--host={host}", "--port={port}"]
    return [_single(definition, command, "/health")]


def _sglang(definition: Mapping[str, Any]) -> list[Entry]:
    """Return the one role of an SGLang, over several nodes where `nodes` says so."""
    command = ["python3", "-m", "sglang.launch_server", "--model-path={model_path}"]
    command += ["--served-model-name={served_name}", "--host={host}", "--port={port}"]
    if "config" not in (definition.get("flags") or {}):  # SGLang takes one such file alone
        command.append(f"--config={{scratch}}/{KEY_CONFIG}")
    return [_single(definition, command + (_RANKS if definition.get("nodes", 1) > 1 else []), "/health")]


def _command(definition: Mapping[str, Any]) -> list[Entry]:
    """Return the one role whose command the file writes out."""
    return [_single(definition, list(definition["command"]), None)]


def _single(definition: Mapping[str, Any], command: list[str], health: str | None) -> Entry:
    """Return a role of its own named `server`, with the flags of the file after `command`."""
    entry: Entry = {"name": "server", "frontend": True, "command": command + words(definition.get("flags"))}
    entry |= {key: definition[key] for key in (*_KEPT, "gpus", "nodes", "port", "environment") if key in definition}
    return entry if health is None else entry | {"readiness": {"path": health}}


def _dynamo(definition: Mapping[str, Any]) -> list[Entry]:
    """Return a frontend and the SGLang workers of `workers:` behind it, found and reached over the given planes."""
    if set(definition["workers"]) not in (set(MODES), {"aggregated"}):
        found = ", ".join(definition["workers"])
        raise InputError(f"workers: found {found}; expected prefill and decode, or aggregated alone")
    environment = {**planes(definition.get("planes") or {}), **(definition.get("environment") or {})}
    shared = {key: definition[key] for key in _KEPT if key in definition}
    front = definition.get("frontend") or {}
    command = ["python3", "-m", "dynamo.frontend", "--http-host={host}", "--http-port={port}"]
    entries: list[Entry] = [
        {
            "name": "frontend",
            "frontend": True,
            **shared,
            "command": command + words(front.get("flags"), "frontend.flags"),
            "environment": {**environment, **(front.get("environment") or {})},
        }
    ]
    if "port" in definition:
        entries[0]["port"] = definition["port"]
    for mode, worker in definition["workers"].items():
        own = {key: worker[key] for key in ("count", "nodes", "gpus") if key in worker}
        entries.append(
            {
                "name": mode,
                "start": 1,
                **shared,
                **own,
                "command": _worker(mode, worker, definition.get("flags") or {}),
                "environment": {**environment, **(worker.get("environment") or {})},
                "readiness": {"component": COMPONENTS[mode]},
            }
        )
    return entries


def planes(named: Mapping[str, str]) -> dict[str, str]:
    """Return the variables by which Dynamo's processes find and reach each other, bound to the node's own address."""
    chosen = {**PLANES, **named}
    found = {
        "DYN_DISCOVERY_BACKEND": chosen["discovery"],
        "DYN_REQUEST_PLANE": chosen["requests"],
        "DYN_EVENT_PLANE": chosen["events"],
        "DYN_TCP_RPC_HOST": "{host}",
        "DYN_TCP_RESPONSE_STREAM_HOST": "{host}",
        "DYN_EVENT_PLANE_HOST": "{host}",
        "HF_HUB_OFFLINE": "1",
    }
    return found | ({"DYN_FILE_KV": "{scratch}/discovery"} if chosen["discovery"] == "file" else {})


def _worker(mode: str, worker: Mapping[str, Any], common: Mapping[str, Any]) -> list[str]:
    """Return the command of one kind of worker: what every worker gets, then the flags of the file."""
    flags = {**common, **(worker.get("flags") or {})}
    command = ["python3", "-m", "dynamo.sglang", "--model-path={model_path}", "--served-model-name={served_name}"]
    command.append("--host={host}")
    if mode in MODES:
        command.append(f"--disaggregation-mode={mode}")
        if not any(name.replace("_", "-") == "disaggregation-transfer-backend" for name in flags):
            command.append("--disaggregation-transfer-backend=nixl")
    if mode == "prefill":
        command.append("--disaggregation-bootstrap-port={port}")
    if worker.get("nodes", 1) > 1:
        command += _RANKS
    return command + words(flags, f"workers.{mode}.flags")
