"""Outlive the broker by a moment: when it is gone, killed or not, cancel what it and its driver left in Slurm's queue.

The lease ends what runs; a job that still waits for nodes can look at no lease.
"""

import signal
import sys
import time
from pathlib import Path

from scripts.serving.slurm import cancel_all

TRIES = 10
BETWEEN = 3.0  # seconds


def main() -> int:
    """Wait until the broker's end of the pipe closes, then cancel until nothing is left; returns 0 when that is so."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    sys.stdin.read()
    for _ in range(TRIES):
        if not cancel_all(Path.cwd()):
            return 0
        time.sleep(BETWEEN)
    return 1


if __name__ == "__main__":
    sys.exit(main())
