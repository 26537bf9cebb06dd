"""A seed beside its server: run again as a step of the server's allocation, for clusters with no other nodes for it."""

import sys
import time
from pathlib import Path

from scripts.client.demand import Demand
from scripts.client.snapshot import Snapshot
from scripts.serving import inside

PAUSE = 0.5  # seconds between two looks for a server


def run(folder: Path, label: str, snapshot: Snapshot) -> int:
    """Run this command again beside the server of `folder`, run/{model}; returns its exit code.

    While there is none, a want named after `label` asks for it; raises RunError where waiting is in vain.
    """

    def find() -> inside.Allocation:
        with Demand(folder, f"{label}-outside", snapshot.concurrency, snapshot.heartbeat, True) as demand:
            while (found := inside.allocation(folder)) is None:
                demand.check()
                time.sleep(PAUSE)
        return found

    return inside.run(["-m", "scripts.generate", *sys.argv[1:]], find)
