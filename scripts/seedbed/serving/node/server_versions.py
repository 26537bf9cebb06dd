"""What ran as a model's server: `results/{model}/server_runs.json`, with the versions that it reports.

The frontend is asked by HTTP, roles by the version command of the server file.
"""

import http.client
import json
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from seedbed.core import files
from seedbed.core.secrets import strike
from seedbed.records import paths
from seedbed.serving.node.role import RoleProcess, Slot
from seedbed.serving.spec.plan import Plan, ServerPlan

SECONDS = 120.0  # for one command that tells a version: an image may have to be opened for it
_PLACES: tuple[tuple[str, Callable[[Any], object]], ...] = (
    ("/version", lambda told: told["version"]),  # vLLM
    ("/get_server_info", lambda told: told["version"]),  # SGLang
    ("/props", lambda told: told["build_info"]),  # llama.cpp
    ("/openapi.json", lambda told: f"{told['info']['title']} {told['info']['version']}"),  # Dynamo
)


def of_frontend(url: str, key: str | None, timeout: float = 10.0) -> str | None:
    """Return the version that the server at `url` (ending in /v1) reports, None where it reports none."""
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    for path, read in _PLACES:
        try:
            asked = urllib.request.Request(url.removesuffix("/v1") + path, headers=headers)
            with urllib.request.urlopen(asked, timeout=timeout) as answer:
                return str(read(json.load(answer)))
        except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
            continue
    return None


def guarded(url: str, timeout: float = 10.0) -> bool:
    """Return whether the server at `url` refuses a request that brings no key; one that asks nothing."""
    asked = urllib.request.Request(
        f"{url}/chat/completions", b'{"max_tokens": 1}', {"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(asked, timeout=timeout):
            return False
    except urllib.error.HTTPError as error:
        with error:
            return error.code in (401, 403)
    except (OSError, http.client.HTTPException):
        return False


def asking(slot: Slot) -> Slot | None:
    """Return the process that asks the role of `slot` for its version, on the same node and without a GPU, if any."""
    if not slot.role.version:
        return None
    return replace(slot, role=replace(slot.role, command=slot.role.version, gpus=0))


def told_by(words: Sequence[str], environment: Mapping[str, str]) -> str:
    """Return the last line that a command prints in `environment`, or why it printed none."""
    try:
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, env=environment, capture_output=True, text=True, timeout=SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"unknown: {words[0]}: {error}"
    lines = [line for line in (done.stdout or done.stderr).splitlines() if line.strip()]
    return lines[-1].strip() if done.returncode == 0 and lines else f"unknown: exit code {done.returncode}"


SEEN_EVERY = 30.0  # seconds between two signs of life in the record


class Ran:
    """The entry of one attempt."""

    def __init__(self, plan: Plan, server: ServerPlan, attempt: int) -> None:
        """Begin the entry of attempt number `attempt`."""
        self.path = paths.server_runs(server.model)
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
        before = files.read_json(self.path) or {}
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
        files.write_json(self.path, told)
