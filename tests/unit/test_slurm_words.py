"""What Slurm's words are taken for: states, time left, jobs in doubt."""

import asyncio
import importlib
import inspect
from typing import Any

import pytest

from scripts.serving import slurm
from scripts.serving.inside import step
from scripts.serving.patience import seconds_left
from scripts.serving.seed_jobs import Doubts, noted, questioned


@pytest.mark.parametrize(
    ("state", "phase", "blameless"),
    [
        ("PENDING", "pending", False),
        ("REQUEUED", "pending", False),
        ("CONFIGURING", "running", False),
        ("RUNNING", "running", False),
        ("COMPLETING", "running", False),
        ("COMPLETED", "gone", False),
        ("FAILED", "gone", False),
        ("OUT_OF_MEMORY", "gone", False),
        ("CANCELLED", "gone", True),
        ("TIMEOUT", "gone", True),
        ("NODE_FAIL", "gone", True),
        ("PREEMPTED", "gone", True),
    ],
)
def test_every_state_is_pending_running_or_gone(state: str, phase: str, blameless: bool) -> None:
    look = slurm.read(state, "1:0", "None")
    assert (look.phase, look.blameless) == (phase, blameless)


def test_state_and_exit_code_are_both_told() -> None:
    assert slurm.read("FAILED", "3:0", "NonZeroExitCode").reason == "exit code 3:0, NonZeroExitCode"
    assert slurm.read("PENDING", "0:0", "Resources").reason == "Resources"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("59:30", 3570.0), ("1:00:00", 3600.0), ("1-02:00:00", 93600.0), ("UNLIMITED", None), ("", None), ("0:45", 45.0)],
)
def test_the_time_left_to_a_job(text: str, seconds: float | None) -> None:
    assert seconds_left(text) == seconds


@pytest.mark.parametrize("state", ["UNKNOWN", "PREEMPTED", "NODE_FAIL", None])
def test_a_job_in_doubt_waits_a_while_and_then_has_failed_never_succeeded(state: str | None) -> None:
    doubts = Doubts(looks=3)
    states = {} if state is None else {"7": state}
    assert [doubts.settle(states, ["7"])["7"] for _ in range(3)] == ["PENDING", "PENDING", "FAILED"]


def test_a_job_that_slurm_mends_is_in_doubt_no_more() -> None:
    doubts = Doubts(looks=2)
    assert doubts.settle({"7": "PREEMPTED"}, ["7"])["7"] == "PENDING"
    assert doubts.settle({"7": "RUNNING"}, ["7"])["7"] == "RUNNING"
    assert doubts.settle({"7": "PREEMPTED"}, ["7"])["7"] == "PENDING"
    assert doubts.settle({"7": "COMPLETED", "8": "FAILED"}, ["7"]) == {"7": "COMPLETED", "8": "FAILED"}


def test_a_query_that_fails_says_nothing_of_any_job() -> None:
    async def silent(*_: Any) -> tuple[None, None]:
        return None, None

    async def lost(*_: Any) -> tuple[dict[str, str], float]:
        return {}, 0.1

    async def both() -> list[Any]:
        return [await questioned(silent, ["7"])("squeue"), await questioned(lost, ["7"])("squeue")]

    assert asyncio.run(both()) == [(None, None), ({"7": "PENDING"}, 0.1)]


def test_the_executors_internals_that_are_wrapped_are_still_there() -> None:
    plugin: Any = importlib.import_module("snakemake_executor_plugin_slurm")
    assert inspect.iscoroutinefunction(plugin.query_job_status)
    assert "await query_job_status(" in inspect.getsource(plugin.Executor.check_active_jobs)
    assert hasattr(plugin.Executor, "check_active_jobs")
    assert "status_command" in plugin.ExecutorSettings.__dataclass_fields__


def test_the_jobs_an_executor_asks_about_are_noted() -> None:
    class Info:
        external_jobid = "9"

    async def check(jobs: list[Any]) -> Any:
        for job in jobs:
            yield job

    async def all_of() -> list[Any]:
        return [job async for job in noted(check, active)([Info()])]

    active: list[str] = []
    assert len(asyncio.run(all_of())) == 1
    assert active == ["9"]


def test_a_step_beside_the_server_takes_none_of_its_gpus() -> None:
    assert step("7", "gb1", ["x"]) == [
        *("srun", "--overlap", "--jobid=7", "--nodelist=gb1", "--nodes=1", "--ntasks=1", "--cpus-per-task=1"),
        *("--gres=none", "--mem=0", "--export=ALL", "--job-name=seed", "x"),
    ]
    assert step("", "localhost", ["x"]) == ["x"]


@pytest.mark.parametrize(
    ("said", "passing"),
    [
        ("sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)", True),
        ("sbatch: error: Slurm temporarily unable to accept job, sleeping and retrying", True),
        ("sbatch: error: Batch job submission failed: Required partition not available (inactive or drain)", True),
        ("sbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit limit)", True),
        ("sbatch: error: Batch job submission failed: Invalid account or account/partition combination", False),
        ("sbatch: error: invalid partition specified: gb999", False),
    ],
)
def test_which_refusals_pass_by_themselves(said: str, passing: bool) -> None:
    assert any(word in said.lower() for word in slurm.PASSING) == passing
