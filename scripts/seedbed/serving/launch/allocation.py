"""The Slurm job in which a seed runs: its time limit, and a seed as a step of the server's own allocation.

A seed that waits for its server goes back into the queue before its time limit ends it. On clusters without other nodes
a seed runs as an overlapping step beside the server.
"""

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType

from seedbed.core import files
from seedbed.records import paths
from seedbed.serving.launch import slurm
from seedbed.serving.launch.launchers import Look
from seedbed.serving.launch.slurm import ask

MARGIN = 60.0  # seconds before the limit, at least


def watch(folder: Path, lease_seconds: float) -> None:
    """Watch the time that is left to this job while `folder`, run/{model}, has no endpoint; outside Slurm do nothing.

    Seeds leave up to twice as early as need be, at random: if all left at once no seed would need the server any more.
    """
    job = os.environ.get("SLURM_JOB_ID")
    if job is not None and "SEEDBED_INSIDE" not in os.environ:
        margin = max(MARGIN, 2 * lease_seconds) * (1 + random.random())
        threading.Thread(target=_watch, args=(job, folder, margin), daemon=True).start()


def seconds_left(text: str) -> float | None:
    """Return the seconds that squeue's TIME_LEFT stands for, or None where there is no limit."""
    days, _, clock = text.strip().rpartition("-")
    try:
        total = 0
        for part in clock.split(":"):
            total = total * 60 + int(part)
        return float(total + 86400 * int(days or 0))
    except ValueError:
        return None


def _watch(job: str, folder: Path, margin: float) -> None:
    """Requeue `job` when less than `margin` seconds are left to it and there is no server yet."""
    while (told := ask(["squeue", "--noheader", f"--jobs={job}", "--format=%L"])).returncode:
        time.sleep(margin / 4)
    began, left = time.monotonic(), seconds_left(told.stdout)
    if left is None:
        return
    if left < 2 * margin:  # a limit so short that the margin would leave no time to wait at all
        margin = left / 2
    while True:
        time.sleep(min(10.0, margin / 4))
        remaining = left - (time.monotonic() - began)
        if remaining < margin and not (folder / "endpoint.json").exists():
            waited = time.monotonic() - began
            why = f"waited {waited:.0f} s for the server, {remaining:.0f} s are left to this job: back into the queue"
            print(why, file=sys.stderr, flush=True)
            ask(["scontrol", "requeue", job])
            time.sleep(margin / 2)


LOSSES = 20  # so many servers may be lost under one seed
Allocation = tuple[int, str, str, str]  # attempt, job, node, the Python that its own processes run by
INSIDE = "SEEDBED_INSIDE"  # set for the step: it must not look for an allocation again


def allocation(folder: Path) -> Allocation | None:
    """Return (attempt, job, node, Python) of the server published in `folder`, run/{model}, None while there is none.

    A server that is no job of Slurm has the job "".
    """
    endpoint = files.read_json(folder / "endpoint.json")
    if endpoint is None:
        return None
    note = files.read_json(paths.attempt_file(folder, int(endpoint["generation"]))) or {}
    if not note.get("nodes"):
        return None
    python = str(note.get("python") or sys.executable)  # the nodes may have another processor than this machine
    return int(endpoint["generation"]), str(note.get("job") or ""), str(note["nodes"][0]), python


def stands(job: str) -> bool:
    """Return whether the server's job still runs: a step that failed in it has failed by itself."""
    look = slurm.job(job) if job else Look("running", "RUNNING")
    return look is not None and look.state == "RUNNING"


def step(job: str, node: str, words: Sequence[str]) -> list[str]:
    """Return the command that runs `words` beside the server, taking neither its GPUs nor its memory."""
    if not job:
        return list(words)
    flags = ["srun", "--overlap", f"--jobid={job}", f"--nodelist={node}", "--nodes=1", "--ntasks=1"]
    return [*flags, "--cpus-per-task=1", "--gres=none", "--mem=0", "--export=ALL", "--job-name=seed", *words]


def run(words: Sequence[str], find: Callable[[], Allocation]) -> int:
    """Run Python with `words` as a step of the server's allocation and return its exit code.

    `find()` waits for an allocation and raises when that is in vain. A seed whose server is lost under it goes on in
    the next one's allocation.
    """
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("SLURM_")}
    kept = {name: os.environ[name] for name in ("SLURM_CONF",) if name in os.environ}
    running: list[subprocess.Popen[bytes]] = []
    told: list[int] = []

    def hand_on(number: int, _: FrameType | None) -> None:
        told.append(number)
        for process in running:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, hand_on)
    code, lost = 1, 0
    for _ in range(LOSSES):
        attempt, job, node, python = find()
        while attempt == lost:  # still published, though its job is gone
            time.sleep(1.0)
            attempt, job, node, python = find()
        words_of_step = step(job, node, [python, *words])
        running[:] = [subprocess.Popen(words_of_step, env={**inherited, **kept, INSIDE: job}, start_new_session=True)]
        code = running[0].wait()
        if code == 0 or told or stands(job):
            break
        lost = attempt
    return code
