"""The interface of launchers, and the launcher of servers as processes of this machine."""

import contextlib
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True)
class Look:
    """What a launcher sees of a server, in the launcher's own words."""

    phase: str  # "pending", "running" or "gone"
    state: str = ""
    reason: str = ""
    endless: bool = False  # waits for a reason that does not pass by itself
    blameless: bool = False  # ended by the cluster (preempted, time limit, node lost), not by a fault of its own


class Refused(Exception):
    """A server that could not be started; `passing` if waiting may help."""

    def __init__(self, reason: str, passing: bool) -> None:
        """Say why, and whether to try again later."""
        super().__init__(reason)
        self.passing = passing


class Launcher(Protocol):
    """A place where servers run."""

    def start(self, model: str, attempt: int, log: Path) -> str:
        """Start a server and return the handle by which it is asked for; raises Refused."""

    def look(self, handle: str) -> Look:
        """Return whether the server waits, runs or is gone."""

    def stop(self, handle: str) -> None:
        """Ask the server to end."""

    def kill(self, handle: str) -> None:
        """End a server that did not end when asked."""

    def sweep(self) -> None:
        """End what a killed run has left behind."""

    def close(self, orderly: bool) -> None:
        """Let go of what the launcher holds; called when no server is left, `orderly` if the driver said so."""


class LocalLauncher:
    """Starts supervisors as child processes in sessions of their own, so that Ctrl-C passes them by."""

    def __init__(self, plan_file: Path) -> None:
        """Start servers of the plan in `plan_file`."""
        self.plan_file = plan_file
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, model: str, attempt: int, log: Path) -> str:
        """Start a supervisor and return its process id."""
        words = [sys.executable, "-m", "seedbed.serving.node.supervisor", "--plan", str(self.plan_file)]
        words += ["--model", model, "--attempt", str(attempt)]
        try:
            with open(log, "ab") as output:
                process = subprocess.Popen(
                    words, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
                )
        except OSError as error:
            raise Refused(f"cannot start a server: {error}", passing=False) from error
        self.running[str(process.pid)] = process
        return str(process.pid)

    def look(self, handle: str) -> Look:
        """Return whether the supervisor still runs, and how it ended."""
        code = self.running[handle].poll()
        if code is None:
            return Look("running", "RUNNING")
        return Look("gone", f"signal {-code}" if code < 0 else f"exit code {code}")

    def stop(self, handle: str) -> None:
        """Ask the supervisor to end; it ends its roles first."""
        self._signal(handle, signal.SIGTERM)

    def kill(self, handle: str) -> None:
        """Kill a supervisor that did not end; the kernel ends its roles with it."""
        self._signal(handle, signal.SIGKILL)

    def sweep(self) -> None:
        """Leave the servers of an earlier run alone: each sees its lease change hands and ends."""

    def close(self, orderly: bool) -> None:
        """Nothing is held."""

    def _signal(self, handle: str, number: signal.Signals) -> None:
        """Send a signal to the supervisor, unless it is gone."""
        with contextlib.suppress(ProcessLookupError):
            if self.running[handle].poll() is None:
                os.kill(int(handle), number)
