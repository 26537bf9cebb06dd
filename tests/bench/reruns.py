"""What an edit of the broad scorer costs: CPU of the run that follows it, over that of a run with nothing to do.

By hand: python -m tests.bench.reruns [--repeats 3]. The answers come from a stand-in for a model server.
"""

import argparse
import os
import resource
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from tests.client.stub_server import StubServer
from tests.workflow.conftest import answer
from tests.workflow.workplace import Workplace, benchmark_file

SIZES = ((1, 1), (20, 4))  # models, benchmarks
SEEDS, PROBLEMS = 16, 5
EDITS = ("look_back: false", "look_back: true")


def finished(folder: Path, server: StubServer, models: int, benchmarks: int) -> Workplace:
    """Return a finished run of so many models and benchmarks, with a scorer of its own to edit."""
    endpoint = {"endpoint": server.url, "served_name": "stub"}
    place = Workplace.made(folder, {})
    shutil.copy(place.project / "config" / "scorers" / "regex.yaml", place.work / "broad.yaml")
    place.config = {
        "models": {f"m{number:02}": endpoint for number in range(models)},
        "benchmarks": [str(benchmark_file(folder / "own", f"sums-{number}", PROBLEMS)) for number in range(benchmarks)],
        "seeds": {"start": 42, "count": SEEDS},
        "sampling": {"max_tokens": 64},
        "scorers": ["strict", str(place.work / "broad.yaml")],
    }
    ran = place.run(timeout=3600)
    assert ran.code == 0, ran.text
    return place


def cost(place: Workplace) -> float:
    """Return the CPU seconds of a run in this workplace, with all that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command, environment = place.command("--quiet"), place.environment()
    subprocess.run(command, cwd=place.work.parent, env=environment, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def edit(place: Workplace) -> None:
    """Change what the broad scorer does."""
    path = place.work / "broad.yaml"
    text = path.read_text()
    old, new = EDITS if EDITS[0] in text else EDITS[::-1]
    assert old in text
    path.write_text(text.replace(old, new))


def compared(place: Workplace, size: str, repeats: int) -> float:
    """Print and return the least cost of an edit over the least cost of nothing to do, by turns."""
    idle, edited = [], []
    for _ in range(repeats):
        idle.append(cost(place))
        edit(place)
        edited.append(cost(place))
    ratio = min(edited) / min(idle)
    print(f"{size}: nothing to do {min(idle):.2f} s CPU, the scorer edited {min(edited):.2f} s, {ratio:.2f} x")
    return ratio


def main() -> None:
    """Measure every size; what was built is deleted at the end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    for models, benchmarks in SIZES:
        folder = Path(tempfile.mkdtemp(prefix="reruns-"))
        try:
            with StubServer(answer) as server:
                place = finished(folder, server, models, benchmarks)
            compared(place, f"{models} models × {benchmarks} benchmarks", options.repeats)
        finally:
            shutil.rmtree(folder)
    print(f"load {os.getloadavg()[0]:.1f}, {time.strftime('%Y-%m-%d')}")


if __name__ == "__main__":
    main()
