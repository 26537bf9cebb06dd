"""A look at every process of a run before any is started: what is wrong is told now, not when the nodes are had.

The driver's end of the broker: take the working directory, start the broker, stop it. Called by rules/server.smk.
"""

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
from pathlib import Path
from typing import Any

from seedbed.core import files
from seedbed.core.environment import SOURCES, servers_path
from seedbed.core.errors import InputError, RunError
from seedbed.serving.launch import sbatch
from seedbed.serving.node import role as commands
from seedbed.serving.node.addresses import arrange
from seedbed.serving.node.role import Slot
from seedbed.serving.spec import plan as plans
from seedbed.serving.spec import site
from seedbed.serving.spec import site as sites
from seedbed.serving.spec.plan import Plan, ServerPlan
from seedbed.serving.spec.server_file import Role

FIRST_PORT = 20000


def rehearse(plan: Plan, inherited: Mapping[str, str] = os.environ) -> None:
    """Raise InputError, naming model, role and key, where a server of the run could not be started as its file says.

    A server that no job of the run waits for is not looked at.
    """
    for server in (one for one in plan.servers.values() if one.outputs):
        try:
            _rehearse(plan, server, inherited)
        except InputError as error:
            named = f"server of {server.model}: "
            raise InputError(f"{named}{str(error).removeprefix(named)}") from None


def _rehearse(plan: Plan, server: ServerPlan, inherited: Mapping[str, str]) -> None:
    """Raise InputError where one server could not be started as its file says."""
    slurm = plan.launcher == "slurm"
    pyxis = slurm and any(role.container for role in server.roles) and site.has_pyxis(plan.site)
    nodes = names(server) if slurm else ["localhost"]
    more = {**plan.site.programs, "scratch": "scratch"}
    secrets = [name for role in server.roles for name in role.secrets]
    for slot in arrange(server, nodes, {node: node for node in nodes}, counting(), more):
        commands.environment(slot, inherited, secrets, {})
        spoken(slot)
        if slurm:
            commands.slurm_command(slot, "JOB", plan.site, pyxis)


def spoken(slot: Slot) -> list[str]:
    """Return the words of a process and of the question for its version; raises InputError for unknown placeholders."""
    version = commands.fill(slot.role.version, slot.values, f"role {slot.role.name}: version")
    return [*commands.local_command(slot), *version]


def names(server: ServerPlan) -> list[str]:
    """Return a name for each node of a placement; as many as are needed where `slurm_extra` may say how many."""
    needed = sum(role.count * role.nodes for role in server.roles if role.gpus)
    told = server.placement.get("nodes") or (needed if server.placement.get("slurm_extra") else 1)
    return [f"node{number + 1}" for number in range(max(1, int(told)))]


def counting() -> Callable[[Role, str, bool], int]:
    """Return what gives out ports without looking at any machine: the fixed one of a role, else the host's next."""
    given: dict[str, itertools.count[int]] = {}

    def port(role: Role, host: str, _: bool) -> int:
        number = next(given.setdefault(host, itertools.count(FIRST_PORT)))
        return role.port or number

    return port


UP_WITHIN = 60.0  # seconds for the broker to say "up"
DOWN_WITHIN = 90.0  # seconds for the broker to end its servers
LEFT_BEHIND = 60.0  # seconds to wait for the broker of a killed driver, which is ending its servers
_broker: list[subprocess.Popen[str]] = []


def start(plan: Mapping[str, Any], run_dir: Path | str = "run") -> str:
    """Start the broker of this run and return the run's id once it is up.

    Raises InputError when another driver holds the folder, RunError when the broker does not come up. It is stopped by
    `stop()`, at the latest when this process ends.
    """
    folder = Path(run_dir)
    if plan.get("launcher") == "slurm":
        sbatch.check(server.get("placement") or {} for server in plan["servers"].values())
    held = lock(os.getpid(), folder)
    run = uuid.uuid4().hex
    site = plan["site"] if "site" in plan else sites.here()
    files.write_json(folder / "broker.json", {**plan, "site": site, "run": run})
    try:
        rehearse(plans.read(folder / "broker.json"))
    except InputError:
        os.close(held)
        raise
    words = [sys.executable, "-m", "seedbed.serving.broker.broker", "--plan", str(folder / "broker.json")]
    words += ["--driver-pid", str(os.getpid()), "--lock-fd", str(held)]
    Path("logs").mkdir(exist_ok=True)
    with open("logs/broker.err", "a", encoding="utf-8") as errors:
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            pass_fds=(held,),
            start_new_session=True,  # Ctrl-C in the terminal must reach the driver alone
            env={**os.environ, "PATH": servers_path(), "PYTHONPATH": str(SOURCES), "PYTHONSAFEPATH": "1"},
        )
    assert process.stdout is not None
    readable, _, _ = select.select([process.stdout], [], [], UP_WITHIN)
    word = process.stdout.readline().strip() if readable else ""
    if word != "up":
        process.kill()
        process.wait()
        os.close(held)
        raise RunError(f"the broker did not come up: {files.last_lines(Path('logs/broker.err'), 3)}")
    _broker.append(process)
    atexit.register(stop)
    threading.Thread(target=_mourn, args=(process,), daemon=True).start()
    for signum in (signal.SIGINT, signal.SIGTERM):  # a shell's background job ignores SIGINT; nothing does from here on
        signal.signal(signum, signal.default_int_handler)
    return run


def stop() -> None:
    """End the broker and, through it, every server; returns when they are gone. Harmless when there is none."""
    while _broker:
        process = _broker.pop()
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        try:
            process.wait(DOWN_WITHIN)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _mourn(process: "subprocess.Popen[str]") -> None:
    """End the run, as Ctrl-C does, when its broker ends unasked: its seeds would wait for servers in vain."""
    process.wait()
    if process in _broker:
        print(f"error: the broker ended unasked (exit code {process.returncode}); see logs/broker.err", file=sys.stderr)
        os.kill(os.getpid(), signal.SIGINT)


def alive() -> bool:
    """Return whether this process has a broker that still runs."""
    return bool(_broker) and _broker[-1].poll() is None


def held(folder: Path = Path("run")) -> bool:
    """Return whether a driver, or the broker it left behind, holds the working directory."""
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


def lock(pid: int, folder: Path = Path("run")) -> int:
    """Return the descriptor that holds the working directory for the driver `pid`; raises InputError if it is taken.

    A driver that was killed leaves its broker behind for the seconds it takes to end its servers: that is waited for.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "driver.lock"
    held = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    patience = time.monotonic() + LEFT_BEHIND
    while True:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            holder = _holder(held)
            gone = holder.get("host") == socket.gethostname() and not _exists(int(holder.get("pid", 0)))
            if gone and time.monotonic() < patience:
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
