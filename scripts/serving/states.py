"""What the broker knows of one server: the state it is in, what can happen to it, and what it says of itself."""

import os
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from scripts.secrecy import strike
from scripts.serving import notes, plans
from scripts.serving.launchers import Look
from scripts.serving.records import Record

State = Enum("State", "ABSENT STARTING READY STOPPING FAILED")
Event = Enum("Event", "WANTED SPENT READY ENDED UNWANTED OVERDUE NOTHING")


@dataclass
class Server:
    """What the broker knows of one model's server."""

    plan: plans.ServerPlan
    folder: Path
    record: Record
    state: State = State.ABSENT
    handle: str | None = None
    look: Look = field(default_factory=lambda: Look("gone"))
    attempt: int = 0
    faults: int = 0
    verdict: str | None = None  # why it must not be started again
    details: str = ""  # the last lines of its logs
    retry_at: float = 0.0
    entered: float = 0.0
    last_wanted: float = 0.0
    waiting_since: float = 0.0
    wants: list[str] = field(default_factory=list)

    @property
    def log(self) -> Path:
        """Return the log of the supervisor of this attempt."""
        return Path("logs/server") / f"{self.plan.model}-{self.attempt}.log"

    def note(self, run: str) -> dict[str, object]:
        """Return what the server of this attempt says of itself, empty while it has said nothing."""
        said = notes.read(self.folder / f"server-{self.attempt}.json") or {}
        return said if said.get("run") == run else {}

    def without_secrets(self, text: str) -> str:
        """Return `text` with the key, its roles' secrets and what looks like one struck out: roles print much."""
        named = [os.environ.get(name, "") for role in self.plan.roles for name in role.secrets]
        return str(strike(text, [*named, notes.text(self.folder / "key")]))
