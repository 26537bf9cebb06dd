"""The run's own record of a server: its starts and ends, and for how many seconds it stood idle."""

import contextlib
import time
from pathlib import Path
from typing import Any

from scripts.serving import notes
from scripts.serving.launchers import Look

SAVE_EVERY = 10.0  # seconds between writes while nothing happens


class Record:
    """run/{model}/server.record.json."""

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
            notes.write(self.path, {"run": self.run, **totals, "starts": self.starts})
