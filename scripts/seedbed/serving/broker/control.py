"""The driver's side of the broker: lock the working directory, check the servers' plan, start and stop the broker."""

import atexit
import contextlib
import fcntl
import itertools
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from seedbed.core import environment, files
from seedbed.core.errors import InputError, RunError
from seedbed.records import paths
from seedbed.serving.launch import sbatch
from seedbed.serving.node import role as roles
from seedbed.serving.node.addresses import arrange
from seedbed.serving.node.role import Slot
from seedbed.serving.spec import plan as plans
from seedbed.serving.spec import site as sites
from seedbed.serving.spec.plan import Plan, ServerPlan
from seedbed.serving.spec.server_file import Role

FIRST_PORT = 20000
START_SECONDS = 60.0  # how long the broker may take to say that it is up
STOP_SECONDS = 90.0  # how long the broker may take to end its servers
PREDECESSOR_SECONDS = 60.0  # how long to wait for the broker of a killed driver, which is ending its servers


def check_plan(plan: Plan, inherited: Mapping[str, str] = os.environ) -> None:
    """Raise InputError, naming model, role and key, where a server could not be started as its file says.

    Looks at every process of every server that a job of the run waits for, before any of them is started.
    """
    for server in (one for one in plan.servers.values() if one.outputs):
        try:
            _check_server(plan, server, inherited)
        except InputError as error:
            named = f"server of {server.model}: "
            raise InputError(f"{named}{str(error).removeprefix(named)}") from None


def _check_server(plan: Plan, server: ServerPlan, inherited: Mapping[str, str]) -> None:
    """Raise InputError where one server could not be started as its file says."""
    slurm = plan.launcher == "slurm"
    pyxis = slurm and any(role.container for role in server.roles) and sites.has_pyxis(plan.site)
    gres = slurm and sites.has_gres(plan.site)
    nodes = node_names(server) if slurm else ["localhost"]
    more = {**plan.site.programs, "scratch": "scratch"}
    secrets = [name for role in server.roles for name in role.secrets]
    for slot in arrange(server, nodes, {node: node for node in nodes}, counted_ports(), more):
        roles.environment(slot, inherited, secrets, {})
        command_words(slot)
        if slurm:
            roles.slurm_command(slot, "JOB", plan.site, pyxis, gres)


def command_words(slot: Slot) -> list[str]:
    """Return the words of a process's command and of its version's; raises InputError for an unknown placeholder."""
    version = roles.fill(slot.role.version, slot.values, f"role {slot.role.name}: version")
    return [*roles.local_command(slot), *version]


def node_names(server: ServerPlan) -> list[str]:
    """Return a name for each node of a server's job; as many as its roles need where `slurm_extra` may set them."""
    needed = sum(role.count * role.nodes for role in server.roles if role.gpus)
    count = server.resources.get("nodes") or (needed if server.resources.get("slurm_extra") else 1)
    return [f"node{number + 1}" for number in range(max(1, int(count)))]


def counted_ports() -> Callable[[Role, str, bool], int]:
    """Return a source of ports that looks at no machine: the fixed port of a role, else the host's next number."""
    given: dict[str, itertools.count[int]] = {}

    def port(role: Role, host: str, _: bool) -> int:
        number = next(given.setdefault(host, itertools.count(FIRST_PORT)))
        return role.port or number

    return port


def write_plan(plan: Plan, folder: Path = paths.RUN) -> Plan:
    """Write run/broker.json under a new run id and return it; raises InputError where a server could not start."""
    written = replace(plan, run=uuid.uuid4().hex)
    if plan.launcher == "slurm":
        sbatch.check(server.resources for server in plan.servers.values())
    files.write_json(folder / "broker.json", plans.to_json(written))
    check_plan(written)
    return written


class BrokerProcess:
    """A running broker, started by this driver. It ends with `stop`, at the latest with this process."""

    def __init__(self, held: int, folder: Path = paths.RUN) -> None:
        """Start the broker of the plan in `folder`; `held` is the lock's descriptor, which the broker shares.

        Raises RunError, and releases the lock, when the broker does not come up.
        """
        words = [sys.executable, "-m", "seedbed.serving.broker.broker", "--plan", str(folder / "broker.json")]
        words += ["--driver-pid", str(os.getpid()), "--lock-fd", str(held)]
        log = paths.LOGS / "broker.err"
        log.parent.mkdir(exist_ok=True)
        with log.open("a", encoding="utf-8") as errors:
            self.process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                pass_fds=(held,),
                start_new_session=True,  # Ctrl-C in the terminal must reach the driver alone
                env={**os.environ, **environment.variables(), "PATH": environment.path_of_servers()},
            )
        assert self.process.stdout is not None
        readable, _, _ = select.select([self.process.stdout], [], [], START_SECONDS)
        if not readable or self.process.stdout.readline().strip() != "up":
            self.process.kill()
            self.process.wait()
            os.close(held)
            raise RunError(f"the broker did not start: {files.last_lines(log, 3)}")
        self.stopping = False
        atexit.register(self.stop)
        threading.Thread(target=self._end_run_with_broker, daemon=True).start()
        for signum in (signal.SIGINT, signal.SIGTERM):  # a background job of a shell ignores SIGINT until here
            signal.signal(signum, signal.default_int_handler)

    def stop(self) -> None:
        """End the broker and, through it, every server; returns when they are gone. May be called again."""
        self.stopping = True
        atexit.unregister(self.stop)
        if self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def _end_run_with_broker(self) -> None:
        """End the run, as Ctrl-C does, when its broker ends by itself: the seeds would wait for servers in vain."""
        self.process.wait()
        if not self.stopping:
            code = self.process.returncode
            print(f"error: the broker ended by itself (exit code {code}); see logs/broker.err", file=sys.stderr)
            os.kill(os.getpid(), signal.SIGINT)


def is_locked(folder: Path = paths.RUN) -> bool:
    """Return whether a driver, or the broker that a killed driver left, holds the working directory."""
    try:
        probe = os.open(folder / "driver.lock", os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(probe, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(probe)
    return False


def lock(pid: int, folder: Path = paths.RUN) -> int:
    """Lock the working directory for the driver `pid` and return the lock's descriptor.

    Raises InputError if another run holds it. The broker of a killed driver keeps the lock for the seconds it takes to
    end its servers; this waits for it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "driver.lock"
    held = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    deadline = time.monotonic() + PREDECESSOR_SECONDS
    while True:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            holder = _holder(held)
            gone = holder.get("host") == socket.gethostname() and not _exists(int(holder.get("pid", 0)))
            if gone and time.monotonic() < deadline:
                time.sleep(0.2)
                continue
            os.close(held)
            who = f"process {holder.get('pid')} on {holder.get('host')}"
            if gone:
                who += ", itself gone: what it left in the queue is still being cancelled"
            raise InputError(
                f"{path.absolute()}: another run holds this folder ({who}); wait for it or end it "
                "(`snakemake --unlock` does not help here: the lock goes with the process)"
            ) from None
    os.ftruncate(held, 0)
    os.pwrite(held, json.dumps({"pid": pid, "host": socket.gethostname()}).encode(), 0)
    return held


def _holder(held: int) -> dict[str, Any]:
    """Return what the holder of the lock wrote about itself."""
    try:
        value = json.loads(os.pread(held, 4096, 0))
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _exists(pid: int) -> bool:
    """Return whether a process of this machine has this id and is no zombie."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except OSError:  # another user's, or no /proc here
        return True
