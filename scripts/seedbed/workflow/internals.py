"""All use of Snakemake's internals, its undocumented interfaces; other modules get plain values from here.

Each function has a test, and the exact versions of Snakemake and of its Slurm plugin are checked before any
of them is used: another version may have moved what they read.
"""

import os
import sys
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

from seedbed.config.settings import Settings, load
from seedbed.core.errors import InputError, RunError
from seedbed.core.schema import read_yaml
from seedbed.interop.srt_slurm import evaluation

CHECKED = ("snakemake", "snakemake-executor-plugin-slurm")
T = TypeVar("T")


@dataclass(frozen=True)
class PlannedJob:
    """One job of the DAG: its rule, wildcards, outputs and resources, and whether this run executes it."""

    rule: str
    wildcards: dict[str, str]
    outputs: tuple[str, ...]
    resources: dict[str, Any] = field(repr=False)
    needed: bool


def exit_on_input_error(function: Callable[..., T], *arguments: Any) -> T:
    """Return what `function` returns; an input error is printed as one line and ends the process with exit code 1.

    Snakemake itself would print the error with a line of our rules and a traceback.
    """
    try:
        return function(*arguments)
    except (InputError, RunError) as error:
        message = str(error)
    except OSError as error:
        message = f"{error.filename}: {error.strerror}"
    print(f"error: {message}", file=sys.stderr)
    raise SystemExit(1)


def check_start(workflow: Any, root: Path) -> None:
    """Raise InputError where this workflow cannot work: used as a module of another one, or by other versions."""
    if Path(workflow.basedir) != root:
        raise InputError(
            f"{workflow.main_snakefile}: seedbed cannot be used as a module of another workflow (its server is started "
            "by handlers that Snakemake runs for the main Snakefile only); expected `snakemake --snakefile "
            f"{root / 'Snakefile'}`, whose results/ another workflow can read"
        )
    check_versions(pinned_versions(root / "pyproject.toml"))


def pinned_versions(project: Path) -> dict[str, str]:
    """Return the versions of Snakemake and of its Slurm plugin that pyproject.toml pins."""
    named = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["dependencies"]
    pins = dict(line.split(";")[0].strip().split("==") for line in named if "==" in line)
    return {name: pins[name] for name in CHECKED}


def check_versions(expected: dict[str, str]) -> None:
    """Raise InputError where an installed version is not the expected one."""
    for name, version in expected.items():
        try:
            found = metadata.version(name)
        except metadata.PackageNotFoundError:
            found = "none"
        if found != version:
            raise InputError(
                f"{name}: found version {found} in {sys.prefix}, expected {version}; "
                "`make run` in the checkout installs the versions of envs/run.lock into .venv"
            )


def uses_default_config(workflow: Any) -> bool:
    """Return whether the call of Snakemake names no configuration file."""
    return not workflow.overwrite_configfiles


def run_on_submit_host(workflow: Any, rules: Iterable[str]) -> None:
    """Make these rules local ones; the directive `localrules` takes no names from a configuration."""
    workflow.localrules(*rules)


def settings(workflow: Any, config: dict[str, Any], default: Path) -> Settings:
    """Return the settings of this call, with every file that they name read and checked; raises InputError.

    `config` is what Snakemake merged of the files and of `--config`; `default` is the file that counts without one.
    """
    files = [Path(file) for file in workflow.overwrite_configfiles or [default]]
    for file in files:
        read_yaml(file)  # refuses a key given twice, of which Snakemake silently keeps the last
    sources = [*map(str, files), *(["--config"] if workflow.config_settings.config else [])]
    folders = [file.resolve().parent for file in reversed(files)]
    called_from = [Path(os.environ.get("PWD", ".")), Path.cwd()]
    evaluation.refuse(config, ", ".join(sources))
    return load(config, ", ".join(sources), folders + called_from).checked()


def is_driver(workflow: Any) -> bool:
    """Return whether this process runs jobs: not a job's own Snakemake, not `--touch`."""
    return bool(workflow.is_main_process and not workflow.touch)


def launcher(workflow: Any) -> str:
    """Return where the jobs run: `slurm` by its executor, else `local`."""
    plugin = workflow.executor_plugin
    return "slurm" if plugin is not None and plugin.name == "slurm" else "local"


def planned_jobs(workflow: Any) -> list[PlannedJob]:
    """Return every job of the DAG with its resources as profile, command line and rule resolve them."""
    needed = {id(job) for job in workflow.dag.needrun_jobs()}
    return [
        PlannedJob(
            job.rule.name,
            dict(job.wildcards.items()) if job.wildcards else {},
            tuple(map(str, job.output)),
            dict(job.resources.items()),
            id(job) in needed,
        )
        for job in workflow.dag.jobs
    ]


def check_rules(workflow: Any, names: tuple[str, ...]) -> None:
    """Raise RunError where the workflow has no rule of one of these names: the run finds its jobs by them."""
    known = {rule.name for rule in workflow.rules}
    if missing := [name for name in names if name not in known]:
        raise RunError(f"rules/: no rule is named {missing[0]!r}; expected one, since the run finds its jobs by name")


def remove_job_rate_limit(workflow: Any) -> None:
    """Let a run on this machine start jobs without a limit per second; other runs keep theirs.

    With a limit, each look at the waiting jobs starts a timer for one more look: with 80 jobs most of Snakemake's own
    CPU, and the last timer delays the end of the process. No value of `max-jobs-per-timespan` means no limit.
    """
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None


def slurm_executor(workflow: Any) -> Any:
    """Return the running Slurm executor."""
    return workflow.scheduler._executor


def status_pause(workflow: Any) -> float:
    """Return the seconds between two looks at the jobs, `seconds-between-status-checks`."""
    return float(workflow.remote_execution_settings.seconds_between_status_checks)


def executor_settings(workflow: Any) -> Any:
    """Return the settings of the executor plugin."""
    return workflow.executor_settings
