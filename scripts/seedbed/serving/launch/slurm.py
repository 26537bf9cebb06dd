"""Servers as Slurm jobs: submit them, look at them, end them."""

import contextlib
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from seedbed.core import files
from seedbed.records import paths
from seedbed.serving.launch.launchers import Look, Refused
from seedbed.serving.launch.sbatch import PREFIX, job_name, script
from seedbed.serving.spec.plan import Plan

LEAKING = re.compile(r"(?:SBATCH|SRUN|SALLOC|SQUEUE|SACCT|SINFO|SCANCEL|SCONTROL)_|SLURM_(?!CONF$)")
LOOK_EVERY = 2.0  # seconds between two questions to slurmctld about one job
PATIENCE = 45.0  # seconds for one command of Slurm
MISSES = 3  # so often in a row must a job be unknown to squeue and sacct before it counts as gone
ORDERLY = "orderly"  # what the broker tells the guard when it ends as it should
PENDING = {"PENDING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD"}
RUNNING = {"RUNNING", "CONFIGURING", "COMPLETING", "SUSPENDED", "STOPPED", "STAGE_OUT", "SIGNALING", "RESIZING"}
BLAMELESS = {"PREEMPTED", "TIMEOUT", "NODE_FAIL", "BOOT_FAIL", "CANCELLED", "DEADLINE", "REVOKED", "VANISHED"}
VANISHED = Look("gone", "VANISHED", "neither squeue nor sacct knows the job", blameless=True)
# sbatch says these of a cluster that may take the job later; everything else is a fault of the request
PASSING = (
    "unable to contact slurm controller",
    "slurmctld",
    "socket timed out",
    "submit limit",
    "temporarily unable",
    "connection refused",
    "inactive or drain",
    "not available now",
    "zero bytes were transmitted",
    "did not answer",
)


