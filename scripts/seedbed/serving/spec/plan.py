"""The plan of a run, run/broker.json: what the driver asks of the broker and of the servers it starts."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from seedbed.core.errors import InputError
from seedbed.serving.spec.server_file import Role, model_file, roles
from seedbed.serving.spec.site import Site, site

POLL = 0.5  # seconds between two looks of the broker
READY_WITHIN = 600.0  # seconds, where a server file does not say
LEASE = 120.0  # seconds, longer than the attribute cache of a network file system


@dataclass(frozen=True)
class ServerPlan:
    """One model's server: what runs, where, and when it counts as ready or as no longer wanted."""

    model: str
    definition: Mapping[str, Any]
    served_name: str
    resources: Mapping[str, Any]  # of its job, as the profile gives them to rule `server`
    concurrency: int
    outputs: tuple[str, ...]

    @property
    def ready_within(self) -> float:
        """Return the seconds from a start until the server must answer."""
        return float((self.definition.get("readiness") or {}).get("timeout", READY_WITHIN))

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
        return from_json(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: not a plan of servers: {type(error).__name__} {error}") from error


def to_json(plan: Plan) -> dict[str, Any]:
    """Return the content of run/broker.json."""
    return {
        **{key: getattr(plan, key) for key in ("run", "launcher", "max_servers", "max_restarts", "idle_seconds")},
        "lease_seconds": plan.lease_seconds,
        "poll": plan.poll,
        "site": asdict(plan.site),
        "servers": {
            model: {
                "server": dict(server.definition),
                "served_name": server.served_name,
                "resources": dict(server.resources),
                "concurrency": server.concurrency,
                "outputs": list(server.outputs),
            }
            for model, server in plan.servers.items()
        },
    }


def from_json(content: Mapping[str, Any]) -> Plan:
    """Return the plan that the content of run/broker.json describes; what is left out has its default."""
    servers = {
        model: ServerPlan(
            model=model,
            definition=entry["server"],
            served_name=str(entry.get("served_name") or model),
            resources=entry.get("resources") or {},
            concurrency=int(entry.get("concurrency", 512)),
            outputs=tuple(entry.get("outputs") or ()),
        )
        for model, entry in content["servers"].items()
    }
    lease = float(content.get("lease_seconds", LEASE))
    return Plan(
        run=str(content.get("run", "")),
        launcher=str(content.get("launcher", "local")),
        max_servers=int(content.get("max_servers", 1)),
        max_restarts=int(content.get("max_restarts", 3)),
        idle_seconds=float(content.get("idle_seconds", 5.0)),
        lease_seconds=lease,
        poll=min(float(content.get("poll", POLL)), lease / 4),
        site=site(content.get("site") or {}),
        servers=servers,
    )
