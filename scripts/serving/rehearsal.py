"""A look at every process of a run before any is started: what is wrong is told now, not when the nodes are had."""

import itertools
import os
from collections.abc import Callable, Mapping

from scripts.errors import InputError
from scripts.serving import commands, sites
from scripts.serving.commands import Slot
from scripts.serving.definitions import Role
from scripts.serving.placing import arrange
from scripts.serving.plans import Plan, ServerPlan

FIRST_PORT = 20000


def rehearse(plan: Plan, inherited: Mapping[str, str] = os.environ) -> None:
    """Raise InputError, naming model, role and key, where a server of the run could not be started as its file says.

    A server that no job of the run waits for is not looked at.
    """
    for server in (one for one in plan.servers.values() if one.outputs):
        try:
            _rehearse(plan, server, inherited)
        except InputError as error:
            named = f"server of {server.model}: "
            raise InputError(f"{named}{str(error).removeprefix(named)}") from None


def _rehearse(plan: Plan, server: ServerPlan, inherited: Mapping[str, str]) -> None:
    """Raise InputError where one server could not be started as its file says."""
    slurm = plan.launcher == "slurm"
    pyxis = slurm and any(role.container for role in server.roles) and sites.has_pyxis(plan.site)
    nodes = names(server) if slurm else ["localhost"]
    more = {**plan.site.programs, "scratch": "scratch"}
    secrets = [name for role in server.roles for name in role.secrets]
    for slot in arrange(server, nodes, {node: node for node in nodes}, counting(), more):
        commands.environment(slot, inherited, secrets, {})
        spoken(slot)
        if slurm:
            commands.slurm_command(slot, "JOB", plan.site, pyxis)


def spoken(slot: Slot) -> list[str]:
    """Return the words of a process and of the question for its version; raises InputError for unknown placeholders."""
    version = commands.fill(slot.role.version, slot.values, f"role {slot.role.name}: version")
    return [*commands.local_command(slot), *version]


def names(server: ServerPlan) -> list[str]:
    """Return a name for each node of a placement; as many as are needed where `slurm_extra` may say how many."""
    needed = sum(role.count * role.nodes for role in server.roles if role.gpus)
    told = server.placement.get("nodes") or (needed if server.placement.get("slurm_extra") else 1)
    return [f"node{number + 1}" for number in range(max(1, int(told)))]


def counting() -> Callable[[Role, str, bool], int]:
    """Return what gives out ports without looking at any machine: the fixed one of a role, else the host's next."""
    given: dict[str, itertools.count[int]] = {}

    def port(role: Role, host: str, _: bool) -> int:
        number = next(given.setdefault(host, itertools.count(FIRST_PORT)))
        return role.port or number

    return port