class SlurmLauncher:
    """Submits one batch job a server, in which a supervisor starts the roles as steps."""

    def __init__(self, plan_file: Path, plan: Plan, lock: int | None = None) -> None:
        """Start servers of `plan`, which is in `plan_file`; the guard shares the lock of the working directory."""
        self.plan_file, self.plan = plan_file, plan
        self.looks: dict[str, tuple[float, Look]] = {}
        self.misses: Counter[str] = Counter()
        self.guard = subprocess.Popen(
            [sys.executable, "-m", "seedbed.serving.broker.guard"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
            pass_fds=() if lock is None else (lock,),
            start_new_session=True,
        )

    def start(self, model: str, attempt: int, log: Path) -> str:
        """Submit a job and return its id; one that an earlier, unanswered submission left is taken instead."""
        server = self.plan.servers[model]
        name = job_name(model, self.plan.run, attempt)
        there = ask(["squeue", "--me", "--noheader", f"--name={name}", "--format=%i"])
        if there.returncode == 0 and there.stdout.split():
            return there.stdout.split()[0]
        file = paths.run_folder(model) / f"attempt-{attempt}.sbatch"
        try:
            files.write(file, script(self.plan, server, self.plan_file, attempt, log))
        except OSError as error:
            raise Refused(f"{file}: {error.strerror}", passing=True) from error
        exported = ["PATH", "HOME", "USER", "LANG", "TMPDIR", "LD_LIBRARY_PATH", "SLURM_CONF"]
        exported += self.plan.site.pass_environment
        exported += [secret for role in server.roles for secret in role.secrets]
        names = ",".join(name for name in exported if name in os.environ)
        done = ask(["sbatch", "--parsable", f"--export={names}", str(file)])
        told = re.findall(r"^(\d+)(?:;.*)?$", done.stdout, re.MULTILINE)  # some sites have their sbatch say more
        if done.returncode or not told:
            why = " / ".join(done.stderr.split("\n")).strip(" /") or f"sbatch: exit code {done.returncode}"
            raise Refused(why, passing=is_passing(why))
        return str(told[-1])

    def look(self, handle: str) -> Look:
        """Return the state of the job by State and exit code; while slurmctld is silent, as it was before."""
        asked, look = self.looks.get(handle, (0.0, Look("pending", "PENDING", "just submitted")))
        if look.phase == "gone" or time.monotonic() - asked < LOOK_EVERY:
            return look
        seen = job(handle) or Look(look.phase, look.state, "slurmctld does not answer")
        self.misses[handle] = self.misses[handle] + 1 if seen is VANISHED else 0
        look = seen if self.misses[handle] in (0, MISSES) else Look(look.phase, look.state, "not seen in the queue")
        self.looks[handle] = (time.monotonic(), look)
        return look

    def stop(self, handle: str) -> None:
        """Ask a running supervisor to end, so that its roles end in order; cancel a job that still waits."""
        if self.looks.get(handle, (0.0, Look("pending")))[1].state == "RUNNING":
            ask(["scancel", "--batch", "--signal=TERM", handle])
        else:
            self.kill(handle)
        self.looks.pop(handle, None)

    def kill(self, handle: str) -> None:
        """Cancel the job."""
        ask(["scancel", handle])
        self.looks.pop(handle, None)

    def sweep(self) -> None:
        """Cancel what a killed run has left in the queue: its servers and its seeds."""
        cancel_all(Path.cwd())

    def close(self, orderly: bool) -> None:
        """Let the guard have its look and end, one look after an `orderly` end: nothing of this run is left then."""
        with contextlib.suppress(subprocess.TimeoutExpired):  # it goes on by itself
            self.guard.communicate(ORDERLY if orderly else "", timeout=PATIENCE)


def ask(words: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    """Run a command of Slurm and return how it ended; one that hangs has failed.

    Variables such as SBATCH_PARTITION or SQUEUE_FORMAT, and those of a job in which the driver runs, would overrule
    the flags of a script and change the form of answers: no command sees them.
    """
    environment = {name: value for name, value in os.environ.items() if not LEAKING.match(name)}
    try:
        return subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, env=environment
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, 124, "", f"{words[0]} did not answer within {PATIENCE:g} s")
    except OSError as error:
        return subprocess.CompletedProcess(words, 127, "", f"{words[0]}: {error.strerror}")


def is_passing(refusal: str) -> bool:
    """Return whether sbatch may take the same job later.

    Of every limit Slurm says "Job violates accounting/QOS policy"; only the limit's own name, on the line before, tells
    a number of jobs (MaxSubmit, GrpJobs), which passes, from a size or a time (MaxWall, MaxNode), which never does.
    """
    names = _LIMIT.findall(refusal)
    if names:
        return all(_COUNTS_JOBS.search(name) for name in names)
    return any(word in refusal.lower() for word in PASSING)


_LIMIT = re.compile(r"\b(?:QOS|Assoc)\w+")
_COUNTS_JOBS = re.compile(r"Submit|(?:Max|Grp)Jobs")
# reasons for which a job that waits never starts by itself: its request, or somebody's hand, must change
ENDLESS = re.compile(
    r"Partition(?:Time|Node)Limit|(?:QOS|Assoc)\w*Max(?:Wall|Node|Cpu|CPU|TRES|GRES|Mem)\w*PerJob\w*|JobHeld(?:User|Admin)"
    r"|BadConstraints|DependencyNeverSatisfied|(?:Account|QOS)NotAllowed|Invalid(?:Account|QOS)|ReservationDeleted"
)


def job(handle: str) -> Look | None:
    """Return the state of a job, from squeue, then sacct; None while neither can be asked."""
    done = ask(["squeue", "--noheader", "--states=all", f"--jobs={handle}", "--Format=State:30,exit_code:20,Reason:60"])
    if done.returncode == 0 and done.stdout.strip():
        line = done.stdout.splitlines()[0]
        status = int(line[30:50]) if line[30:50].strip().isdigit() else 0
        return read(line[:30].strip(), f"{status >> 8}:{status & 127}", line[50:].strip())
    if done.returncode and "invalid job id" not in done.stderr.lower():
        return None
    told = ask(["sacct", "-X", "-n", "-P", "-j", handle, "--format=State,ExitCode"])
    if told.returncode == 0 and told.stdout.strip():
        state, _, code = told.stdout.splitlines()[0].partition("|")
        return read(state.split()[0], code, "")
    return VANISHED


def read(state: str, code: str, reason: str) -> Look:
    """Return the look that Slurm's words for state, exit code and reason stand for."""
    if state in PENDING:
        return Look("pending", state, reason, endless=ENDLESS.search(reason) is not None)
    if state in RUNNING:
        return Look("running", state, "" if reason == "None" else reason)
    why = f"exit code {code}" if reason in ("", "None") else f"exit code {code}, {reason}"
    return Look("gone", state, why, blameless=state in BLAMELESS)


def cancel_all(folder: Path) -> list[str] | None:
    """Cancel every job of this user that belongs to a run in `folder` (servers and Snakemake's jobs).

    Returns their ids, None where the queue cannot be read. Other people's names may hold anything, line ends too.
    """
    done = ask(["squeue", "--me", "--noheader", "--format=%F|%Z|%j|%k"])
    if done.returncode:
        return None
    ours = re.compile(rf"^(\d+)\|{re.escape(str(folder))}\|(?:{PREFIX}.*|[^|]*\|rule_.*)$", re.MULTILINE)
    found = sorted(set(ours.findall(done.stdout)), key=int)
    if found:
        ask(["scancel", *found])
    return found
