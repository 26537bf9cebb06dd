"""The broker's state of one server, and the record of its starts, ends and idle seconds."""

import contextlib
import os
import time
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from seedbed.core import files
from seedbed.core.secrets import strike
from seedbed.records import paths
from seedbed.serving.launch.launchers import Look
from seedbed.serving.spec import plan as plans

SAVE_EVERY = 10.0  # seconds between writes while nothing happens


class Record:
    """run/{model}/server_usage.json."""

    def __init__(self, path: Path, run: str) -> None:
        """Begin the record of `run` in `path`."""
        self.path = path
        self.last = self.saved = time.monotonic()
        self.starts: list[dict[str, Any]] = []
        self.seconds = {"queued": 0.0, "loading": 0.0, "busy": 0.0, "idle": 0.0}
        self.run = run

    def tick(self, state: str, phase: str, wanted: bool) -> None:
        """Count the seconds since the last look: queued, loading, busy, or idle (ready or ending, and no seed)."""
        now = time.monotonic()
        spent, self.last = now - self.last, now
        if phase == "pending":
            self.seconds["queued"] += spent
        elif phase == "running" and state == "STARTING":
            self.seconds["loading"] += spent
        elif phase == "running":
            self.seconds["busy" if wanted and state == "READY" else "idle"] += spent
        if self.starts and "ended" not in self.starts[-1] and now - self.saved > SAVE_EVERY:
            self.save()

    def started(self, attempt: int, handle: str) -> None:
        """Note that an attempt was started."""
        self.starts.append({"attempt": attempt, "handle": handle, "started": time.time()})
        self.save()

    def ready(self, note: dict[str, object]) -> None:
        """Note that the newest attempt is ready, and where it runs."""
        facts = {"began": note.get("started"), "ready": note.get("ready"), "nodes": note.get("nodes")}
        self.starts[-1].update(facts)
        self.save()

    def ended(self, look: Look, reason: str) -> None:
        """Note how the newest attempt ended."""
        if self.starts:
            self.starts[-1].update(ended=time.time(), state=look.state, reason=reason)
        self.save()

    def save(self) -> None:
        """Write the record."""
        self.saved = time.monotonic()
        totals = {f"server_{name}_seconds": round(value, 1) for name, value in self.seconds.items()}
        with contextlib.suppress(OSError):  # a full disk
            files.write_json(self.path, {"run": self.run, **totals, "starts": self.starts})


State = Enum("State", "ABSENT STARTING READY STOPPING FAILED")
Event = Enum("Event", "WANTED SPENT READY ENDED UNWANTED OVERDUE ENDLESS NOTHING")


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
    refusal: str = ""  # why its start was refused last, while it waits to be tried again
    last_reason: str = ""  # why the last start ended before it was ready, numbers left out
    endless_since: float = 0.0
    details: str = ""  # the last lines of its logs
    retry_at: float = 0.0
    entered: float = 0.0
    last_wanted: float = 0.0
    waiting_since: float = 0.0
    wants: list[str] = field(default_factory=list)

    @property
    def log(self) -> Path:
        """Return the log of the supervisor of this attempt."""
        return paths.server_log(self.plan.model, self.attempt)

    def note(self, run: str) -> dict[str, object]:
        """Return what the server of this attempt says of itself, empty while it has said nothing."""
        said = files.read_json(paths.attempt_file(self.folder, self.attempt)) or {}
        return said if said.get("run") == run else {}

    def without_secrets(self, text: str) -> str:
        """Return `text` with the key, its roles' secrets and what looks like one struck out: roles print much."""
        named = [os.environ.get(name, "") for role in self.plan.roles for name in role.secrets]
        return str(strike(text, [*named, files.read_text(self.folder / "key")]))
