"""The batch script of a server's job, rendered afresh from the resources that the profile gives rule `server`."""

import re
import shlex
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from seedbed.core.environment import ROOT, SOURCES
from seedbed.core.errors import InputError
from seedbed.serving.spec.plan import Plan, ServerPlan

PREFIX = "seedbed-"
CHECK = (  # nodes with GPUs may have another processor than the submit host, or another system
    'if ! "$python" -c "import sys; sys.exit(sys.version_info < (3, 11))"; then',
    '    echo "error: $python does not run on $(uname -nm) as Python 3.11 or newer;'
    " expected one that does as 'python:' of config/site.yaml, see docs/gb200.md\"",
    "    exit 1",
    "fi",
)
# resource of rule `server` → flag of sbatch; the names are those of Snakemake's Slurm executor
FLAGS = {
    "slurm_partition": "partition",
    "slurm_account": "account",
    "nodes": "nodes",
    "gres": "gres",
    "runtime": "time",
    "qos": "qos",
    "constraint": "constraint",
    "reservation": "reservation",
    "mem_mb": "mem",
    "mem_mb_per_cpu": "mem-per-cpu",
    "cpus_per_task": "cpus-per-task",
    "tasks_per_node": "ntasks-per-node",
}
ELSEWHERE = ("cluster", "clusters", "slurm_cluster")  # resources by which Snakemake's executor submits elsewhere


def job_name(model: str, run: str, attempt: int) -> str:
    """Return the name of a server's job: what `squeue` shows, and unique to the attempt."""
    return f"{PREFIX}{model}-{run[:8]}-{attempt}"


def check(requests: Iterable[Mapping[str, Any]]) -> None:
    """Raise InputError where no batch script could be made for some of these resources, or none in this folder."""
    for resources in requests:
        options(resources)
    if "%" in str(Path.cwd()):
        raise InputError(f"{Path.cwd()}: Slurm replaces % and what follows in paths of logs; expected a folder without")


def options(resources: Mapping[str, Any]) -> list[str]:
    """Return sbatch's flags for a server's job, `slurm_extra` split as a shell would; InputError names the key."""
    words = []
    for name in ELSEWHERE:
        if resources.get(name):
            raise InputError(
                f"resources of server: {name}: found {resources[name]!r}; expected none, the cluster is this host's"
            )
    for resource, flag in FLAGS.items():
        value = resources.get(resource)
        if value in (None, "") or (value == 0 and resource != "mem_mb"):  # --mem=0: all the memory of a node
            continue
        text = str(value)
        if text != text.strip() or not re.fullmatch(r"[\w.:,@%+/=\-\[\]&|*() ]+", text):
            raise InputError(f"resources of server: {resource}: found {text!r}, not a value that sbatch takes")
        words.append(f"--{flag}={text}")
    if not re.fullmatch(r"[1-9]\d*", str(nodes := resources.get("nodes") or 1)):
        raise InputError(f"resources of server: nodes: found {nodes!r}; expected a number of nodes")
    extra = str(resources.get("slurm_extra") or "")
    try:
        return words + shlex.split(extra)
    except ValueError as error:
        raise InputError(
            f"resources of server: slurm_extra: found {extra!r} ({error}); expected flags as in a shell"
        ) from None


def script(plan: Plan, server: ServerPlan, plan_file: Path, attempt: int, log: Path) -> str:
    """Return the batch script of one attempt. It is never requeued: the broker submits the next attempt itself."""
    flags = [
        *options(server.resources),  # first: what this run relies on cannot be overridden
        f"--job-name={job_name(server.model, plan.run, attempt)}",
        f"--comment=server_{server.model}",
        f"--chdir={Path.cwd()}",
        f"--output={log}",  # from the working directory: in a path sbatch takes %j and the like for its own
        "--open-mode=append",
        "--no-requeue",
    ]
    words = ["-m", "seedbed.serving.node.supervisor", "--plan", str(plan_file.absolute())]
    words += ["--model", server.model, "--attempt", str(attempt)]
    lines = ["#!/bin/sh", *(f"#SBATCH {shlex.quote(flag)}" for flag in flags), f"python={interpreter(plan)}"]
    lines += [
        f"export PYTHONPATH={shlex.quote(str(SOURCES))} PYTHONSAFEPATH=1",
        *CHECK,
        f'exec "$python" {shlex.join(words)}',
    ]
    return "\n".join(lines) + "\n"


def interpreter(plan: Plan) -> str:
    """Return, as sh reads it, the Python of the server's nodes: the site's, `{machine}` what `uname -m` says there."""
    named = plan.site.python or sys.executable
    path = str(ROOT / named) if "/" in named else named
    return shlex.quote(path).replace("{machine}", "'\"$(uname -m)\"'")
