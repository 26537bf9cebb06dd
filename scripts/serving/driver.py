"""The driver's end of the broker: take the working directory, start the broker, stop it. Called by rules/server.smk."""

import atexit
import contextlib
import fcntl
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
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scripts.errors import InputError, RunError
from scripts.serving import notes, plans, sbatch, sites
from scripts.serving.rehearsal import rehearse
from scripts.surroundings import servers_path

ROOT = Path(__file__).resolve().parents[2]
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
    notes.write(folder / "broker.json", {**plan, "site": site, "run": run})
    try:
        rehearse(plans.read(folder / "broker.json"))
    except InputError:
        os.close(held)
        raise
    words = [sys.executable, "-m", "scripts.serving.broker", "--plan", str(folder / "broker.json")]
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
            env={**os.environ, "PATH": servers_path(), "PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1"},
        )
    assert process.stdout is not None
    readable, _, _ = select.select([process.stdout], [], [], UP_WITHIN)
    word = process.stdout.readline().strip() if readable else ""
    if word != "up":
        process.kill()
        process.wait()
        os.close(held)
        raise RunError(f"the broker did not come up: {notes.last_lines(Path('logs/broker.err'), 3)}")
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
