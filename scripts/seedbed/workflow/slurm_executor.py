"""Correct the job states that Snakemake's Slurm executor gets, so that lost jobs fail instead of succeeding or hanging.

The executor takes UNKNOWN for success, waits for ever for a preempted job that is not requeued or a job that Slurm has
forgotten, and drops all its jobs when a status query fails, as while slurmctld is down. This module wraps the status
query, an internal of snakemake-executor-plugin-slurm 2.8 that a test guards.
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
LOOKS = 4  # after so many looks in a row in a doubtful state, or missing, a job counts as failed


class Doubts:
    """Counts, for each job, how often in a row it was in a state that Slurm may still change."""

    def __init__(self, looks: int = LOOKS) -> None:
        """Count a job as failed after `looks` looks in a row."""
        self.looks = looks
        self.seen: Counter[str] = Counter()

    def settle(self, states: dict[str, str], active: Iterable[str]) -> dict[str, str]:
        """Return `states` with every doubt resolved: PENDING while Slurm may requeue the job, FAILED after that."""
        settled = dict(states)
        for job in active:
            known = states.get(job) or states.get(job.partition("_")[0])  # sacct may list an array as one job
            if (known or "UNKNOWN") not in DOUBTFUL:
                del self.seen[job]
                continue
            self.seen[job] += 1
            settled[job] = "FAILED" if self.seen[job] >= self.looks else "PENDING"
        return settled


def status_command(first_look: float) -> str:
    """Return the command for the state of jobs: sacct where Slurm has accounting, else squeue.

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
    """Choose the status command of the executor of `workflow`, and wrap its status query and its looks at jobs."""
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
    """Return the status query `query` with the states of the jobs in `active` settled; a failed query changes none."""
    doubts = Doubts()

    async def settled(command: str, *arguments: Any, **named: Any) -> Answer:
        command = command.replace("squeue ", "squeue --array ", 1)  # one line per task, also of pending ones
        states, seconds = await query(command, *arguments, **named)
        return ({}, 0.0) if states is None else (doubts.settle(states, active), seconds)

    return settled
