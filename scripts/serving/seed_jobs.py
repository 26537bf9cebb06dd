"""What Snakemake's Slurm executor is told of its jobs, so that none counts as done or as running for ever unseen.

The executor takes UNKNOWN for success and waits without end for a job that was preempted for good or has vanished.
This rewrites the answers of its status query, an internal of snakemake-executor-plugin-slurm 2.8 that a test guards.
"""

import importlib
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Any

from scripts.serving.slurm import ask

Answer = tuple[dict[str, str] | None, float | None]
DOUBTFUL = {"UNKNOWN", "PREEMPTED", "NODE_FAIL", "REVOKED", "LAUNCH_FAILED", "RECONFIG_FAIL"}
LOOKS = 4  # so often in a row must a job be seen in doubt, or not at all, before it counts as failed


class Doubts:
    """How often in a row each job was seen in a state that Slurm may still mend."""

    def __init__(self, looks: int = LOOKS) -> None:
        """Give a job `looks` looks."""
        self.looks = looks
        self.seen: Counter[str] = Counter()

    def settle(self, states: dict[str, str], active: Iterable[str]) -> dict[str, str]:
        """Return `states` with every doubt resolved: PENDING while Slurm may requeue the job, FAILED after that."""
        settled = dict(states)
        for job in active:
            if states.get(job, "UNKNOWN") not in DOUBTFUL:
                del self.seen[job]
                continue
            self.seen[job] += 1
            settled[job] = "FAILED" if self.seen[job] >= self.looks else "PENDING"
        return settled


def status_command() -> str:
    """Return which command knows the state of jobs here: sacct where Slurm keeps accounts, else squeue."""
    told = ask(["scontrol", "show", "config"]).stdout
    kept = any(line.startswith("AccountingStorageType") and "slurmdbd" in line for line in told.splitlines())
    return "sacct" if kept and ask(["sacct", "--noheader", "--jobs=0"]).returncode == 0 else "squeue"


def install(workflow: Any) -> None:
    """Choose the status command and put the doubts between Slurm and the executor of `workflow`."""
    plugin: Any = importlib.import_module("snakemake_executor_plugin_slurm")
    executor = workflow.scheduler._executor
    workflow.executor_settings.status_command = status_command()
    active: list[str] = []
    executor.check_active_jobs = noted(executor.check_active_jobs, active)
    plugin.query_job_status = questioned(plugin.query_job_status, active)


def noted(check: Callable[[list[Any]], AsyncIterator[Any]], active: list[str]) -> Callable[..., AsyncIterator[Any]]:
    """Return the executor's `check` that notes in `active` the ids of the jobs it is asked about."""

    async def checked(jobs: list[Any]) -> AsyncIterator[Any]:
        active[:] = [job.external_jobid for job in jobs]
        async for job in check(jobs):
            yield job

    return checked


def questioned(query: Callable[..., Awaitable[Answer]], active: list[str]) -> Callable[..., Awaitable[Answer]]:
    """Return the status query `query` with its answer settled for the jobs in `active`."""
    doubts = Doubts()

    async def settled(*arguments: Any, **named: Any) -> Answer:
        states, seconds = await query(*arguments, **named)
        return (None if states is None else doubts.settle(states, active)), seconds

    return settled
