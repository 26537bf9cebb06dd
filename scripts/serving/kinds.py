"""Which keys each kind of server file needs and takes: one that would be passed over in silence is an error."""

from collections.abc import Mapping
from typing import Any

from scripts.errors import InputError

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


def check(written: Mapping[str, Any]) -> None:
    """Raise InputError where a server file, as it is written, lacks a key of its kind or has one of another."""
    kind = written["kind"]
    if missing := [key for key in _NEEDED[kind] if key not in written]:
        raise InputError(f"the key {missing[0]!r} is missing; kind {kind} needs it")
    if foreign := sorted(set(written) - _ALL - _TAKEN[kind]):
        where = "; expected it in each of `roles`" if kind == "roles" and foreign[0] in _SINGLE else ""
        raise InputError(f"{foreign[0]}: kind {kind} has no such key{where}, only {', '.join(sorted(_TAKEN[kind]))}")
