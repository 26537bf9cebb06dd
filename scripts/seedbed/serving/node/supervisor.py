"""One server: start its roles in order, say when it is ready, end all of it when one of them dies or nobody is left.

Runs beside the broker (local) or as the batch job of the allocation (Slurm). What it knows of itself stands in
run/{model}/attempt-{attempt}.json; each role writes logs/server/{model}-{attempt}-{role}.log.
"""

import argparse
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from seedbed.core import files
from seedbed.core.errors import InputError, RunError, exit_code
from seedbed.core.secrets import strike
from seedbed.records import paths
from seedbed.serving.broker.lease import Watch
from seedbed.serving.node import readiness, server_versions
from seedbed.serving.node.addresses import place
from seedbed.serving.node.role import RoleProcess, ServerEnded, command, end_all
from seedbed.serving.node.server_versions import Ran
from seedbed.serving.spec import plan as plans
from seedbed.serving.spec.server_file import KEY_CONFIG, frontend

TICK = 0.25  # seconds between looks at the roles
LEASE_TICK = 1.0  # seconds between looks at the lease
ROLL_TICK = 2.0  # seconds between looks at the workers behind a frontend


class Supervisor:
    """The life of one server, from its first role to its last."""

    def __init__(self, plan: plans.Plan, model: str, attempt: int) -> None:
        """Supervise attempt number `attempt` of the server of `model` in `plan`."""
        self.plan, self.server, self.attempt = plan, plan.servers[model], attempt
        self.folder = paths.run_folder(model)
        self.state_file = paths.attempt_file(self.folder, attempt)
        self.key_file = self.folder / "key"
        self.scratch = self.folder / f"scratch-{attempt}"  # seen by every node, empty at the start
        self.clock = self.folder / f".clock-{attempt}"
        self.watch = Watch(self.folder / "lease", plan.run, plan.lease_seconds, self.clock)
        self.parent = os.getppid()
        self.told_to_end = threading.Event()
        self.next_lease = 0.0
        self.running: list[RoleProcess] = []
        self.lost: str | None = None
        self.key = ""
        self.ran = Ran(plan, self.server, attempt)
        self.state: dict[str, Any] = {
            "run": plan.run,
            "attempt": attempt,
            "state": "starting",
            "pid": os.getpid(),
            "job": os.environ.get("SLURM_JOB_ID"),
            "python": sys.executable,
            "started": time.time(),
        }

    def run(self) -> int:
        """Serve until asked to end; returns 0 then, and raises RunError when the server ended by itself."""
        try:
            self.start()
            while not self.ended():
                self.told_to_end.wait(TICK)
        except (InputError, RunError) as error:
            details = error.details if isinstance(error, ServerEnded) else ""
            self.tell("failed", reason=str(error), details=details, final=isinstance(error, InputError))
            raise
        finally:
            end_all(self.running)
            for clock in self.folder.glob(f"{self.clock.name}*"):
                clock.unlink(missing_ok=True)
            shutil.rmtree(self.scratch, ignore_errors=True)
        self.tell("stopped", reason="asked to end")
        return 0

    def start(self) -> None:
        """Start the roles in their order, each wave after the one before is up, and wait until the server is ready."""
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.scratch.mkdir(parents=True)
        self.key = self.key_file.read_text(encoding="utf-8").strip()
        files.write_secret(self.scratch / KEY_CONFIG, f'api-key: "{self.key}"\n')
        slots = place(self.server, self.plan, self.scratch)
        first = frontend(self.server.roles)
        front = next(slot for slot in slots if slot.role.name == first.name)
        url = f"http://{front.values['host']}:{front.values['port']}/v1"
        self.tell("starting", url=url, nodes=sorted({slot.node for slot in slots}))
        deadline = time.monotonic() + self.server.ready_within
        for wave in sorted({slot.role.start for slot in slots}):
            started = [slot for slot in slots if slot.role.start == wave]
            for slot in started:
                self.running.append(RoleProcess.start(slot, self.plan, self.server, self.attempt))
                self.ran.launched(self.running[-1])
            for slot in started:
                if "path" in slot.role.readiness and slot.rank == 0:
                    where = f"http://{slot.values['host']}:{slot.values['port']}{slot.role.readiness['path']}"
                    self.wait(deadline, f"role {slot.label}", partial(readiness.answers, where))
        wanted = readiness.expected(self.server.roles)
        self.wait(deadline, "server", partial(readiness.missing, url, wanted))
        self.wait(deadline, "server", partial(readiness.not_ready, url, self.server.served_name, self.key))
        if not self.told_to_end.is_set():
            threading.Thread(target=self.call_roll, args=(readiness.Roll(url, wanted),), daemon=True).start()
            self.tell("ready", url=url, ready=time.time())
            threading.Thread(target=self.ask_versions, args=(url, self.key), daemon=True).start()

    def wait(self, deadline: float, what: str, reason: Callable[[], str | None]) -> None:
        """Return when `reason()` gives none or the server is asked to end; raises RunError past `deadline`.

        The questions are asked from a thread: one that hangs must not hide the death of a role.
        """
        said: list[str | None] = ["nothing answered yet"]
        threading.Thread(target=_ask, args=(reason, said, self.told_to_end, [self.key]), daemon=True).start()
        while said[-1] is not None and not self.ended():
            if time.monotonic() > deadline:
                logs = "\n".join(process.account() for process in self.running)
                raise ServerEnded(f"{what} not ready after {self.server.ready_within:g} s: {said[-1]}", logs)
            self.told_to_end.wait(TICK)

    def ask_versions(self, url: str, key: str) -> None:
        """Note what the server and its roles say of their versions, from a thread: it may take a while."""
        guarded = server_versions.guarded(url)
        if not guarded:
            print(f"warning: {url} answers without a key: whoever reaches its port can use it", flush=True)
        self.ran.told(version=server_versions.of_frontend(url, key), guarded=guarded)
        for process, entry in zip(self.running, self.ran.entry["processes"], strict=True):
            if (slot := server_versions.asking(process.slot)) is not None:
                entry["version"] = server_versions.told_by(command(slot, self.plan), process.environment)
        self.ran.save()

    def call_roll(self, roll: readiness.Roll) -> None:
        """Look at the registered workers until some are lost, from a thread: a frontend may be slow to tell."""
        while self.lost is None and not self.told_to_end.wait(ROLL_TICK):
            self.lost = roll.call()

    def ended(self) -> bool:
        """Return whether the server is asked to end; raises RunError when a role died or nobody is left."""
        for process in self.running:
            if process.code() is not None and not self.told_to_end.is_set():
                raise process.death()
        if self.lost is not None and not self.told_to_end.is_set():
            logs = "\n".join(process.account() for process in self.running)
            raise ServerEnded(f"a worker was lost though no process ended: {self.lost}", logs)
        if time.monotonic() >= self.next_lease:
            self.ran.seen()
            self.next_lease = time.monotonic() + LEASE_TICK
            lost = self.watch.lost()
            if self.plan.launcher == "local" and os.getppid() != self.parent:
                lost = "the broker is gone"
            if lost is not None:
                raise RunError(lost)
        return self.told_to_end.is_set()

    def tell(self, state: str, **facts: object) -> None:
        """Write the state of the server into its state file."""
        self.state.update(facts, state=state, time=time.time())
        files.write_json(self.state_file, self.state)
        over = {"ended": time.time()} if state in ("failed", "stopped") else {}
        known = {name: facts[name] for name in ("nodes", "ready", "reason") if name in facts}
        self.ran.told(state=state, job=self.state["job"], **known, **over)
        print(f"{time.strftime('%FT%T%z')} {state} {facts}", flush=True)


def _ask(reason: Callable[[], str | None], said: list[str | None], enough: threading.Event, secrets: list[str]) -> None:
    """Keep the newest answer of `reason()` in `said` until it is None, each new one logged without secrets."""
    while said[-1] is not None and not enough.wait(TICK):
        found = strike(reason(), secrets)
        if found is not None and found != said[-1]:
            print(f"not ready yet: {found}", flush=True)
        said[-1] = found


def main() -> int:
    """Supervise the server that the command line names; returns its exit code."""
    parser = argparse.ArgumentParser(prog="supervisor", description=__doc__)
    parser.add_argument("--plan", type=Path, default=paths.BROKER_PLAN)
    parser.add_argument("--model", required=True)
    parser.add_argument("--attempt", type=int, required=True)
    arguments = parser.parse_args()
    supervisor = Supervisor(plans.read(arguments.plan), arguments.model, arguments.attempt)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: supervisor.told_to_end.set())
    return supervisor.run()


if __name__ == "__main__":
    sys.exit(exit_code(main))
