"""What Slurm's words are taken for: states, time left, jobs in doubt."""

import asyncio
import importlib
import inspect
import subprocess
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from seedbed.core.errors import InputError
from seedbed.serving.launch import slurm
from seedbed.serving.launch.allocation import seconds_left, step
from seedbed.serving.launch.launchers import Look
from seedbed.workflow import slurm_executor
from seedbed.workflow.slurm_executor import Doubts, noted, paced, questioned


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


def test_a_task_of_an_array_is_known_by_its_own_number_or_by_the_arrays() -> None:
    doubts = Doubts(looks=1)
    assert doubts.settle({"7": "PENDING"}, ["7_1", "7_2"]) == {"7": "PENDING"}
    assert doubts.settle({"7_1": "RUNNING"}, ["7_1", "7_2"]) == {"7_1": "RUNNING", "7_2": "FAILED"}


@pytest.mark.parametrize(
    ("config", "command"),
    [
        ("AccountingStorageType   = accounting_storage/slurmdbd\nMinJobAge = 2 sec", "sacct"),
        ("AccountingStorageType   = accounting_storage/none\nMinJobAge = 60 sec", "squeue"),
        ("", "squeue"),
    ],
)
def test_the_status_command_is_the_one_that_the_cluster_has(
    monkeypatch: pytest.MonkeyPatch, config: str, command: str
) -> None:
    monkeypatch.setattr(slurm_executor, "ask", lambda words: subprocess.CompletedProcess(words, 0, config, ""))
    assert slurm_executor.status_command(20) == command


def test_a_cluster_that_forgets_jobs_before_they_are_looked_at_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    config = "AccountingStorageType = accounting_storage/none\nMinJobAge = 59 sec"
    monkeypatch.setattr(slurm_executor, "ask", lambda words: subprocess.CompletedProcess(words, 0, config, ""))
    with pytest.raises(InputError, match=r"found 20, expected at most 19.6667: .* forgets jobs 59 s after their end"):
        slurm_executor.status_command(20)


def test_a_job_is_gone_only_when_it_was_missed_several_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slurm, "LOOK_EVERY", 0.0)
    launcher = slurm.SlurmLauncher.__new__(slurm.SlurmLauncher)
    launcher.looks, launcher.misses = {}, Counter()
    running, lost = slurm.read("RUNNING", "0:0", "None"), slurm.VANISHED
    seen: list[Look | None] = [running, lost, lost, None, lost, lost, lost]
    monkeypatch.setattr(slurm, "job", lambda _: seen.pop(0))
    looks = [launcher.look("7") for _ in range(7)]
    assert [look.phase for look in looks] == ["running"] * 6 + ["gone"]
    assert [look.reason for look in looks[1:4]] == ["not seen in the queue"] * 2 + ["slurmctld does not answer"]


def test_a_query_that_fails_says_nothing_of_any_job() -> None:
    async def silent(*_: Any) -> tuple[None, None]:
        return None, None

    async def lost(*_: Any) -> tuple[dict[str, str], float]:
        return {}, 0.1

    async def both() -> list[Any]:
        return [await questioned(silent, ["7"])("squeue"), await questioned(lost, ["7"])("squeue")]

    assert asyncio.run(both()) == [({}, 0.0), ({"7": "PENDING"}, 0.1)]  # None: the executor forgets its jobs


def test_the_executors_internals_that_are_wrapped_are_still_there() -> None:
    plugin: Any = importlib.import_module("snakemake_executor_plugin_slurm")
    assert inspect.iscoroutinefunction(plugin.query_job_status)
    assert "await query_job_status(" in inspect.getsource(plugin.Executor.check_active_jobs)
    assert hasattr(plugin.Executor, "check_active_jobs")
    assert "self.next_seconds_between_status_checks = " in inspect.getsource(plugin.Executor.check_active_jobs)
    assert hasattr(plugin.Executor, "next_seconds_between_status_checks")
    assert "status_command" in plugin.ExecutorSettings.__dataclass_fields__


