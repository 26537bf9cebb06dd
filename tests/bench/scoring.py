"""What scoring costs: CPU seconds, ratios to a mere line scan, peak memory, on a corpus of 480 long records.

python -m tests.bench.scoring [--folder DIR] [--small]
"""

import argparse
import json
import mmap
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from seedbed.records.lazy_json import Text
from seedbed.scoring.answers import Sample
from seedbed.scoring.definition import Definition, PatternStage
from seedbed.scoring.staged import Staged
from tests.bench.corpus import build

ROOT = Path(__file__).resolve().parents[2]
COMPILED = Path(tempfile.gettempdir()) / f"scoring-bytecode-{os.getpid()}"
# What others do: json.loads of every record, then the seed system's pattern over all of its generation, thought and
# all, to the last match. `published` is its pattern to the letter (`\\b` and all); `mended` differs by one backslash,
# has the matches of our scorer seed-compat, and is tried at fewer places, so that it takes half the time.
REST = (
    r"oxed\{|\*\*Answer\*\*[^0-9\-]{0,30}"
    r"|(?i:final answer)[^0-9\-]{0,30}|(?i:answer)\s*(?:is|=|:)[^0-9\-]{0,30})(-?\d+)"
)
PATTERNS = {"published": re.compile(r"(?:\b" + REST), "mended": re.compile(r"(?:\\b" + REST)}


def cpu(work: Callable[[], object]) -> float:
    """Return the CPU seconds that `work` takes in this process, the better of two."""
    best = float("inf")
    for _ in range(2):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def scan(files: list[Path], slices: bool) -> None:
    """Find every line of the files through a memory map, and copy it if `slices`."""
    for path in files:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            start = 0
            while (end := data.find(b"\n", start)) >= 0:
                if slices:
                    data[start:end]
                start = end + 1


def naive(files: list[Path], pattern: "re.Pattern[str]") -> None:
    """Parse every record with json and search all of its generation with re, as others do."""
    for path in files:
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                found = None
                for each in pattern.finditer(json.loads(line)["generation"]):
                    found = each
                found and found[1]


def command(*arguments: str) -> tuple[float, float]:
    """Return (CPU seconds, peak memory in MB) of a command from process start to end."""
    code = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
        "used = resource.getrusage(resource.RUSAGE_CHILDREN); "
        "print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)"
    )
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"PYTHONPATH": str(ROOT / "scripts"), "PYTHONPYCACHEPREFIX": str(COMPILED)}  # as users run it
    done = subprocess.run(
        [sys.executable, "-c", code, sys.executable, "-m", *arguments], check=True, capture_output=True, env=environment
    )
    seconds, memory = done.stdout.split()
    return float(seconds), float(memory)


def rescore(folder: Path, out: Path, scorer: str) -> tuple[float, float]:
    """Return (CPU seconds, peak MB) of a whole rescore with one scorer."""
    files = [str(path) for path in sorted(folder.glob("output-rs*.jsonl"))]
    return command(
        "seedbed", "rescore", "--alone", "--scorer", scorer, "--answer-type", "integer", "--out", str(out), *files
    )


def long_corpus(folder: Path, out: Path) -> None:
    """Print the figures of the long corpus, and how they grow with its seeds."""
    files = sorted(folder.glob("output-rs*.jsonl"))
    size = sum(path.stat().st_size for path in files)
    scan(files, slices=True)
    limit, bare = cpu(lambda: scan(files, slices=True)), cpu(lambda: scan(files, slices=False))
    print(
        f"{len(files)} seeds, {size / 1e6:.0f} MB; line scan over mmap: {limit:.3f} s CPU with slices, "
        f"{bare:.3f} s without"
    )
    others = {}
    for name, pattern in PATTERNS.items():
        start = time.process_time()
        naive(files, pattern)
        others[name] = time.process_time() - start
        print(
            f"json + re over the whole text, pattern as {name}: {others[name]:.1f} s, {others[name] / limit:.0f} x "
            f"({others[name] / bare:.0f} x)"
        )
    for scorer in ("strict", "seed-compat", "regex"):
        seconds, memory = rescore(folder, out, scorer)
        faster = ", ".join(f"{spent / seconds:.0f} ({name})" for name, spent in others.items())
        print(
            f"rescore {scorer}: {seconds:.2f} s CPU from process start, {seconds / limit:.1f} x the scan with slices "
            f"({seconds / bare:.1f} x without), {memory:.0f} MB; times faster than json + re: {faster}"
        )
    half = out.parent / "half"
    half.mkdir(exist_ok=True)
    for path in files[: len(files) // 2]:
        (half / path.name).symlink_to(path)
    for scorer in ("seed-compat", "regex"):
        less, more = rescore(half, out, scorer)[0], rescore(folder, out, scorer)[0]
        print(f"{scorer}: {less:.2f} s for half of the seeds, {more:.2f} s for all")


def small_corpus(folder: Path, out: Path) -> None:
    """Print what a rescore of 16 x 30 small records costs from process start."""
    build(folder, shortest=200, longest=2000)
    for arguments in (("--scorer", "regex"), ("--scorer", "seed-compat"), ("--scorer", "seed-compat", "regex")):
        seconds = min(command("seedbed", "rescore", str(folder), "--out", str(out), *arguments)[0] for _ in range(3))
        print(f"16 x 30 small records, strict and {' '.join(arguments[1:])}: {seconds:.2f} s CPU from process start")


def untagged(folder: Path, out: Path, problems: int) -> None:
    """Print what long texts without think tags cost, in all of which the answer may stand."""
    build(folder, seeds=4, problems=problems, tags=False)
    files = sorted(folder.glob("output-rs*.jsonl"))
    scan(files, slices=True)
    limit = cpu(lambda: scan(files, slices=True))
    for scorer in ("seed-compat", "regex"):
        seconds, memory = rescore(folder, out, scorer)
        each = 1000 * seconds / (len(files) * problems)
        print(f"no think tags, {scorer}: {each:.1f} ms a text, {seconds / limit:.0f} x the scan, {memory:.0f} MB")


def hostile() -> None:
    """Print how long a quadratic pattern holds out on 1.6 MB, and how the shipped scorers grow on one long text."""
    text = Text.of("answer " * (1_600_000 // 7))
    for timeout in (0.5, 1.0, 2.0):
        scorer = Staged("hostile", Definition((PatternStage(r"answer[^0-9]*(\d+)"),), part="whole", timeout=timeout))
        start = time.process_time()
        state = scorer.extract(Sample(text)).state
        took = time.process_time() - start
        print(f"quadratic pattern on 1.6 MB, time-out {timeout} s: {state} after {took:.2f} s CPU")


def main() -> None:
    """Run every benchmark; what was built is deleted at the end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="an existing corpus")
    parser.add_argument("--small", action="store_true", help="a tenth of the corpus")
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="scoring-"))
    try:
        folder = options.folder or work / "corpus"
        if options.folder is None:
            build(folder, problems=3 if options.small else 30)
        long_corpus(folder.resolve(), work / "out")
        untagged(work / "untagged", work / "out", 3 if options.small else 30)
        small_corpus(work / "small", work / "small-out")
        hostile()
        print(f"peak memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")
    finally:
        shutil.rmtree(work)
        shutil.rmtree(COMPILED, ignore_errors=True)


if __name__ == "__main__":
    main()
