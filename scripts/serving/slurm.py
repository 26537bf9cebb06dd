"""Servers as Slurm jobs."""

from pathlib import Path

from scripts.serving.launchers import Look, Refused
from scripts.serving.plans import Plan


class SlurmLauncher:
    """Submits one batch job a server."""

    def __init__(self, plan_file: Path, plan: Plan) -> None:
        """Start servers of `plan`, which stands in `plan_file`."""
        self.plan_file, self.plan = plan_file, plan

    def start(self, model: str, attempt: int, log: Path) -> str:
        """Refuse."""
        raise Refused("not yet", passing=False)

    def look(self, handle: str) -> Look:
        """Return gone."""
        return Look("gone")

    def stop(self, handle: str) -> None:
        """Ask to end."""

    def kill(self, handle: str) -> None:
        """End."""

    def sweep(self, handles: list[str]) -> None:
        """End leftovers."""
