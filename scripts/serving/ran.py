"""What really ran as a model's server, kept beside its results: results/{model}/server.json.

Every attempt of a run adds its own entry. One that was killed without a word has no end; what it used is counted up to
the last time it was seen.
"""

import threading
import time
from pathlib import Path
from typing import Any

from scripts.secrecy import strike
from scripts.serving import notes
from scripts.serving.plans import Plan, ServerPlan
from scripts.serving.processes import RoleProcess

SEEN_EVERY = 30.0  # seconds between two signs of life in the record


class Ran:
    """The entry of one attempt."""

    def __init__(self, plan: Plan, server: ServerPlan, attempt: int) -> None:
        """Begin the entry of attempt number `attempt`."""
        self.path = Path("results") / server.model / "server.json"
        self.plan, self.server = plan, server
        self.entry: dict[str, Any] = {"attempt": attempt, "started": time.time(), "gpus": 0, "processes": []}
        self.saved = 0.0
        self.writing = threading.Lock()

    def launched(self, process: RoleProcess) -> None:
        """Note one process: its role, node, image, variables and command line."""
        slot, role = process.slot, process.slot.role
        image = None if role.container is None else self.plan.site.containers.get(role.container)
        self.entry["gpus"] += role.gpus
        self.entry["processes"].append(
            {
                "role": slot.label,
                "node": slot.node,
                "gpus": role.gpus,
                "container": role.container,
                "image": image,
                "environment": strike(role.environment, process.secrets),
                "command": strike(process.words, process.secrets),
            }
        )

    def told(self, **facts: Any) -> None:
        """Add what became known of the attempt, and write it."""
        self.entry.update(facts)
        self.save()

    def seen(self) -> None:
        """Leave a sign of life, once in a while."""
        if time.monotonic() - self.saved > SEEN_EVERY:
            self.save()

    def save(self) -> None:
        """Write the record: this run's attempts, the newest last, and what they used in all."""
        with self.writing:
            self._save()

    def _save(self) -> None:
        """Write the record, while no other thread does."""
        self.saved = time.monotonic()
        self.entry["seen"] = time.time()
        before = notes.read(self.path) or {}
        attempts = before.get("attempts", []) if before.get("run") == self.plan.run else []
        attempts = [one for one in attempts if one.get("attempt") != self.entry["attempt"]] + [self.entry]
        hours = sum(one["gpus"] * (one.get("ended", one["seen"]) - one["started"]) / 3600 for one in attempts)
        told = {
            "run": self.plan.run,
            "model": self.server.model,
            "served_name": self.server.served_name,
            "engine": self.server.definition.get("engine"),
            "weights": self.server.definition.get("model"),
            "restarts": max(0, len(attempts) - 1),
            "gpu_hours": round(hours, 4),
            "attempts": attempts,
        }
        notes.write(self.path, told)
