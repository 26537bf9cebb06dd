"""A working directory whose servers are jobs of the test's Slurm."""

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.serving.workplace import Workplace
from tests.slurm.cluster import Cluster, Job

PLACEMENT = {"slurm_partition": "gb200", "nodes": 1, "gres": "gpu:gb200:4", "runtime": 10, "mem_mb": 100}


class SlurmPlace(Workplace):
    """A workplace with a cluster."""

    def __init__(self, folder: Path, cluster: Cluster) -> None:
        """Work in `folder` with the commands of `cluster` on PATH."""
        super().__init__(folder, cluster.environment)
        self.cluster = cluster

    def stand_in(self, command: str, body: str) -> None:
        """Put a shell script before a command of Slurm: a stand-in for what a cluster may do; $REAL is Slurm's own."""
        folder = self.folder.parent / "stand-ins"
        folder.mkdir(exist_ok=True)
        path = folder / command
        path.write_text(f"#!/bin/sh\nREAL={self.cluster.base}/bin/{command}\n{body}\n")
        path.chmod(0o755)
        if not self.environment["PATH"].startswith(f"{folder}:"):
            self.environment["PATH"] = f"{folder}:{self.environment['PATH']}"

    def begin(self, server: Mapping[str, Any], placement: Mapping[str, Any] | None = None, **plan: Any) -> None:
        """Start a driver whose one server `m` is a Slurm job, with the short times of tests."""
        entry = {"server": dict(server), "resources": {**PLACEMENT, **(placement or {})}}
        self.start(
            {"m": entry}, **{"launcher": "slurm", "lease_seconds": 12.0, "idle_seconds": 3.0, "poll": 0.5, **plan}
        )

    def jobs(self) -> list[Job]:
        """Return the jobs of this folder that wait or run: servers and seeds."""
        lines = self.cluster.run(
            "squeue", "--noheader", f"--format={'|'.join(('%i', '%j', '%T', '%P', '%k', '%N'))}|%Z"
        )
        found = [line.split("|") for line in lines.splitlines()]
        return [Job(*words[:-1]) for words in found if words[-1] == str(self.folder)]

    def server_job(self) -> Job:
        """Return the one server of this folder."""
        found = [job for job in self.jobs() if job.name.startswith("seedbed-") and job.state != "COMPLETING"]
        assert len(found) == 1, found
        return found[0]

    def empty(self, seconds: float = 30) -> float:
        """Wait until nothing of this folder is in the queue; returns the seconds that took."""
        began = time.monotonic()
        self.until(lambda: not self.jobs(), "an empty queue", seconds)
        return time.monotonic() - began

    def record(self) -> dict[str, Any]:
        """Return the run's own record of the server."""
        value: dict[str, Any] = json.loads((self.folder / "run/m/server_usage.json").read_text())
        return value

    def end(self) -> None:
        """End the driver, and whatever is left in the queue."""
        super().end()
        for job in self.jobs():
            self.cluster.run("scancel", job.number)
        self.empty(60)
