"""The plan of a run, run/broker.json: what the driver asks of the broker and of the servers it starts."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seedbed.core.errors import InputError
from seedbed.serving.spec.server_file import Role, model_file, roles
from seedbed.serving.spec.site import Site, site

LEASE = 120.0  # seconds, longer than the attribute cache of a network file system


@dataclass(frozen=True)
class ServerPlan:
    """One model's server: what runs, where, and when it counts as ready or as no longer wanted."""

    model: str
    definition: Mapping[str, Any]
    served_name: str
    placement: Mapping[str, Any]
    ready_within: float
    concurrency: int
    outputs: tuple[str, ...]

    @property
    def roles(self) -> list[Role]:
        """Return the processes the server consists of."""
        return roles(self.definition)

    @property
    def model_path(self) -> str:
        """Return the model as the server opens it, absolute where it is a file of this run."""
        path = model_file(self.definition) or ""
        return str(Path(path).absolute()) if "member" in (self.definition.get("model") or {}) else path


@dataclass(frozen=True)
class Plan:
    """All the servers of a run, in the order of the config, and the limits the broker keeps."""

    run: str
    launcher: str
    max_servers: int
    max_restarts: int
    idle_seconds: float
    lease_seconds: float
    poll: float
    site: Site
    servers: Mapping[str, ServerPlan]


def read(path: Path) -> Plan:
    """Return the plan in `path`; raises InputError naming the file and what is missing."""
    try:
        text = json.loads(path.read_text(encoding="utf-8"))
        return parse(text)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: not a plan of servers: {type(error).__name__} {error}") from error


def parse(text: Mapping[str, Any]) -> Plan:
    """Return the plan that `text`, the parsed run/broker.json, describes."""
    servers = {
        model: ServerPlan(
            model=model,
            definition=entry["server"],
            served_name=str(entry.get("served_name") or model),
            placement=entry.get("placement") or {},
            ready_within=float((entry.get("readiness") or entry["server"].get("readiness") or {}).get("timeout", 600)),
            concurrency=int(entry.get("concurrency", 512)),
            outputs=tuple(entry.get("outputs") or ()),
        )
        for model, entry in text["servers"].items()
    }
    lease = float(text.get("lease_seconds", LEASE))
    return Plan(
        run=str(text["run"]),
        launcher=str(text.get("launcher", "local")),
        max_servers=int(text.get("max_servers", 1)),
        max_restarts=int(text.get("max_restarts", 3)),
        idle_seconds=float(text.get("idle_seconds", 5.0)),
        lease_seconds=lease,
        poll=min(float(text.get("poll", 0.5)), lease / 4),
        site=site(text.get("site") or {}),
        servers=servers,
    )