def test_the_jobs_an_executor_asks_about_are_noted() -> None:
    class Info:
        external_jobid = "9"

    async def check(jobs: list[Any]) -> Any:
        for job in jobs:
            yield job

    async def all_of() -> list[Any]:
        return [job async for job in paced(noted(check, active), executor, 20)([Info()])]

    active: list[str] = []
    executor = SimpleNamespace(next_seconds_between_status_checks=180)
    assert len(asyncio.run(all_of())) == 1
    assert executor.next_seconds_between_status_checks == 20
    assert active == ["9"]


def test_a_step_beside_the_server_takes_none_of_its_gpus() -> None:
    assert step("7", "gb1", ["x"]) == [
        *("srun", "--overlap", "--jobid=7", "--nodelist=gb1", "--nodes=1", "--ntasks=1", "--cpus-per-task=1"),
        *("--gres=none", "--mem=0", "--export=ALL", "--job-name=seed", "x"),
    ]
    assert step("", "localhost", ["x"]) == ["x"]


LIMIT = (
    "sbatch: error: {} / sbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit "
    "limit, user's size and/or time limits)"
)


@pytest.mark.parametrize(
    ("reason", "endless"),
    [
        *((name, True) for name in ("PartitionTimeLimit", "PartitionNodeLimit", "JobHeldUser", "BadConstraints")),
        *((name, True) for name in ("QOSMaxWallDurationPerJobLimit", "AssocMaxNodePerJobLimit", "InvalidQOS")),
        *((name, False) for name in ("Priority", "Resources", "QOSMaxJobsPerUserLimit", "BeginTime", "PartitionDown")),
        *((name, False) for name in ("ReqNodeNotAvail", "QOSGrpNodeLimit", "AssocGrpCpuLimit", "Reservation", "None")),
    ],
)
def test_which_reasons_of_a_waiting_job_never_pass_by_themselves(reason: str, endless: bool) -> None:
    assert slurm.read("PENDING", "0:0", reason).endless == endless


def test_no_variable_of_the_shell_or_of_the_drivers_own_job_reaches_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SBATCH_PARTITION", "SQUEUE_FORMAT", "SRUN_CPUS_PER_TASK", "SLURM_JOB_ID", "SLURM_CONF", "SLURMER"):
        monkeypatch.setenv(name, "x")
    seen = dict(line.split("=", 1) for line in slurm.ask(["env"]).stdout.splitlines() if "=" in line)
    assert {name for name in seen if name.startswith(("S", "SLURM")) and seen[name] == "x"} == {"SLURM_CONF", "SLURMER"}


@pytest.mark.parametrize(
    ("said", "passing"),
    [
        ("sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)", True),
        ("sbatch: error: Slurm temporarily unable to accept job, sleeping and retrying", True),
        ("sbatch: error: Batch job submission failed: Required partition not available (inactive or drain)", True),
        ("sbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit limit)", True),
        ("sbatch: error: Batch job submission failed: Invalid account or account/partition combination", False),
        ("sbatch: error: invalid partition specified: gb999", False),
        *((LIMIT.format(name), True) for name in ("QOSMaxSubmitJobPerUserLimit", "AssocMaxSubmitJobLimit")),
        *((LIMIT.format(name), True) for name in ("AssocGrpSubmitJobsLimit", "QOSMaxJobsPerUserLimit")),
        *((LIMIT.format(name), False) for name in ("QOSMaxWallDurationPerJobLimit", "AssocMaxWallDurationPerJobLimit")),
        *(
            (LIMIT.format(name), False)
            for name in ("QOSMaxNodePerJobLimit", "QOSMaxGRESPerJob", "AssocMaxCpuPerJobLimit")
        ),
    ],
)
def test_which_refusals_pass_by_themselves(said: str, passing: bool) -> None:
    assert slurm.is_passing(said) == passing
