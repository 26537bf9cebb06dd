"""What Snakemake's Slurm executor is told of its jobs, so that none counts as done or as running for ever unseen.

The executor takes UNKNOWN for success, waits without end for a job that was preempted for good or has vanished, and
forgets all its jobs when no question about them is answered, as while slurmctld is down. This rewrites the answers of
its status query, an internal of snakemake-executor-plugin-slurm 2.8 that a test guards.
"""

import importlib
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Any

from seedbed.core.errors import InputError
from seedbed.serving.launch.slurm import ask
from seedbed.workflow import internals

Answer = tuple[dict[str, str] | None, float | None]
DOUBTFUL = {"UNKNOWN", "PREEMPTED", "NODE_FAIL", "REVOKED", "LAUNCH_FAILED", "RECONFIG_FAIL"}
FIRST_LOOKS = 3  # with squeue, the executor wants MinJobAge to be this many times its first look, else it asks sacct
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
            known = states.get(job) or states.get(job.partition("_")[0])  # sacct may know an array only as a whole
            if (known or "UNKNOWN") not in DOUBTFUL:
                del self.seen[job]
                continue
            self.seen[job] += 1
            settled[job] = "FAILED" if self.seen[job] >= self.looks else "PENDING"
        return settled


def status_command(first_look: float) -> str:
    """Return which command knows the state of jobs here: sacct where Slurm keeps accounts, else squeue.

    Raises InputError where squeue forgets a job too soon for an executor that first looks after `first_look` seconds.
    """
    lines = (line.partition("=") for line in ask(["scontrol", "show", "config"]).stdout.splitlines())
    facts = {name.strip(): value.strip() for name, _, value in lines}
    kept = "slurmdbd" in facts.get("AccountingStorageType", "")
    if kept and ask(["sacct", "--noheader", "--jobs=0"]).returncode == 0:
        return "sacct"
    age = facts.get("MinJobAge", "").split(" ")[0]
    if age.isdigit() and int(age) < FIRST_LOOKS * first_look:
        raise InputError(
            f"slurm-init-seconds-before-status-checks: found {first_look:g}, expected at most "
            f"{int(age) / FIRST_LOOKS:g}: this Slurm keeps no accounts and forgets jobs {age} s after their end"
            " (MinJobAge)"
        )
    return "squeue"


def install(workflow: Any) -> None:
    """Choose the status command and put the doubts between Slurm and the executor of `workflow`."""
    plugin: Any = importlib.import_module("snakemake_executor_plugin_slurm")
    executor = internals.slurm_executor(workflow)
    settings = internals.executor_settings(workflow)
    settings.status_command = status_command(float(settings.init_seconds_before_status_checks))
    active: list[str] = []
    executor.check_active_jobs = paced(
        noted(executor.check_active_jobs, active),
        executor,
        internals.status_pause(workflow),
    )
    plugin.query_job_status = questioned(plugin.query_job_status, active)


def noted(check: Callable[[list[Any]], AsyncIterator[Any]], active: list[str]) -> Callable[..., AsyncIterator[Any]]:
    """Return the executor's `check` that notes in `active` the ids of the jobs it is asked about."""

    async def checked(jobs: list[Any]) -> AsyncIterator[Any]:
        active[:] = [job.external_jobid for job in jobs]
        async for job in check(jobs):
            yield job

    return checked


def paced(check: Callable[..., AsyncIterator[Any]], executor: Any, seconds: float) -> Callable[..., AsyncIterator[Any]]:
    """Return `check` followed by a pause of `seconds`: left alone, the executor looks ever more rarely, to 180 s."""

    async def checked(jobs: list[Any]) -> AsyncIterator[Any]:
        async for job in check(jobs):
            yield job
        executor.next_seconds_between_status_checks = seconds

    return checked


def questioned(query: Callable[..., Awaitable[Answer]], active: list[str]) -> Callable[..., Awaitable[Answer]]:
    """Return the status query `query` with its answer settled for the jobs in `active`; none at all settles nothing."""
    doubts = Doubts()

    async def settled(command: str, *arguments: Any, **named: Any) -> Answer:
        whole = command.replace("squeue ", "squeue --array ", 1)  # tasks of an array one by one, those that wait too
        states, seconds = await query(whole, *arguments, **named)
        return ({}, 0.0) if states is None else (doubts.settle(states, active), seconds)

    return settled
