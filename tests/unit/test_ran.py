"""What really ran as a model's server: the record beside its results, and that no secret is in it."""

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from seedbed.core import files
from seedbed.serving.broker.control import counted_ports
from seedbed.serving.node.addresses import arrange
from seedbed.serving.node.role import RoleProcess
from seedbed.serving.node.server_versions import Ran
from seedbed.serving.spec import plan as plans

SECRET = "plain-word-of-a-hub"
KEY = "key-of-this-run"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory in which a run has a key."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HUB", SECRET)
    files.write_secret(_made(tmp_path / "run" / "m") / "key", KEY)
    return tmp_path


def _made(folder: Path) -> Path:
    """Return a folder once it is there."""
    folder.mkdir(parents=True)
    return folder


def plan_of(command: list[str], run: str = "r", **role: Any) -> plans.Plan:
    """Return the plan of a server of one role."""
    definition = {
        "kind": "roles",
        "engine": "e 1.0",
        "model": {"name": "x"},
        "roles": [{"name": "w", "gpus": 4, "command": command, **role}],
    }
    return plans.from_json(
        {"run": run, "site": {"containers": {"c": "/c.sqsh"}}, "servers": {"m": {"server": definition}}}
    )


@pytest.fixture
def started(folder: Path) -> Iterator[list[RoleProcess]]:
    """A list of processes that are ended after the test."""
    found: list[RoleProcess] = []
    yield found
    for process in found:
        process.process.kill()
        process.process.wait()


def start(plan: plans.Plan, started: list[RoleProcess]) -> RoleProcess:
    """Start the role of a plan as attempt 1."""
    (slot,) = arrange(plan.servers["m"], ["localhost"], {"localhost": "127.0.0.1"}, counted_ports())
    started.append(RoleProcess.start(slot, plan, plan.servers["m"], 1))
    return started[-1]


def record() -> dict[str, Any]:
    """Return the record of `m`."""
    found: dict[str, Any] = json.loads(Path("results/m/server_runs.json").read_text())
    return found


def test_a_process_is_told_with_its_place_image_variables_and_words(started: list[RoleProcess]) -> None:
    plan = plan_of([sys.executable, "-c", "pass", "{port}"], container="c", environment={"THINK": "1"})
    ran = Ran(plan, plan.servers["m"], 1)
    ran.launched(start(plan, started))
    ran.told(state="ready", ready=5.0)
    found = record()
    assert (found["run"], found["model"], found["served_name"], found["engine"]) == ("r", "m", "m", "e 1.0")
    (attempt,) = found["attempts"]
    assert (attempt["gpus"], attempt["state"], attempt["ready"]) == (4, "ready", 5.0)
    (process,) = attempt["processes"]
    assert (process["role"], process["node"], process["gpus"]) == ("w", "localhost", 4)
    assert (process["container"], process["image"], process["environment"]) == ("c", "/c.sqsh", {"THINK": "1"})
    assert process["command"][-1] == "20001"


def test_gpu_hours_are_gpus_times_hours_of_all_attempts_and_one_without_an_end_counts_while_it_was_seen(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr("seedbed.serving.node.server_versions.time.time", lambda: now[0])
    plan = plan_of(["x"])
    for attempt, hours in ((1, 0.5), (2, 0.25)):
        ran = Ran(plan, plan.servers["m"], attempt)
        ran.entry["gpus"] = 8
        now[0] += hours * 3600
        ran.told(**({"ended": now[0]} if attempt == 1 else {}))
        now[0] += 7200  # nothing runs, or nobody has seen it
    found = record()
    assert found["gpu_hours"] == 8 * 0.75
    assert found["restarts"] == 1
    assert [one["attempt"] for one in found["attempts"]] == [1, 2]


def test_another_run_begins_a_record_of_its_own(folder: Path) -> None:
    for run in ("first", "second"):
        plan = plan_of(["x"], run)
        Ran(plan, plan.servers["m"], 1).told(state="starting")
    found = record()
    assert (found["run"], found["restarts"], len(found["attempts"])) == ("second", 0, 1)


def test_no_secret_stands_in_record_log_or_last_words(started: list[RoleProcess]) -> None:
    says = "import os, sys; print('have', os.environ['HUB'], 'and Authorization: Bearer abcdefgh1234'); sys.exit(3)"
    words = [sys.executable, "-c", says, "--api_key", SECRET, f"--header=X {SECRET}", f"{KEY}"]
    plan = plan_of(words, secrets=["HUB"], environment={"HUB_TOKEN": "another-word"})
    process = start(plan, started)
    process.process.wait(30)
    ran = Ran(plan, plan.servers["m"], 1)
    ran.launched(process)
    death = process.death()
    ran.told(reason=str(death))
    assert str(death) == "role w ended (exit code 3), its last line: have *** and Authorization: Bearer ***"
    shown = Path("results/m/server_runs.json").read_text() + str(death) + death.details
    shown += process.log.read_text().splitlines()[0]
    for hidden in (SECRET, KEY, "abcdefgh1234", "another-word"):
        assert hidden not in shown
    assert json.loads(Path("results/m/server_runs.json").read_text())["attempts"][0]["processes"][0]["command"][
        -4:
    ] == [
        *("--api_key", "***", "--header=X ***", "***"),
    ]


def test_the_engine_does_not_see_where_this_projects_modules_are_but_a_role_of_its_python_does(
    started: list[RoleProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", "/ours")
    for name, word in (("theirs", sys.executable), ("ours", "{python}")):
        plan = plan_of([word, "-c", f"import os; print('{name}', os.environ.get('PYTHONPATH'))"])
        process = start(plan, started)
        process.process.wait(30)
    lines = process.log.read_text().splitlines()
    assert [line for line in lines if line.startswith(("theirs", "ours"))] == ["theirs None", "ours /ours"]


def test_a_role_that_ends_at_once_without_a_word_is_told_by_its_code(started: list[RoleProcess]) -> None:
    process = start(plan_of([sys.executable, "-c", "pass"]), started)
    process.process.wait(30)
    assert str(process.death()).startswith("role w ended (exit code 0), its last line: ")


def test_a_program_that_is_not_there_is_named(folder: Path, started: list[RoleProcess]) -> None:
    from seedbed.core.errors import RunError

    with pytest.raises(RunError, match=r"role w: cannot start no-such-engine: No such file"):
        start(plan_of(["no-such-engine"]), started)


@pytest.mark.parametrize(("named", "variable"), [({}, "VLLM_API_KEY"), ({"api_key_env": "OWN_KEY"}, "OWN_KEY")])
def test_vllm_is_given_the_key_of_the_run_by_its_variable(
    folder: Path, started: list[RoleProcess], named: dict[str, str], variable: str
) -> None:
    command = folder / "vllm"
    command.write_text("#!/bin/sh\nexec env\n")
    command.chmod(0o755)
    definition = {"kind": "vllm", "model": {"path": "/m"}, **named}
    plan = plans.from_json({"run": "r", "servers": {"m": {"server": definition}}})
    (slot,) = arrange(plan.servers["m"], ["localhost"], {"localhost": "127.0.0.1"}, counted_ports())
    slot = replace(slot, role=replace(slot.role, command=(str(command),)))
    started.append(RoleProcess.start(slot, plan, plan.servers["m"], 1))
    started[-1].process.wait(30)
    assert f"{variable}={KEY}" in started[-1].log.read_text().splitlines()
