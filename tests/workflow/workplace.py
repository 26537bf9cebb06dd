"""A copy of the project and a working folder of its own, in which a test runs the real Snakemake."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("Snakefile", "rules", "scripts", "config", "profiles", "envs", "pyproject.toml")
STUB = ROOT / "tests" / "serving" / "stub_model.py"
SNAKEMAKE = [sys.executable, "-m", "snakemake"]


@dataclass
class Ran:
    """What one call of Snakemake did: exit code, what it printed, how many jobs of each rule."""

    code: int
    text: str
    jobs: dict[str, int]


@dataclass
class Workplace:
    """`project` is the copy of the checkout, `work` the working folder, `config` what --configfile names."""

    project: Path
    work: Path
    config: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def made(cls, folder: Path, config: Mapping[str, Any]) -> "Workplace":
        """Return a fresh workplace below `folder`."""
        place = cls(folder / "project", folder / "work", dict(config))
        place.project.mkdir(parents=True)
        place.work.mkdir()
        for part in PARTS:
            source = ROOT / part
            if source.is_dir():
                shutil.copytree(source, place.project / part, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy2(source, place.project / part)
        return place

    def copied(self, folder: Path, with_metadata: bool = True) -> "Workplace":
        """Return a copy of everything with its times, elsewhere."""
        ignore = None if with_metadata else shutil.ignore_patterns(".snakemake")
        shutil.copytree(self.project, folder / "project")
        shutil.copytree(self.work, folder / "work", ignore=ignore)
        return Workplace(folder / "project", folder / "work", json.loads(json.dumps(self.config)))

    @property
    def results(self) -> Path:
        """Return the folder of results."""
        return self.work / "results"

    def outputs(self, model: str, benchmark: str) -> Path:
        """Return the folder of a model's outputs for a benchmark."""
        return self.results / model / "eval-results" / benchmark

    def command(self, *arguments: str) -> list[str]:
        """Return the words of a call of Snakemake in this workplace."""
        path = self.work.parent / "config.yaml"
        path.write_text(yaml.safe_dump(self.config, sort_keys=False))
        where = ["--snakefile", str(self.project / "Snakefile"), "--directory", str(self.work)]
        return [*SNAKEMAKE, *where, "--configfile", str(path), "--cores", "2", *arguments]

    def environment(self) -> dict[str, str]:
        """Return the environment of a call: nothing of the tests' own."""
        dropped = ("PYTEST", "COV", "SNAKEMAKE", "PYTHONPATH")
        return {name: value for name, value in os.environ.items() if not name.startswith(dropped)}

    def run(self, *arguments: str, timeout: float = 120, **variables: str) -> Ran:
        """Run Snakemake to its end."""
        done = subprocess.run(
            self.command(*arguments),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout,
            cwd=self.work.parent,
            env=self.environment() | variables,
        )
        return Ran(done.returncode, done.stdout, jobs_in(done.stdout))

    def plan(self, *arguments: str) -> dict[str, int]:
        """Return the jobs that Snakemake would run, `all` left out."""
        ran = self.run("--dry-run", *arguments)
        assert ran.code == 0, ran.text
        return ran.jobs

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start Snakemake in a process group of its own, its output going to run.log."""
        log = open(self.work.parent / "run.log", "w")  # noqa: SIM115 - it lives as long as the process
        with log:
            return subprocess.Popen(
                self.command(*arguments),
                stdout=log,
                stderr=subprocess.STDOUT,
                text=True,
                cwd=self.work.parent,
                env=self.environment(),
                start_new_session=True,
            )

    def log(self) -> str:
        """Return what the run that `start` began has printed."""
        return (self.work.parent / "run.log").read_text()

    def module(self, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run `python -m seedbed NAME` in the working folder."""
        return subprocess.run(
            [sys.executable, "-m", "seedbed", name, *arguments],
            capture_output=True,
            text=True,
            cwd=self.work,
            env=self.environment() | {"PYTHONPATH": str(self.project / "scripts")},
            timeout=120,
        )

    def processes(self) -> list[int]:
        """Return the ids of all processes that run in, or name, this workplace."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                try:
                    words = (entry / "cmdline").read_bytes().decode(errors="replace")
                    state = (entry / "stat").read_text().rsplit(")", 1)[1].split()[0]
                    folder = os.readlink(entry / "cwd")
                except OSError:
                    continue
                if state != "Z" and (str(self.work.parent) in words or folder.startswith(str(self.work))):
                    found.append(int(entry.name))
        return found

    def coverage(self, model: str, benchmark: str) -> dict[str, Any]:
        """Return coverage.json of a pair."""
        value: dict[str, Any] = json.loads((self.outputs(model, benchmark) / "coverage.json").read_text())
        return value


def jobs_in(text: str) -> dict[str, int]:
    """Return the jobs of each rule in Snakemake's first table of jobs, `all` left out."""
    table = re.search(r"^job +count\n-[- ]+\n(.*?)^total", text, re.MULTILINE | re.DOTALL)
    rows = [line.split() for line in table[1].splitlines()] if table else []
    return {name: int(count) for name, count in rows if name != "all"}


def kill_group(process: subprocess.Popen[str]) -> None:
    """End a process started by `start`, and all of its group, at once."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def benchmark_file(folder: Path, name: str, rows: int = 3, **changes: Any) -> Path:
    """Write a benchmark of `rows` sums of our own; returns its file."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        {"id": f"{name}-{i}", "problem": f"What is {i} plus 1?", "expected_answer": str(i + 1)} for i in range(rows)
    ]
    (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    path = folder / f"{name}.yaml"
    asked = {"source": {"file": f"{name}.jsonl"}, "prompt": "Solve it. {problem}", "answer_type": "integer"}
    path.write_text(yaml.safe_dump(asked | changes))
    return path


def server_file(folder: Path, name: str, *options: str, **changes: Any) -> Path:
    """Write a server of one role, the stand-in model; returns its file."""
    folder.mkdir(parents=True, exist_ok=True)
    words = ["{python}", str(STUB), "--host", "{host}", "--port", "{port}", "--model", "{served_name}", *options]
    path = folder / f"{name}.yaml"
    role = {"name": "server", "command": words, "frontend": True}
    path.write_text(yaml.safe_dump({"kind": "roles", "roles": [role], "readiness": {"timeout": 60}} | changes))
    return path
