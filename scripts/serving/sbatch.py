"""The batch script of a server's job, rendered afresh from the placement that the profile gives rule `server`."""

import re
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scripts.errors import InputError
from scripts.serving.plans import Plan, ServerPlan

ROOT = Path(__file__).resolve().parents[2]
PREFIX = "seedbed-"
# resource of rule `server` → flag of sbatch; the names are those of Snakemake's Slurm executor
FLAGS = {
    "slurm_partition": "partition",
    "slurm_account": "account",
    "nodes": "nodes",
    "gres": "gres",
    "runtime": "time",
    "qos": "qos",
    "constraint": "constraint",
    "clusters": "clusters",
    "reservation": "reservation",
    "mem_mb": "mem",
    "mem_mb_per_cpu": "mem-per-cpu",
    "cpus_per_task": "cpus-per-task",
    "tasks_per_node": "ntasks-per-node",
}


def job_name(model: str, run: str, attempt: int) -> str:
    """Return the name of a server's job: what `squeue` shows, and unique to the attempt."""
    return f"{PREFIX}{model}-{run[:8]}-{attempt}"


def options(placement: Mapping[str, Any]) -> list[str]:
    """Return sbatch's flags for a placement; `slurm_extra` is split as a shell would, the rest left out."""
    words = []
    for resource, flag in FLAGS.items():
        value = placement.get(resource)
        if value in (None, "") or (value == 0 and resource != "mem_mb"):  # --mem=0: all the memory of a node
            continue
        text = str(value)
        if not re.fullmatch(r"[\w.:,@%+/=\-\[\]&|*() ]+", text):
            raise InputError(f"placement of server: {resource}: found {text!r}, not a value that sbatch takes")
        words.append(f"--{flag}={text}")
    return words + shlex.split(str(placement.get("slurm_extra") or ""))


def script(plan: Plan, server: ServerPlan, plan_file: Path, attempt: int, log: Path) -> str:
    """Return the batch script of one attempt. It is never requeued: the broker submits the next attempt itself."""
    flags = [
        f"--job-name={job_name(server.model, plan.run, attempt)}",
        f"--comment=server_{server.model}",
        f"--chdir={Path.cwd()}",
        f"--output={log.absolute()}",
        "--open-mode=append",
        "--no-requeue",
        *options(server.placement),
    ]
    words = [sys.executable, "-m", "scripts.serving.supervisor", "--plan", str(plan_file.absolute())]
    words += ["--model", server.model, "--attempt", str(attempt)]
    lines = ["#!/bin/sh", *(f"#SBATCH {shlex.quote(flag)}" for flag in flags)]
    lines += [f"export PYTHONPATH={shlex.quote(str(ROOT))} PYTHONSAFEPATH=1", f"exec {shlex.join(words)}"]
    return "\n".join(lines) + "\n"
