"""The steps of a run: their order, and what is started when one of them fails."""

from pathlib import Path
from typing import Any

import pytest

from seedbed.core.errors import InputError
from seedbed.workflow import internals, run
from seedbed.workflow.internals import PlannedJob
from seedbed.workflow.run import Run, RunPlan

STEPS = ["lock", "check", "write", "start", "stop", "release"]


def job(rule: str, needed: bool = True, outputs: tuple[str, ...] = (), **wildcards: str) -> PlannedJob:
    """Return a job of the model m on the benchmark b."""
    return PlannedJob(rule, {"model": "m", "benchmark": "b", **wildcards}, outputs, {"nodes": 2}, needed)


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list of the steps taken; none of them does anything."""
    steps: list[str] = []

    def step(name: str) -> Any:
        return lambda self: steps.append(name)

    def summarise(succeeded: bool) -> int:
        steps.append(f"summarise {succeeded}")
        return 0

    for name in STEPS:
        monkeypatch.setattr(Run, name, step(name))
    monkeypatch.setattr(run, "summarise", summarise)
    monkeypatch.setattr(internals, "is_driver", lambda workflow: workflow == "driver")
    monkeypatch.setattr(internals, "check_rules", lambda workflow, names: None)
    monkeypatch.setattr(internals, "planned_jobs", lambda workflow: [job("generate", outputs=("x",))])
    return steps


def made(workflow: str = "driver") -> Run:
    """Return a run of a stand-in for a workflow."""
    settings: Any = None
    return Run(workflow, settings)


def test_a_run_takes_its_steps_in_their_order(taken: list[str]) -> None:
    one = made()
    one.begin()
    assert taken == ["lock", "check", "write", "start"]
    assert one.plan.outputs == {"m": ["x"]}
    one.end(succeeded=True)
    one.end(succeeded=True)
    assert taken == ["lock", "check", "write", "start", "stop", "summarise True"]


def test_a_failed_check_starts_nothing_and_gives_the_lock_back(
    taken: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def check(self: Run) -> None:
        taken.append("check")
        raise InputError("own.yaml, line 3: never matches")

    monkeypatch.setattr(Run, "check", check)
    one = made()
    with pytest.raises(InputError, match=r"own\.yaml, line 3"):
        one.begin()
    one.end(succeeded=False)
    assert taken == ["lock", "check", "write", "release", "summarise False"]


def test_a_process_that_runs_no_jobs_takes_no_step(taken: list[str]) -> None:
    one = made("a job's own Snakemake")
    one.begin()
    one.end(succeeded=True)
    assert taken == []


def test_two_runs_share_nothing(taken: list[str]) -> None:
    one, other = made(), made()
    one.begin()
    other.end(succeeded=True)
    assert taken == ["lock", "check", "write", "start"]
    assert (one.plan.generated, other.plan.generated) == (1, 0)


def test_the_plan_is_read_from_the_jobs_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    plan = RunPlan.of(
        [
            job("server", needed=False),
            job("generate", outputs=("rs42",), seed="42"),
            job("generate", needed=False, outputs=("rs43",), seed="43"),
            job("score", needed=False),
            job("rescore", scorer="regex"),
            job("gate"),
        ]
    )
    assert plan.scorers == {("m", "b"): {"strict", "regex"}}
    assert (plan.outputs, plan.generated) == ({"m": ["rs42"]}, 1)
    assert plan.resources == {"m": {"nodes": 2}}
    assert (plan.rescores, plan.gated) == (True, True)
    assert list(tmp_path.iterdir()) == []
