"""A working folder with one model, one benchmark and a snapshot, in which `generate` runs as in a workflow."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FINGERPRINT = "f" * 64


class Workplace:
    """Writes what `generate` reads, runs it, reads what it wrote."""

    def __init__(self, folder: Path, rows: int = 3) -> None:
        """Lay out `rows` rows whose answers are their numbers."""
        self.folder = folder
        self.snapshot: dict[str, Any] = {
            "model": "m",
            "served_name": "stub",
            "endpoint": None,
            "concurrency": 8,
            "timeouts": {"first_byte": None, "silence": 20, "server_wait": 60},
            "retries": {"attempts": 4, "backoff": 0.05, "backoff_max": 0.2},
            "lease_seconds": 60.0,
            "benchmarks": {
                "b": {
                    "prompt": "Say {problem}",
                    "answer_type": "integer",
                    "sampling": {"temperature": 1.0, "max_tokens": 16},
                    "request_fingerprint": FINGERPRINT,
                }
            },
        }
        self.server = folder / "results/m/server.spec.json"
        self.data = folder / "resources/b/test.jsonl"
        for path in (self.server, self.data):
            path.parent.mkdir(parents=True, exist_ok=True)
        self.server.write_text('{"flags": []}')
        self.rows(rows)

    def rows(self, count: int) -> None:
        """Write the dataset."""
        rows = [{"id": f"b-{n}", "problem": f"number {n}", "expected_answer": str(n)} for n in range(count)]
        self.data.write_text("".join(json.dumps(row) + "\n" for row in rows))

    def out(self, seed: int = 42) -> Path:
        """Return the output file of a seed."""
        return self.folder / f"results/m/eval-results/b/output-rs{seed}.jsonl"

    def store(self, seed: int = 42) -> Path:
        """Return the store of a seed."""
        return self.folder / f"store/m/b/rs{seed}.jsonl"

    def command(self, seed: int = 42) -> list[str]:
        """Return the command line of a generate job, its snapshot written if it has changed."""
        run = self.folder / "run/m/client.json"
        run.parent.mkdir(parents=True, exist_ok=True)
        content = json.dumps(self.snapshot)
        if not run.exists() or run.read_text() != content:
            run.write_text(content)
        return [
            *(sys.executable, "-m", "seedbed", "generate", "--run", "run/m/client.json", "--benchmark", "b"),
            *("--seed", str(seed), "--data", "resources/b/test.jsonl", "--server", "results/m/server.spec.json"),
            *("--request-fingerprint", FINGERPRINT, "--out", f"results/m/eval-results/b/output-rs{seed}.jsonl"),
        ]

    def environment(self, **more: str) -> dict[str, str]:
        """Return the environment of a job."""
        return {**os.environ, "PYTHONPATH": str(ROOT / "scripts"), "PYTHONSAFEPATH": "1", **more}

    def generate(self, seed: int = 42, prefix: Sequence[str] = (), **more: str) -> subprocess.CompletedProcess[str]:
        """Run a generate job to its end."""
        command = [*prefix, *self.command(seed)]
        environment = self.environment(**more)
        return subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=60, check=False
        )

    def begin(self, seed: int = 42, **more: str) -> subprocess.Popen[str]:
        """Start a generate job and return it running."""
        return subprocess.Popen(
            self.command(seed),
            cwd=self.folder,
            env=self.environment(**more),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def python(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run another command of the project."""
        command = [sys.executable, "-m", *arguments]
        return subprocess.run(
            command, cwd=self.folder, env=self.environment(), capture_output=True, text=True, timeout=60, check=False
        )

    def records(self, seed: int = 42) -> list[dict[str, Any]]:
        """Return the records of the output file."""
        return [json.loads(line) for line in self.out(seed).read_text().splitlines()]

    def progress(self, seed: int = 42) -> dict[str, Any]:
        """Return the progress of a job."""
        value: dict[str, Any] = json.loads((self.folder / f"run/m/progress/b-rs{seed}.json").read_text())
        return value

    def publish(self, url: str, generation: int = 1, key: str | None = None) -> None:
        """Do what the broker does when a server is ready."""
        told: dict[str, Any] = {"url": url, "generation": generation, "served_name": "stub"}
        if key is not None:
            (self.folder / "run/m/key").write_text(key)
            told["api_key_file"] = "run/m/key"
        self.replace("run/m/endpoint.json", json.dumps(told))

    def replace(self, name: str, content: str) -> None:
        """Write a file whole, as the broker does."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.part")
        part.write_text(content)
        os.replace(part, path)
