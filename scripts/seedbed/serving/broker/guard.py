"""Cancel what a killed broker and its driver left in Slurm's queue; this process outlives them by a moment.

The lease ends a server that runs. A job that still waits for nodes cannot look at a lease.
"""

import signal
import sys
import time
from pathlib import Path

from seedbed.serving.launch.slurm import ORDERLY, cancel_all

BETWEEN = 3.0  # seconds between two looks
CLEAN = 3  # so many looks in a row must find nothing after a kill: a submission may have been under way
LOOKS = 200  # in all, for a slurmctld that does not answer: ten minutes


def main() -> int:
    """Wait until the broker's end of the pipe closes, then cancel until nothing is left; returns 0 when that is so."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    wanted = 1 if sys.stdin.read() == ORDERLY else CLEAN
    clean = 0
    for _ in range(LOOKS):
        clean = clean + 1 if cancel_all(Path.cwd()) == [] else 0
        if clean == wanted:
            return 0
        time.sleep(BETWEEN)
    return 1


if __name__ == "__main__":
    sys.exit(main())
