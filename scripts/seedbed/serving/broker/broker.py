"""Keep a model's server alive while running seeds want it, and leave none behind.

INPUTS   run/broker.json, run/{model}/want/* (touched by seeds), run/{model}/attempt-{attempt}.json (by the server)
OUTPUTS  run/{model}/{lease,key,endpoint.json,share.json,status.json,failed,server_usage.json}, logs/broker.log
"""

import argparse
import contextlib
import itertools
import os
import re
import secrets
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from seedbed.core import files
from seedbed.core.errors import exit_code
from seedbed.records import paths
from seedbed.serving.broker import lease
from seedbed.serving.broker.control import lock
from seedbed.serving.broker.server_state import Event, Record, Server, State
from seedbed.serving.launch.launchers import Launcher, LocalLauncher, Look, Refused
from seedbed.serving.launch.slurm import SlurmLauncher
from seedbed.serving.spec import plan as plans

STOP_WITHIN = 40.0  # seconds a server may take to end before it is killed
RETRY_AFTER = 15.0  # seconds before a start that was refused for a passing reason is tried again
ENDLESS_AFTER = 60.0  # seconds a job may wait for a reason that does not pass by itself
GIVE_WAY = 10.0  # seconds a model lets those before it in the config begin: seeds are not started in their order


class Broker:
    """All the servers of one run."""

    def __init__(self, plan: plans.Plan, launcher: Launcher, gone: Callable[[], bool]) -> None:
        """Serve `plan` through `launcher` until `gone()` says that the driver is no more."""
        self.plan, self.launcher, self.gone = plan, launcher, gone
        self.ending: str | None = None
        self.told = threading.Event()
        self.began = 0.0
        self.servers = {
            model: Server(server, paths.run_folder(model), Record(paths.server_usage(model), plan.run))
            for model, server in plan.servers.items()
        }
        self.table: dict[tuple[State, Event], tuple[Callable[[Server], None], State]] = {
            (State.ABSENT, Event.WANTED): (self.launch, State.STARTING),
            (State.ABSENT, Event.SPENT): (self.give_up, State.FAILED),
            (State.STARTING, Event.READY): (self.publish, State.READY),
            (State.STARTING, Event.ENDED): (self.lose, State.ABSENT),
            (State.STARTING, Event.UNWANTED): (self.stop, State.STOPPING),
            (State.STARTING, Event.ENDLESS): (self.abandon, State.STOPPING),
            (State.READY, Event.ENDED): (self.lose, State.ABSENT),
            (State.READY, Event.UNWANTED): (self.stop, State.STOPPING),
            (State.STOPPING, Event.ENDED): (self.forget, State.ABSENT),
            (State.STOPPING, Event.OVERDUE): (self.kill, State.STOPPING),
        }

    def run(self) -> None:
        """Start and stop servers until the driver is gone or says stop, then end them all."""
        self.clear()
        threading.Thread(target=self.renew, daemon=True).start()
        print("up", flush=True)
        self.log("-", f"up for {', '.join(self.servers)} ({self.plan.launcher})")
        while self.ending is None or any(self.up(server) for server in self.servers.values()):
            if self.ending is None and (self.told.is_set() or self.gone()):
                self.ending = "the driver says stop" if self.told.is_set() else "the driver is gone"
                self.log("-", f"ending: {self.ending}")
                if not self.told.is_set():
                    self.launcher.sweep()
            for server in self.servers.values():
                self.observe(server)
            for server in self.servers.values():
                self.step(server)
                self.tell(server)
            time.sleep(self.plan.poll if self.ending is None else min(self.plan.poll, 0.5))
        self.launcher.close(self.told.is_set())
        self.log("-", "down")

    def clear(self) -> None:
        """Remove what an earlier run left, and take the leases: its servers end when they see that."""
        self.launcher.sweep()
        for server in self.servers.values():
            (server.folder / "want").mkdir(parents=True, exist_ok=True)
            stale = [path for left in ("want/*", "attempt-*.json", ".clock-*") for path in server.folder.glob(left)]
            for path in [*stale, *(server.folder / name for name in ("endpoint.json", "failed", "status.json"))]:
                path.unlink(missing_ok=True)
            lease.grant(server.folder / "lease", self.plan.run)
            files.write_secret(server.folder / "key", secrets.token_hex(32))
            self.began = lease.touch(server.folder / "lease")

    def renew(self) -> None:
        """Renew the leases, from a thread: a command of the cluster that hangs must not end its servers."""
        while True:
            for server in self.servers.values():
                with contextlib.suppress(OSError):
                    lease.touch(server.folder / "lease")
            time.sleep(min(self.plan.lease_seconds / 6, 10.0))

    def step(self, server: Server) -> None:
        """Do what the table says to what happened; what a full disk does not let be written is tried again."""
        before = server.state
        action, following = self.table.get((before, self.event(server)), (None, before))
        if action is None:
            return
        try:
            server.state = following
            action(server)
        except OSError as error:
            server.state = before
            self.log(server.plan.model, f"{error.filename}: {error.strerror}")
        server.entered = time.monotonic()

    def up(self, server: Server) -> bool:
        """Return whether something of the server may still run."""
        return server.state in (State.STARTING, State.READY, State.STOPPING)

    def observe(self, server: Server) -> None:
        """Renew the lease, count the seeds that want the server, and look at where it runs."""
        now, moment = lease.touch(server.folder / "lease"), time.monotonic()
        server.wants = lease.fresh(server.folder / "want", now, self.plan.lease_seconds)
        if server.wants:
            server.waiting_since = server.waiting_since or moment
            server.last_wanted = moment
        else:
            server.waiting_since = 0.0
        server.look = self.launcher.look(server.handle) if server.handle else Look("gone")
        server.endless_since = (server.endless_since or moment) if server.look.endless else 0.0
        server.record.tick(server.state.name, server.look.phase, bool(server.wants))

    def event(self, server: Server) -> Event:
        """Return what happened to the server, the first that holds of its state."""
        moment, state = time.monotonic(), server.state
        if self.up(server) and server.look.phase == "gone":
            return Event.ENDED
        if state is State.ABSENT:
            if server.verdict is not None:
                return Event.SPENT
            free = self.plan.max_servers - sum(self.up(other) for other in self.servers.values())
            turn = free > self.before(server) or moment - server.waiting_since >= GIVE_WAY
            wanted = server.wants and self.ending is None and free > 0 and turn and moment >= server.retry_at
            return Event.WANTED if wanted else Event.NOTHING
        if state is State.STOPPING:
            return Event.OVERDUE if moment - server.entered > STOP_WITHIN else Event.NOTHING
        if state is State.STARTING and server.note(self.plan.run).get("state") == "ready" and self.ending is None:
            return Event.READY
        if server.endless_since and moment - server.endless_since >= ENDLESS_AFTER:
            return Event.ENDLESS
        # a job that waits costs nothing and its place in the queue is worth something: seeds come back
        idle_seconds = self.plan.idle_seconds
        if server.look.phase == "pending":
            idle_seconds = max(idle_seconds, 2 * self.plan.lease_seconds)
        idle = moment - max(server.last_wanted, server.entered) >= idle_seconds
        unwanted = not server.wants and (idle or self.all_written(server))
        return Event.UNWANTED if unwanted or self.ending is not None else Event.NOTHING

    def before(self, server: Server) -> int:
        """Return how many models that stand before it in the config have seeds to come, but none here yet."""
        earlier = itertools.takewhile(lambda other: other is not server, self.servers.values())
        idle = (one for one in earlier if one.state is State.ABSENT and one.verdict is None and not one.wants)
        return sum(bool(one.plan.outputs) and not self.all_written(one) for one in idle)

    def all_written(self, server: Server) -> bool:
        """Return whether every output that this run wants of the model is there: its last seed is done."""
        written = [os.path.exists(path) and os.path.getmtime(path) >= self.began for path in server.plan.outputs]
        return bool(written) and all(written)

    def launch(self, server: Server) -> None:
        """Start the next attempt; one that is refused counts as ended at once."""
        server.attempt += 1
        server.log.parent.mkdir(parents=True, exist_ok=True)
        try:
            server.handle = self.launcher.start(server.plan.model, server.attempt, server.log)
        except Refused as refusal:
            server.handle, server.look = None, Look("gone", "REFUSED", str(refusal), blameless=refusal.passing)
            server.state, server.attempt = State.ABSENT, server.attempt - 1
            server.retry_at = time.monotonic() + RETRY_AFTER
            server.verdict = None if refusal.passing else str(refusal)
            server.refusal = str(refusal)
            self.log(server.plan.model, f"start refused: {refusal}")
            return
        server.refusal = ""
        server.record.started(server.attempt, server.handle)
        why = f"{len(server.wants)} seed(s) want it; log {server.log}"
        self.log(server.plan.model, f"start {server.attempt} as {server.handle}: {why}")

    def publish(self, server: Server) -> None:
        """Tell the seeds where the server is."""
        note = server.note(self.plan.run)
        told = {"url": note["url"], "api_key_file": str(server.folder / "key"), "generation": server.attempt}
        files.write_json(server.folder / "endpoint.json", {**told, "served_name": server.plan.served_name})
        server.record.ready(note)
        self.log(server.plan.model, f"ready at {note['url']} after {time.monotonic() - server.entered:.1f} s")

    def stop(self, server: Server) -> None:
        """Retract the endpoint and ask the server to end."""
        (server.folder / "endpoint.json").unlink(missing_ok=True)
        why = self.ending or ("its last seed is done" if self.all_written(server) else "no seed wants it")
        self.log(server.plan.model, f"stop {server.handle}: {why}")
        self.launcher.stop(str(server.handle))

    def abandon(self, server: Server) -> None:
        """Give up a job that would wait for ever."""
        server.verdict = f"its job waits for a reason that does not pass by itself: {server.look.reason}"
        self.log(server.plan.model, f"stop {server.handle}: {server.verdict}")
        self.launcher.stop(str(server.handle))

    def kill(self, server: Server) -> None:
        """End a server that did not end when asked."""
        self.log(server.plan.model, f"kill {server.handle}: still there after {STOP_WITHIN:g} s")
        self.launcher.kill(str(server.handle))

    def forget(self, server: Server) -> None:
        """Note that a stopped server is gone."""
        server.record.ended(server.look, "stopped")
        self.log(server.plan.model, f"{server.handle} is gone")
        server.handle = None

    def lose(self, server: Server) -> None:
        """Retract the endpoint of a server that ended unasked, and decide whether it may be started again."""
        (server.folder / "endpoint.json").unlink(missing_ok=True)
        note, look = server.note(self.plan.run), server.look
        said = note.get("state") == "failed"
        reason = server.without_secrets(str(note["reason"]) if said else files.last_lines(server.log, 1))
        ended = " ".join(word for word in (look.state, look.reason) if word)
        server.record.ended(look, reason)
        self.log(server.plan.model, f"{server.handle} ended ({ended}): {reason}")
        server.handle = None
        unlucky = "ready" in note or look.state in ("PREEMPTED", "NODE_FAIL", "VANISHED")
        server.faults += not (look.blameless and unlucky)
        server.details = server.without_secrets(str(note.get("details")) if said else files.last_lines(server.log))
        first_reason, server.last_reason = server.last_reason, "" if unlucky else re.sub(r"\d+", "0", reason)
        if note.get("final"):
            server.verdict = reason
        elif server.last_reason and server.last_reason == first_reason:
            server.verdict = (
                f"two starts in a row ended ({ended}) for one reason, before the server was ready: {reason}"
            )
        elif server.faults > self.plan.max_restarts:
            server.verdict = f"{server.attempt} starts, the last ended ({ended}): {reason}"
        elif self.ending is None:
            self.log(server.plan.model, f"{server.faults} fault(s), {self.plan.max_restarts} restart(s) allowed")

    def give_up(self, server: Server) -> None:
        """Tell the seeds that there will be no server, with its own last lines."""
        lines = [server.details, f"server {server.plan.model} failed: {server.verdict}"]
        files.write(server.folder / "failed", "\n".join(filter(None, lines)) + "\n")
        self.log(server.plan.model, f"given up: {server.verdict}")

    def tell(self, server: Server) -> None:
        """Write the status line and each seed's share of the concurrency."""
        waited = (time.monotonic() - server.waiting_since) / 60 if server.waiting_since else 0.0
        what = f"PENDING ({server.look.reason})" if server.look.phase == "pending" else server.state.name
        if server.state is State.ABSENT and server.wants and self.ending is None:
            what = f"WAITING ({server.refusal or 'for another server to end'})"
        line = f"server {server.plan.model}: {what}" if server.wants or server.state is not State.ABSENT else ""
        if server.wants and server.state is not State.READY:
            line += f", {len(server.wants)} seed{'s' * (len(server.wants) > 1)} waiting {waited:.0f} min"
        status = {"state": what, "wants": len(server.wants), "attempt": server.attempt, "line": line}
        share = {"streams": max(1, server.plan.concurrency // max(1, len(server.wants)))}
        for name, value in (("status.json", status), ("share.json", share)):
            with contextlib.suppress(OSError):
                if files.read_json(server.folder / name) != value:
                    files.write_json(server.folder / name, value)

    def log(self, model: str, text: str) -> None:
        """Append one decision with its time and reason to logs/broker.log."""
        with contextlib.suppress(OSError), open(paths.LOGS / "broker.log", "a", encoding="utf-8") as file:
            file.write(f"{time.strftime('%FT%T%z')} {model}: {text}\n")


def main() -> int:
    """Hold the lock of the working directory and serve until the driver is gone; returns 0."""
    parser = argparse.ArgumentParser(prog="broker", description=__doc__)
    parser.add_argument("--plan", type=Path, default=paths.BROKER_PLAN)
    parser.add_argument("--driver-pid", type=int, required=True)
    parser.add_argument("--lock-fd", type=int, help="the lock, already held, inherited from the driver")
    arguments = parser.parse_args()
    held = arguments.lock_fd if arguments.lock_fd is not None else lock(arguments.driver_pid)
    plan = plans.read(arguments.plan)
    paths.LOGS.mkdir(exist_ok=True)
    places: dict[str, Callable[[], Launcher]] = {
        "local": lambda: LocalLauncher(arguments.plan),
        "slurm": lambda: SlurmLauncher(arguments.plan, plan, held),
    }
    broker = Broker(plan, places[plan.launcher](), lambda: os.getppid() != arguments.driver_pid)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: broker.told.set())
    broker.run()
    os.close(held)
    return 0


if __name__ == "__main__":
    sys.exit(exit_code(main))
