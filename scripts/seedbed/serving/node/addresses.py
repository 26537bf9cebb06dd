"""Which process of a server runs on which node, at which address and port."""

import ipaddress
import os
import random
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from seedbed.core.errors import InputError
from seedbed.serving.node.role import Slot, last_reason
from seedbed.serving.spec.plan import Plan, ServerPlan
from seedbed.serving.spec.server_file import Role
from seedbed.serving.spec.site import PROGRAMS

TRIES = 100  # draws of a port that no other role has
ADDRESS_SECONDS = 120.0  # how long the step that asks every node for its address may take
REMOTE_PORTS = range(20000, 30000)  # below the usual ephemeral range; a clash ends the attempt and the next one redraws


def place(server: ServerPlan, plan: Plan, scratch: Path) -> list[Slot]:
    """Return every process of `server` with its node and its placeholders; raises InputError if the nodes are too few.

    Roles with GPUs get nodes of their own in the order of the server file, roles without share the first node.
    `scratch` is the folder of this attempt.
    """
    more = {**plan.site.programs, "scratch": str(scratch.absolute())}
    if plan.launcher == "local":
        return arrange(server, ["localhost"], {"localhost": "127.0.0.1"}, more=more)
    nodes = allocated_nodes()
    return arrange(server, nodes, addresses(nodes, plan.site.network), more=more)


def port(role: Role, host: str, local: bool) -> int:
    """Return the port a role listens on: the one its file fixes, or a free one; raises InputError if that is taken."""
    if not local:
        return role.port or random.choice(REMOTE_PORTS)
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, role.port or 0))
        except OSError as error:
            raise InputError(f"role {role.name}: port {role.port or 0} on {host}: {error.strerror}") from error
        return int(probe.getsockname()[1])


def arrange(
    server: ServerPlan,
    nodes: list[str],
    address: Mapping[str, str],
    free: Callable[[Role, str, bool], int] = port,
    more: Mapping[str, str] = MappingProxyType({}),
) -> list[Slot]:
    """Return the processes of `server` on `nodes` at their addresses; `free` finds ports, `more` are placeholders."""
    shared = nodes == ["localhost"]
    needed = sum(role.count * role.nodes for role in server.roles if role.gpus)
    if not shared and needed > len(nodes):
        raise InputError(f"server of {server.model}: its roles need {needed} nodes, its job has {len(nodes)}")
    slots: list[Slot] = []
    used, here = 0, Path.cwd()
    given: set[tuple[str, int]] = set()

    def own_port(role: Role, node: str) -> int:
        """Return a port that no other process of this server has on the node."""
        for _ in range(TRIES):
            found = free(role, address[node], node == nodes[0])
            if (node, found) not in given:
                given.add((node, found))
                return found
        raise InputError(f"role {role.name}: port {found} on {node} is taken by another role; expected one of its own")

    for role in server.roles:
        for index in range(role.count):
            wanted = role.nodes if role.gpus and not shared else 1
            own = nodes[used : used + wanted] if role.gpus and not shared else nodes[:1]
            used += wanted if role.gpus and not shared else 0
            meeting = own_port(replace(role, port=None), own[0])
            for rank, node in enumerate(own):
                host = address[node]
                values = {
                    "scratch": str(here / "run" / server.model / "scratch"),
                    **PROGRAMS,
                    **more,
                    "host": host,
                    "port": str(own_port(role, node)),
                    "master": address[own[0]],
                    "master_port": str(meeting),
                    "node_rank": str(rank),
                    "index": str(index),
                    "nodes": str(len(own)),
                    "model_path": server.model_path,
                    "served_name": server.served_name,
                    "python": sys.executable,
                    "run_dir": str(here / "run" / server.model),
                }
                slots.append(Slot(role, index, rank, node, values))
    labels = [slot.label for slot in slots]
    if twice := [label for label in labels if labels.count(label) > 1]:
        raise InputError(f"server of {server.model}: two of its processes are called {twice[0]}; expected other names")
    return slots


def allocated_nodes() -> list[str]:
    """Return the names of the nodes of the Slurm allocation this process runs in, in Slurm's order."""
    packed = os.environ["SLURM_JOB_NODELIST"]
    done = subprocess.run(["scontrol", "show", "hostnames", packed], capture_output=True, text=True, check=True)
    return done.stdout.split()


def addresses(nodes: list[str], network: str | None = None) -> dict[str, str]:
    """Return the IP address of each node: on the site's `network`, else the one on its route to the other nodes.

    Where Slurm itself knows every node by an IP address (NodeAddr) and the site names no network, it is that one. By
    default NodeAddr is a name, and engines take IP addresses only: then each node is asked, by one step on all of them.
    Raises InputError with the reason of the nodes that have none.
    """
    known = {node: _node_address(node) for node in nodes}
    if network is None and all(map(_is_address, known.values())):
        return known
    peers = [*known.values(), *filter(None, [os.environ.get("SLURM_SUBMIT_HOST")])]
    words = ["srun", "--overlap", f"--jobid={os.environ['SLURM_JOB_ID']}", f"--nodelist={','.join(nodes)}"]
    words += [f"--nodes={len(nodes)}", f"--ntasks={len(nodes)}", "--ntasks-per-node=1"]
    words += ["--export=ALL", "--job-name=addresses"]
    words += [sys.executable, "-m", "seedbed.serving.node.own_address"]
    words += [*(["--network", network] if network else []), *peers]
    done = subprocess.run(words, capture_output=True, text=True, timeout=ADDRESS_SECONDS)
    found = dict(line.split() for line in done.stdout.splitlines() if len(line.split()) == 2)
    if done.returncode or set(found) != set(nodes):
        errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
        why = "; ".join(dict.fromkeys(errors)) or last_reason(done.stderr.splitlines())
        raise InputError(f"addresses of {', '.join(nodes)}: {why.replace('error: ', '')}")
    return found


def _node_address(node: str) -> str:
    """Return what Slurm reaches a node by (NodeAddr), the node's name where it does not say."""
    done = subprocess.run(["scontrol", "--oneliner", "show", "node", node], capture_output=True, text=True)
    facts = dict(word.split("=", 1) for word in done.stdout.split() if "=" in word)
    return facts.get("NodeAddr", node)


def _is_address(text: str) -> bool:
    """Return whether a text is an IP address, not a name."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
