"""A role as a running process: its own process group, its own log, and the word it leaves when it dies."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from scripts.errors import RunError
from scripts.secrecy import strike
from scripts.serving import commands, notes
from scripts.serving.commands import Slot
from scripts.serving.plans import Plan, ServerPlan
from scripts.serving.shorthands import KEY_VARIABLES
from scripts.serving.sites import has_pyxis

GRACE = 8.0  # seconds between SIGTERM and SIGKILL, below Slurm's usual KillWait of 30 s
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


class ServerEnded(RunError):
    """A server that ended by itself: one sentence why, and the last lines of its logs."""

    def __init__(self, reason: str, details: str) -> None:
        """Keep the sentence and the lines apart."""
        super().__init__(reason)
        self.details = details


@dataclass
class RoleProcess:
    """One process of a role."""

    slot: Slot
    process: subprocess.Popen[bytes]
    log: Path
    words: list[str]
    environment: dict[str, str]
    secrets: tuple[str, ...] = ()  # what must not be shown of it

    @classmethod
    def start(cls, slot: Slot, plan: Plan, server: ServerPlan, attempt: int) -> "RoleProcess":
        """Start the process of `slot`, its output appended to logs/server/{model}-{attempt}-{role}.log."""
        folder = Path("run") / server.model
        given = {
            "SEEDBED_RUN": plan.run,
            "SEEDBED_LEASE": str((folder / "lease").absolute()),
            "SEEDBED_LEASE_SECONDS": str(plan.lease),
            "SEEDBED_CLOCK": str((folder / f".clock-{attempt}-{slot.label}").absolute()),
        }
        if slot.role.frontend or len(server.roles) == 1:
            given["SEEDBED_API_KEY_FILE"] = str((folder / "key").absolute())
            if name := server.definition.get("api_key_env") or KEY_VARIABLES.get(str(server.definition.get("kind"))):
                given[name] = (folder / "key").read_text(encoding="utf-8")
        secrets = [name for role in server.roles for name in role.secrets]
        seen = commands.environment(slot, os.environ, secrets, given)
        words = command(slot, plan)
        hidden = (*(seen[name] for name in slot.role.secrets), (folder / "key").read_text(encoding="utf-8").strip())
        log = Path("logs/server") / f"{server.model}-{attempt}-{slot.label}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        workdir = slot.role.workdir if plan.launcher == "local" else None
        with open(log, "ab") as output:
            output.write(f"{time.strftime('%FT%T%z')} on {slot.node}: {' '.join(strike(words, hidden))}\n".encode())
            output.flush()
            try:
                process = subprocess.Popen(
                    words,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    env=seen,
                    cwd=workdir,
                    start_new_session=True,
                    preexec_fn=_end_with_parent,
                )
            except OSError as error:
                raise RunError(f"role {slot.label}: cannot start {words[0]}: {error.strerror}") from error
        return cls(slot, process, log, words, seen, hidden)

    def code(self) -> int | None:
        """Return the exit code, negative for a signal, or None while the process runs."""
        return self.process.poll()

    def account(self) -> str:
        """Return the name of the log and its last lines."""
        return f"{self.log}:\n{strike(notes.last_lines(self.log), self.secrets)}"

    def death(self) -> "ServerEnded":
        """Return the error that says how this process ended, with its own last words."""
        code = self.code() or 0
        how = f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        last = strike(_own_last_line(self.log), self.secrets)
        return ServerEnded(f"role {self.slot.label} ended ({how}), its last line: {last}", self.account())

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the whole process group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)


def command(slot: Slot, plan: Plan) -> list[str]:
    """Return the words by which the process of `slot` is started here: a step of this job, or a child process."""
    if plan.launcher != "slurm":
        return commands.local_command(slot)
    pyxis = slot.role.container is not None and has_pyxis(plan.site)
    return commands.slurm_command(slot, os.environ["SLURM_JOB_ID"], plan.site, pyxis)


def end_all(running: Iterable[RoleProcess]) -> None:
    """End every process, the last started first: SIGTERM, and SIGKILL to what is left after the grace."""
    order = list(running)[::-1]
    for process in order:
        process.signal(signal.SIGTERM)
    deadline = time.monotonic() + GRACE
    for process in order:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.process.wait(max(0.0, deadline - time.monotonic()))
        process.signal(signal.SIGKILL)
        process.process.wait()


def _end_with_parent() -> None:
    """Ask the kernel, in the child before exec, to end it when its parent is killed (Linux only)."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _own_last_line(log: Path) -> str:
    """Return the last line of a role's log that is not Slurm's word about its end."""
    lines = notes.last_lines(log, 40).splitlines()
    own = [line for line in lines if line.strip() and not line.startswith(("srun: ", "slurmstepd"))]
    return (own or lines)[-1].strip()
