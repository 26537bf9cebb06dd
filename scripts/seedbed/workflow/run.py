"""The beginning and the end of a run: what the driver does around its jobs, and nowhere else."""

import subprocess
import sys
from typing import Any

from seedbed.config.settings import Settings
from seedbed.core.digests import digest
from seedbed.core.errors import InputError
from seedbed.decisions.criteria import CANNOT_TELL, EXIT_CODES
from seedbed.records import run_record
from seedbed.scoring.examples import check_file
from seedbed.serving.broker import control
from seedbed.workflow import provenance, slurm_executor, snapshot
from seedbed.workflow.code_digest import code_digest
from seedbed.workflow.progress import Display

_displays: list[Display] = []


def begin(workflow: Any, settings: Settings) -> None:
    """Take the folder, write the snapshot, check the scorers, start broker and progress; raises before any job runs.

    Only the main process of a real run does: not a job's own Snakemake, not `--touch`.
    """
    if not workflow.is_main_process or workflow.touch:
        return
    jobs = list(workflow.dag.jobs)
    waiting = [job for job in workflow.dag.needrun_jobs() if job.rule.name == "generate"]
    launcher = "slurm" if workflow.executor_plugin is not None and workflow.executor_plugin.name == "slurm" else "local"
    placements = {job.wildcards.model: dict(job.resources) for job in jobs if job.rule.name == "server"}
    wanted: dict[tuple[str, str], set[str]] = {}
    for job in jobs:
        if job.rule.name in ("generate", "score", "rescore"):
            scorers = wanted.setdefault((job.wildcards.model, job.wildcards.benchmark), set())
            scorers |= {"score": {"strict"}, "rescore": {job.wildcards.get("scorer", "")}}.get(job.rule.name, set())
    outputs: dict[str, list[str]] = {}
    for job in waiting:
        outputs.setdefault(job.wildcards.model, []).extend(map(str, job.output))
    control.start(snapshot.broker(settings, launcher, placements, outputs))
    if launcher == "slurm":
        slurm_executor.install(workflow)
    elif workflow.local_exec:
        # Snakemake's limit of jobs a second starts a timer at every look at what waits, each for one more look: with 80
        # jobs most of its own CPU. There is no cluster to spare here.
        workflow.scheduler.job_rate_limiter = None
    snapshot.write(settings, wanted)
    pairs = [
        {
            "model": model,
            "benchmark": benchmark,
            "scorers": [scorer for scorer in settings.scorers if scorer in scorers],
            **snapshot.terms(settings, model, benchmark),
        }
        for (model, benchmark), scorers in sorted(wanted.items())
    ]
    gated = any(job.rule.name == "gate" for job in jobs)
    run_record.begin(pairs, gated, provenance.of_run(settings, pairs))
    display = Display(snapshot.RUN, expected=len(waiting))
    _displays.append(display)
    if waiting or any(job.rule.name == "rescore" for job in workflow.dag.needrun_jobs()):
        try:
            check_scorers(settings)
        except InputError:
            end(succeeded=False)
            raise
    if waiting:
        display.start()


def check_scorers(settings: Settings) -> None:
    """Compile every scorer and run its canaries, once a version of it; raises InputError with file, line and reason."""
    for path in settings.scorers.values():
        version = digest([path.read_text(encoding="utf-8"), code_digest("check_scorer.py")])
        checked = snapshot.RUN / "config" / "checked" / version
        if not checked.is_file():
            check_file(path)
            checked.parent.mkdir(parents=True, exist_ok=True)
            checked.touch()


def end(succeeded: bool) -> None:
    """Stop progress and broker, and tell what came of the run; a bad verdict fails even a run that went well."""
    if not _displays:
        return
    _displays.pop().stop()
    control.stop()
    told = subprocess.run([sys.executable, "-m", "seedbed", "summary", "--ended", "well" if succeeded else "badly"])
    if told.returncode and (succeeded or told.returncode == EXIT_CODES[CANNOT_TELL]):
        raise SystemExit(told.returncode)
