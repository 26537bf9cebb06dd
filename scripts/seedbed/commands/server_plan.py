"""Print the exact command of every role of a server on every node, without running anything."""

import argparse
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from seedbed.config.catalogue import load_server, located
from seedbed.core.errors import InputError
from seedbed.serving.broker.control import command_words, counted_ports
from seedbed.serving.node import role
from seedbed.serving.node.addresses import arrange
from seedbed.serving.node.role import Slot
from seedbed.serving.spec import plan as plans
from seedbed.serving.spec import site as sites
from seedbed.serving.spec.server_file import lengths


def slots(
    definition: Mapping[str, Any], model: str, nodes: Sequence[str], site: sites.Site, folder: Path = Path()
) -> list[Slot]:
    """Return the processes of a server on `nodes`: each reached by its name, at the next port not yet given out.

    A run is in `folder`.
    """
    plan = plans.from_json({"run": "plan", "servers": {model: {"server": definition}}})
    more = {**site.programs, "run_dir": f"{folder / 'run' / model}"}
    more["scratch"] = f"{more['run_dir']}/scratch-1"
    more["python"] = site.python or "python"
    found = arrange(plan.servers[model], list(nodes), {node: node for node in nodes}, counted_ports())
    return [Slot(one.role, one.index, one.rank, one.node, {**one.values, **more}) for one in found]


def plan(
    definition: Mapping[str, Any],
    model: str,
    nodes: Sequence[str],
    site: sites.Site,
    pyxis: bool,
    folder: Path = Path(),
) -> str:
    """Return the plan as text: for each process its node, its own variables, and its command, one word a line."""
    parts = []
    for slot in slots(definition, model, nodes, site, folder):
        local = nodes == ["localhost"]
        words = role.local_command(slot) if local else role.slurm_command(slot, "JOB", site, pyxis)
        command_words(slot)
        own = role.fill(slot.role.environment.values(), slot.values, f"role {slot.role.name}: environment")
        bare = f", bare, for want of pyxis: image {slot.role.container}" if slot.role.container and not pyxis else ""
        lines = [f"# {slot.label} on {slot.node}{bare}"]
        lines += [f"{name}={shlex.quote(value)} \\" for name, value in zip(slot.role.environment, own, strict=True)]
        lines += [f"{name}=$SECRET \\" for name in slot.role.secrets]
        parts.append("\n".join([*lines, " \\\n    ".join(shlex.quote(word) for word in words)]))
    return "\n\n".join(parts) + "\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Print the plan of the server that the command line names; returns 0."""
    parser = argparse.ArgumentParser(prog="server_plan", description=__doc__)
    parser.add_argument("server", help="a name in config/servers, or a path to such a file")
    parser.add_argument("--nodes", default="localhost", help="their names, with commas; localhost: without Slurm")
    parser.add_argument("--model", default="m", help="the model's name in the configuration")
    parser.add_argument("--site", type=Path, help="images, mounts, programs; by default the site's own file")
    parser.add_argument("--pyxis", choices=["yes", "no"], help="as if srun had pyxis or not; by default as it is here")
    arguments = parser.parse_args(argv)
    name, path = located("servers", arguments.server, [Path()])
    definition = load_server(path)
    site = sites.site(sites.read_site(arguments.site))
    pyxis = sites.has_pyxis(site) if arguments.pyxis is None else arguments.pyxis == "yes"
    nodes = [node for node in arguments.nodes.split(",") if node]
    if not nodes or len(set(nodes)) < len(nodes):
        raise InputError(f"--nodes: found {arguments.nodes!r}; expected names of nodes, each once, with commas")
    known = ", ".join(f"{key} {value}" for key, value in lengths(definition).items())
    text = plan(definition, arguments.model, nodes, site, pyxis, Path.cwd())
    print(f"# {name}: {known or 'no context length in its file'}\n\n{text}", end="")
    return 0
