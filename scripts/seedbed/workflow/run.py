"""One run: what the driver does before its first job and after its last, as named steps.

`Run.begin` makes the plan and then takes the steps lock, check, write and start in this order; `Run.end` stops what was
started and prints the summary. Rules hold the one `Run` of a call of Snakemake: there is no state of the module.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from seedbed.config.settings import Settings
from seedbed.core.digests import digest
from seedbed.core.errors import InputError
from seedbed.decisions.criteria import EXIT_CODES, INCONCLUSIVE
from seedbed.records import paths, run_record
from seedbed.scoring.examples import check_file
from seedbed.serving.broker import control
from seedbed.workflow import internals, provenance, slurm_executor, snapshot
from seedbed.workflow.code_digest import code_digest
from seedbed.workflow.internals import PlannedJob
from seedbed.workflow.progress import Display

RULES = ("generate", "server", "score", "rescore", "gate")  # the rules whose jobs a run looks at


@dataclass(frozen=True)
class RunPlan:
    """What a DAG asks for: read from its jobs alone, nothing is touched."""

    scorers: dict[tuple[str, str], set[str]] = field(default_factory=dict)  # whose metrics each pair wants
    outputs: dict[str, list[str]] = field(default_factory=dict)  # by model: the outputs that this run generates
    resources: dict[str, dict[str, Any]] = field(default_factory=dict)  # by model: those of its server's job
    rescores: bool = False  # whether any job of this run scores with a scorer's file
    gated: bool = False  # whether the gates judge this run

    @classmethod
    def of(cls, jobs: Sequence[PlannedJob]) -> "RunPlan":
        """Return the plan of these jobs."""
        scorers: dict[tuple[str, str], set[str]] = {}
        outputs: dict[str, list[str]] = {}
        for job in jobs:
            if job.rule in ("generate", "score", "rescore"):
                wanted = scorers.setdefault((job.wildcards["model"], job.wildcards["benchmark"]), set())
                wanted |= {"score": {"strict"}, "rescore": {job.wildcards.get("scorer", "")}}.get(job.rule, set())
            if job.rule == "generate" and job.needed:
                outputs.setdefault(job.wildcards["model"], []).extend(job.outputs)
        return cls(
            scorers,
            outputs,
            {job.wildcards["model"]: job.resources for job in jobs if job.rule == "server"},
            any(job.rule == "rescore" and job.needed for job in jobs),
            any(job.rule == "gate" for job in jobs),
        )

    @property
    def generated(self) -> int:
        """Return how many seeds this run generates."""
        return sum(map(len, self.outputs.values()))


@dataclass
class Run:
    """A run of this process. A process that runs no jobs, as for a dry run, has one that never begins."""

    workflow: Any
    settings: Settings
    plan: RunPlan = field(default_factory=RunPlan)
    begun: bool = False
    held: int | None = None  # the descriptor of the lock
    broker: control.BrokerProcess | None = None
    display: Display | None = field(default=None, repr=False)

    def begin(self) -> None:
        """Take the steps before the first job, in their order; raises InputError or RunError before any job runs.

        Every check is made before the broker, and with it any server, is started.
        """
        if not internals.is_driver(self.workflow):
            return
        internals.check_rules(self.workflow, RULES)
        self.plan = RunPlan.of(internals.planned_jobs(self.workflow))
        self.lock()
        try:
            self.check()
        except InputError:
            self.write()  # the results of an earlier run do not answer this call
            self.release()
            summarise(succeeded=False)
            raise
        self.write()
        self.start()
        self.begun = True

    def end(self, succeeded: bool) -> None:
        """Stop and summarise a run that has begun. A bad verdict fails even a run whose jobs all succeeded."""
        if not self.begun:
            return
        self.begun = False
        self.stop()
        code = summarise(succeeded)
        if code and (succeeded or code == EXIT_CODES[INCONCLUSIVE]):
            raise SystemExit(code)

    def lock(self) -> None:
        """Lock the working directory; raises InputError when another driver holds it."""
        self.held = control.lock(os.getpid())

    def check(self) -> None:
        """Write the servers' plan and check it, and the scorers where one is needed.

        Raises InputError naming file and line.
        """
        launcher = internals.launcher(self.workflow)
        control.write_plan(snapshot.servers_plan(self.settings, launcher, self.plan.resources, self.plan.outputs))
        if self.plan.generated or self.plan.rescores:
            check_scorers(self.settings)

    def write(self) -> None:
        """Write what jobs read and mark the run as RUNNING: from here on no verdict of an earlier run counts."""
        snapshot.write(self.settings, self.plan.scorers)
        pairs = [
            {
                "model": model,
                "benchmark": benchmark,
                "scorers": [scorer for scorer in self.settings.scorers if scorer in scorers],
                **self.settings.terms(model, benchmark),
            }
            for (model, benchmark), scorers in sorted(self.plan.scorers.items())
        ]
        run_record.begin(pairs, self.plan.gated, provenance.of_run(self.settings, pairs))

    def start(self) -> None:
        """Start the broker, which keeps the lock, and the progress line."""
        assert self.held is not None
        self.broker = control.BrokerProcess(self.held)
        if internals.launcher(self.workflow) == "slurm":
            slurm_executor.install(self.workflow)
        internals.remove_job_rate_limit(self.workflow)
        if self.plan.generated:
            self.display = Display(paths.RUN, expected=self.plan.generated)
            self.display.start()

    def release(self) -> None:
        """Release the lock of a run that did not start."""
        if self.held is not None and self.broker is None:
            os.close(self.held)
            self.held = None

    def stop(self) -> None:
        """Stop the progress line, and the broker with every server."""
        if self.display is not None:
            self.display.stop()
        if self.broker is not None:
            self.broker.stop()
        self.release()


def summarise(succeeded: bool) -> int:
    """Print the verdict and the table of what the run left and write the report; returns the verdict's exit code."""
    words = [sys.executable, "-m", "seedbed", "summary", "--ended", "well" if succeeded else "badly"]
    return subprocess.run(words).returncode


def check_scorers(settings: Settings) -> None:
    """Compile every scorer and run its examples, once per version of it; raises InputError with file, line, reason."""
    for path in settings.scorers.values():
        version = digest([path.read_text(encoding="utf-8"), code_digest("check_scorer")])
        checked = paths.RUN / "config" / "checked" / version
        if not checked.is_file():
            check_file(path)
            checked.parent.mkdir(parents=True, exist_ok=True)
            checked.touch()
