"""A working directory with a broker in it, started by a driver that is a process of its own and can be killed."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
STUB = Path(__file__).with_name("stub_model.py")
DRIVER = """
import os, sys
from pathlib import Path
from seedbed.core.errors import exit_code
from seedbed.serving.broker import control
from seedbed.serving.spec import plan
def main():
    held = control.lock(os.getpid())
    control.write_plan(plan.read(Path("plan.json")))
    broker = control.BrokerProcess(held)
    print("up", flush=True)
    for line in sys.stdin:
        if line.strip() == "stop":
            break
    broker.stop()
    print("down", flush=True)
sys.exit(exit_code(main))
"""


def stub_server(*words: str, **fields: Any) -> dict[str, Any]:
    """Return a server definition whose one role is the stub, told `words`."""
    command = ["{python}", str(STUB), "--host", "{host}", "--port", "{port}", "--model", "{served_name}", *words]
    return {"kind": "roles", "readiness": {"timeout": 30}, "roles": [{"name": "stub", "command": command, **fields}]}


class Workplace:
    """Drives a broker in `folder` and plays the seeds that want its servers."""

    def __init__(self, folder: Path, environment: Mapping[str, str] | None = None) -> None:
        """Work in `folder`, with `environment` for the driver."""
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        inherited = dict(os.environ if environment is None else environment)
        self.environment = {**inherited, "PYTHONPATH": str(ROOT / "scripts"), "PYTHONSAFEPATH": "1"}
        self.driver: subprocess.Popen[str] | None = None

    def start(self, servers: Mapping[str, Mapping[str, Any]], **plan: Any) -> "subprocess.Popen[str]":
        """Start a driver whose plan has these servers, and return it once its broker is up."""
        entries = {name: {"server": entry} if "server" not in entry else dict(entry) for name, entry in servers.items()}
        plan = {"launcher": "local", "lease_seconds": 6.0, "idle_seconds": 1.0, "poll": 0.1, "max_servers": 2, **plan}
        (self.folder / "plan.json").write_text(json.dumps({**plan, "servers": entries}))
        process = self.spawn()
        assert process.stdout is not None
        word = process.stdout.readline().strip()
        assert word == "up", process.communicate(timeout=30)
        self.driver = process
        return process

    def spawn(self) -> "subprocess.Popen[str]":
        """Start a driver on the plan that is in the folder, come up or not."""
        return subprocess.Popen(
            [sys.executable, "-c", DRIVER],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def stop(self) -> None:
        """Tell the driver to end its run, and wait for it."""
        if self.driver is not None and self.driver.poll() is None:
            out, err = self.driver.communicate("stop\n", timeout=90)
            assert "down" in out, err

    def want(self, model: str, *seeds: str) -> None:
        """Touch the wants of `seeds`, as running seeds do."""
        folder = self.folder / "run" / model / "want"
        folder.mkdir(parents=True, exist_ok=True)
        for seed in seeds or ("a",):
            (folder / seed).touch()

    def leave(self, model: str) -> None:
        """Remove every want of a model, as seeds do that end."""
        for path in (self.folder / "run" / model / "want").glob("*"):
            path.unlink()

    def until(self, there: Callable[[], Any], what: str, seconds: float = 30, wanted: Sequence[str] = ()) -> Any:
        """Return what `there()` gives once it is true, meanwhile wanting the models in `wanted`."""
        deadline = time.monotonic() + seconds
        while True:
            for model in wanted:
                self.want(model)
            value = there()
            if value:
                return value
            assert time.monotonic() < deadline, f"{what}: not within {seconds} s\n{self.log()}"
            time.sleep(0.05)

    def endpoint(self, model: str, seconds: float = 30) -> dict[str, Any]:
        """Return the endpoint of a model, wanted until it is there; a failed server fails the test."""

        def there() -> dict[str, Any] | None:
            assert not self.failed(model), self.failed(model)
            return self.note(model, "endpoint.json")

        found: dict[str, Any] = self.until(there, f"endpoint of {model}", seconds, [model])
        return found

    def note(self, model: str, name: str) -> dict[str, Any] | None:
        """Return a file of run/{model} as JSON, or None."""
        with contextlib.suppress(OSError, ValueError):
            value: dict[str, Any] = json.loads((self.folder / "run" / model / name).read_text())
            return value
        return None

    def failed(self, model: str) -> str:
        """Return the broker's last word on a model's server, empty while there is hope."""
        with contextlib.suppress(OSError):
            return (self.folder / "run" / model / "failed").read_text()
        return ""

    def log(self) -> str:
        """Return the broker's decisions."""
        with contextlib.suppress(OSError):
            return (self.folder / "logs" / "broker.log").read_text()
        return ""

    def family(self) -> list[int]:
        """Return the ids of the processes that work in this folder: broker, supervisors, roles; the driver not."""
        found = []
        for entry in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if entry.name.isdigit() and os.readlink(entry / "cwd") == str(self.folder):
                    state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
                    if state != "Z" and (self.driver is None or int(entry.name) != self.driver.pid):
                        found.append(int(entry.name))
        return found

    def process(self, module: str) -> int:
        """Return the id of the one Python process of this folder whose command line has `module` in it."""
        lines = {pid: Path(f"/proc/{pid}/cmdline").read_text() for pid in self.family()}
        found = [pid for pid, line in lines.items() if line.startswith(sys.executable) and module in line]
        assert len(found) == 1, (module, found)
        return found[0]

    def kill(self, *pids: int, number: signal.Signals = signal.SIGKILL) -> float:
        """Send a signal to processes of ours; returns the time of it."""
        for pid in pids:
            os.kill(pid, number)
        return time.monotonic()

    def end(self) -> None:
        """Leave nothing behind, whatever the test did."""
        if self.driver is not None:
            with contextlib.suppress(AssertionError, subprocess.TimeoutExpired, ValueError, OSError):
                self.stop()
            if self.driver.poll() is None:
                self.driver.kill()
            self.driver.wait()
            for stream in (self.driver.stdin, self.driver.stdout, self.driver.stderr):
                if stream is not None:
                    stream.close()
        for pid in self.family():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
