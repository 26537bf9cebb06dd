"""The beginning and the end of a run: what the driver does around its jobs, and nowhere else."""

import subprocess
import sys
from typing import Any

from scripts import run_record, snapshot
from scripts.progress import Display
from scripts.serving import driver
from scripts.settings import Settings

_displays: list[Display] = []


def begin(workflow: Any, settings: Settings) -> None:
    """Take the folder, check the scorers, write the snapshot, start broker and progress; raises before any job runs.

    Only the main process of a real run does: not a job's own Snakemake, not `--touch`.
    """
    if not workflow.is_main_process or workflow.touch:
        return
    jobs = list(workflow.dag.jobs)
    waiting = [job for job in workflow.dag.needrun_jobs() if job.rule.name == "generate"]
    launcher = "slurm" if workflow.executor_plugin is not None and workflow.executor_plugin.name == "slurm" else "local"
    placements = {job.wildcards.model: dict(job.resources) for job in jobs if job.rule.name == "server"}
    pairs = {(job.wildcards.model, job.wildcards.benchmark) for job in jobs if job.rule.name == "generate"}
    if waiting:
        settings.check_scorers()
    outputs: dict[str, list[str]] = {}
    for job in waiting:
        outputs.setdefault(job.wildcards.model, []).extend(map(str, job.output))
    driver.start(snapshot.broker(settings, launcher, placements, outputs))
    snapshot.write(settings, pairs)
    run_record.begin(pairs)
    display = Display(snapshot.RUN, expected=len(waiting))
    if waiting:
        display.start()
    _displays.append(display)


def end(succeeded: bool) -> None:
    """Stop progress and broker, and tell what came of the run; a bad verdict fails even a run that went well."""
    if not _displays:
        return
    _displays.pop().stop()
    driver.stop()
    told = subprocess.run([sys.executable, "-m", "scripts.summary", "--ended", "well" if succeeded else "badly"])
    if succeeded and told.returncode:
        raise SystemExit(told.returncode)
