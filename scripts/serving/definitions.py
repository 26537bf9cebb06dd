"""A server file (config/servers/*.yaml): which of its fields shape an answer, and the roles it stands for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from scripts.errors import InputError
from scripts.serving.shorthands import expand

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
    command = ["{python}", "-m", "scripts.serving.llama_server", "--model", "{model_path}", "--alias", "{served_name}"]
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
