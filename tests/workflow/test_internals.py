"""What the project reads of Snakemake beside its public interface, each on the installed Snakemake itself."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from seedbed.core.environment import ROOT, SOURCES
from seedbed.core.errors import InputError, RunError
from seedbed.workflow import internals
from tests.workflow.workplace import SNAKEMAKE, Workplace

SNAKEFILE = f"""
import json, sys
from pathlib import Path
sys.path.insert(0, {str(SOURCES)!r})
from seedbed.workflow import internals

rule all:
    input: "one.txt", "kept.txt"

rule make:
    output: "{{name}}.txt"
    resources: nodes=2
    shell: "echo {{wildcards.name}} > {{output}}"

onstart:
    seen = {{
        "driver": internals.is_driver(workflow),
        "launcher": internals.launcher(workflow),
        "limit": workflow.scheduler.job_rate_limiter is not None,
        "jobs": [
            [job.rule, job.wildcards, list(job.outputs), job.resources.get("nodes"), job.needed]
            for job in internals.planned_jobs(workflow)
        ],
    }}
    internals.remove_job_rate_limit(workflow)
    seen["limit after"] = workflow.scheduler.job_rate_limiter is not None
    try:
        internals.check_rules(workflow, ("make", "gone"))
    except Exception as error:
        seen["rules"] = str(error)
    Path("seen.json").write_text(json.dumps(seen))
"""


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what a run of a small workflow saw through the module; the output kept.txt exists before it."""
    folder = tmp_path_factory.mktemp("internals")
    (folder / "Snakefile").write_text(SNAKEFILE)
    words = [*SNAKEMAKE, "--cores", "1"]
    subprocess.run([*words, "kept.txt"], cwd=folder, check=True, capture_output=True)
    subprocess.run([*words, "--set-resources", "make:nodes=3"], cwd=folder, check=True, capture_output=True)
    found: dict[str, Any] = json.loads((folder / "seen.json").read_text())
    return found


def test_the_driver_and_its_launcher_are_known(seen: dict[str, Any]) -> None:
    assert (seen["driver"], seen["launcher"]) == (True, "local")


def test_jobs_are_read_with_wildcards_outputs_resolved_resources_and_whether_they_run(seen: dict[str, Any]) -> None:
    assert sorted((job for job in seen["jobs"] if job[0] == "make"), key=lambda job: str(job[2])) == [
        ["make", {"name": "kept"}, ["kept.txt"], 3, False],
        ["make", {"name": "one"}, ["one.txt"], 3, True],
    ]


def test_the_limit_of_jobs_a_second_is_taken_off_a_local_run(seen: dict[str, Any]) -> None:
    assert (seen["limit"], seen["limit after"]) == (True, False)


def test_a_rule_that_was_renamed_is_missed(seen: dict[str, Any]) -> None:
    assert seen["rules"].startswith("rules/: no rule is named 'gone'")


def test_the_installed_versions_are_the_pinned_ones_and_others_are_refused() -> None:
    pins = internals.pinned_versions(ROOT / "pyproject.toml")
    assert set(pins) == {"snakemake", "snakemake-executor-plugin-slurm"}
    internals.check_versions(pins)
    with pytest.raises(InputError, match=r"snakemake: found version \S+ in .*, expected 9\.0\.0; `make run`"):
        internals.check_versions({"snakemake": "9.0.0"})
    with pytest.raises(InputError, match="no-such: found version none"):
        internals.check_versions({"no-such": "1"})


def test_an_input_error_is_one_line_and_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    def fail(error: Exception) -> None:
        raise error

    for error in (InputError("a.yaml: wrong"), RunError("a.yaml: wrong"), OSError(2, "wrong", "a.yaml")):
        with pytest.raises(SystemExit) as ended:
            internals.exit_on_input_error(fail, error)
        assert (ended.value.code, capsys.readouterr().err) == (1, "error: a.yaml: wrong\n")


@pytest.mark.parametrize("arguments", [("--dry-run",), ("--cores", "1")])
def test_use_as_a_module_is_refused_in_one_line(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    place = Workplace.made(tmp_path, {})
    (place.work / "Snakefile").write_text(
        f'module seedbed:\n    snakefile: "{place.project}/Snakefile"\n\nuse rule * from seedbed as evals_*\n'
    )
    done = subprocess.run(
        [*SNAKEMAKE, *arguments], cwd=place.work, env=place.environment(), capture_output=True, text=True, timeout=60
    )
    lines = [line for line in done.stderr.splitlines() if "error" in line.lower()]
    assert done.returncode == 1
    assert len(lines) == 1, done.stderr
    assert "seedbed cannot be used as a module of another workflow" in lines[0]
    assert "Traceback" not in done.stderr


def test_a_package_of_the_users_own_does_not_shadow_this_one(tmp_path: Path) -> None:
    place = Workplace.made(tmp_path, {"models": {"m": {"endpoint": "http://127.0.0.1:9/v1"}}, "benchmarks": ["warmup"]})
    for name in ("scripts", "seedbed"):
        (place.work / name).mkdir()
        (place.work / name / "__init__.py").write_text("raise SystemExit('shadowed')\n")
    ran = place.run("resources/warmup/test.jsonl")
    assert ran.code == 0, ran.text
    assert (place.work / "resources" / "warmup" / "test.jsonl").is_file()


def test_a_jobs_command_finds_the_package_without_the_environment(tmp_path: Path) -> None:
    """As for a job in a conda environment, for which Snakemake removes PYTHONPATH."""
    from seedbed.core import environment

    words = environment.shell_prefix() + f"{sys.executable} -m seedbed --help"
    done = subprocess.run(["bash", "-c", words], cwd=tmp_path, env={"PATH": "/usr/bin:/bin"}, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert b"Steps of the workflow" in done.stdout
