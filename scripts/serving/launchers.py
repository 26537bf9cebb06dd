"""What the broker asks of a place where servers run, and what it is told."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True)
class Look:
    """What a launcher sees of a server, in the launcher's own words."""

    phase: str  # "pending", "running" or "gone"
    state: str = ""
    reason: str = ""
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
