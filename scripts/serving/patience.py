"""A seed that waits for its server must not be killed by its own time limit: it gives its node back before that.

It puts its own job back into Slurm's queue (`scontrol requeue`), which Snakemake sees as a job that waits again: no
failure is counted. Nothing here concerns a seed whose server is there.
"""

import os
import random
import sys
import threading
import time
from pathlib import Path

from scripts.serving.slurm import ask

MARGIN = 60.0  # seconds before the limit, at least


def watch(folder: Path, heartbeat: float) -> None:
    """Watch the time that is left to this job while `folder`, run/{model}, has no endpoint; outside Slurm do nothing.

    Seeds leave up to twice as early as need be, at random: if all left at once nobody would want the server any more.
    """
    job = os.environ.get("SLURM_JOB_ID")
    if job is not None and "SEEDBED_INSIDE" not in os.environ:
        margin = max(MARGIN, 2 * heartbeat) * (1 + random.random())
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
