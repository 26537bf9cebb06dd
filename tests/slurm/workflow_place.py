"""A working directory in which the whole workflow runs with a Slurm profile."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.serving.workplace import ROOT, STUB
from tests.slurm.cluster import Cluster
from tests.slurm.workplace import PLACEMENT, SlurmPlace

PROFILE: dict[str, Any] = {
    "executor": "slurm",
    "jobs": 20,
    "slurm-no-account": True,
    "slurm-requeue": True,
    "slurm-init-seconds-before-status-checks": 2,
    "seconds-between-status-checks": 2,
    "latency-wait": 15,
    "retries": 1,
    "keep-going": True,
    "default-resources": {"slurm_partition": "cpu", "runtime": 10, "mem_mb": 100},
    "set-resources": {"server": PLACEMENT},
}
PROBLEMS = 3
SLOW = ("--token-delay", "0.4")  # an answer of four words takes a second and a half


class WorkflowPlace(SlurmPlace):
    """A workplace in which Snakemake is the driver."""

    def __init__(self, folder: Path, cluster: Cluster) -> None:
        """Work in `folder`, the files of the run beside it; the stub counts its requests in `requests`."""
        super().__init__(folder, cluster)
        self.files = folder.parent
        self.requests = self.files / "requests"
        self.run: subprocess.Popen[str] | None = None
        self.output = self.files / "snakemake.log"

    def write(
        self,
        stub: tuple[str, ...] = (),
        models: tuple[str, ...] = ("m",),
        seeds: Mapping[str, Any] | None = None,
        profile: Mapping[str, Any] | None = None,
        placement: Mapping[str, Any] | None = None,
        **config: Any,
    ) -> None:
        """Write the server file, the benchmark, the config and the profile of a run."""
        words = ["{python}", str(STUB), "--host", "{host}", "--port", "{port}", "--model", "{served_name}"]
        words += ["--requests", str(self.requests), *stub]
        server = {"kind": "roles", "readiness": {"timeout": 30}, "roles": [{"name": "stub", "command": words}]}
        self._yaml("stub.yaml", server)
        prompt = "Put the answer in \\boxed{}.\n\n{problem}\n"
        self._yaml("tiny.yaml", {"source": {"file": "tiny.jsonl"}, "prompt": prompt, "answer_type": "integer"})
        rows = [{"id": f"t-{i}", "problem": f"What is {i}+{7 - i}?", "expected_answer": "7"} for i in range(PROBLEMS)]
        (self.files / "tiny.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        limits = {"lease_seconds": 12, "idle_seconds": 60, "max_restarts": 3, **config.pop("servers", {})}
        self._yaml(
            "config.yaml",
            {
                "models": {name: {"server": str(self.files / "stub.yaml"), "concurrency": 2} for name in models},
                "benchmarks": [str(self.files / "tiny.yaml")],
                "seeds": {"start": 42, "count": 2, **(seeds or {})},
                "sampling": {"temperature": 1.0, "max_tokens": 64},
                "scorers": ["strict", "regex"],
                "servers": limits,
                **config,
            },
        )
        resources = {"server": {**PLACEMENT, **(placement or {})}}
        (self.files / "profile").mkdir(exist_ok=True)
        self._yaml("profile/config.yaml", {**PROFILE, "set-resources": resources, **(profile or {})})

    def concurrency(self, number: int) -> None:
        """Change how many requests a model gets at once."""
        file = self.files / "config.yaml"
        file.write_text(file.read_text().replace("concurrency: 2", f"concurrency: {number}"))

    def _yaml(self, name: str, value: Mapping[str, Any]) -> None:
        """Write a YAML file beside the working directory."""
        (self.files / name).write_text(yaml.safe_dump(dict(value), sort_keys=False))

    def snakemake(self, *words: str, cwd: Path | None = None) -> "subprocess.Popen[str]":
        """Start Snakemake with the profile, from the working directory or another; its output goes to a file."""
        command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
        command += ["--directory", str(self.folder) if cwd else "."]
        command += ["--configfile", str(self.files / "config.yaml"), "--profile", str(self.files / "profile"), *words]
        environment = {k: v for k, v in self.environment.items() if k not in ("PYTHONPATH", "PYTHONSAFEPATH")}
        with open(self.output, "w") as output:
            self.run = subprocess.Popen(
                self.cluster.on_host(command),
                cwd=cwd or self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                text=True,
                start_new_session=True,
            )
        return self.run

    def finish(self, seconds: float = 120) -> int:
        """Wait for Snakemake to end; returns its exit code."""
        assert self.run is not None
        try:
            return self.run.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still running after {seconds} s\n{self.said()}\n{self.log()}") from None

    def said(self) -> str:
        """Return all that Snakemake has printed."""
        return self.output.read_text()

    def told(self, model: str = "m") -> str:
        """Return the line that the broker tells of a server."""
        return str((self.note(model, "status.json") or {}).get("line"))

    def results(self, name: str, model: str = "m") -> Path:
        """Return a file of the results of the benchmark."""
        return self.folder / "results" / model / "eval-results" / "tiny" / name

    def asked(self) -> int:
        """Return how many completions the stub has been asked for in all."""
        return len(self.requests.read_text().splitlines()) if self.requests.exists() else 0

    def again(self) -> int:
        """Return how many times the stub was asked for a sample that it had been asked for before."""
        lines = self.requests.read_text().splitlines()
        return len(lines) - len(set(lines))

    def submitted(self) -> int:
        """Return how many jobs this cluster has ever seen."""
        told = self.cluster.run("squeue", "--noheader", "--states=all", "--format=%i").split()
        return max(map(int, told), default=0)

    def until_asked(self, count: int, seconds: float = 60) -> None:
        """Wait until the stub was asked for `count` completions."""
        self.until(lambda: self.asked() >= count or self._over(), f"{count} requests", seconds)
        assert self.asked() >= count, self.said()

    def _over(self) -> bool:
        """Return whether Snakemake has ended."""
        return self.run is not None and self.run.poll() is not None

    def broker(self) -> int:
        """Return the process id of the broker."""
        return self.process("serving.broker.broker")

    def complete(self) -> bool:
        """Return whether both metrics of the first model are there, counted over all seeds."""
        metrics = json.loads(self.results("metrics.json").read_text())
        return bool(metrics["tiny"]["pass@1[avg-of-2]"]["symbolic_correct"] == 100.0)

    def end(self) -> None:
        """End Snakemake and what it left."""
        if self.run is not None and self.run.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.run.pid, signal.SIGKILL)
            self.run.wait()
            time.sleep(1)
        super().end()
