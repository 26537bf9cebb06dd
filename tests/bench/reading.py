"""How well the scorers read public generations: one line a set, against the publisher's own verdicts.

python -m tests.bench.reading [FOLDER [SET …]]: FOLDER holds one folder a set with `output-rs0.jsonl.gz` and `type`; by
default the shared real outputs, where they are on this machine.
"""

import gzip
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from seedbed.core.environment import ROOT, SOURCES
from seedbed.scoring.answers import Scored
from seedbed.scoring.score_files import read_table
from tests.shared import SHARED

HEAD = "set                     n  strict  regex  publisher  no answer  recovered  lost  lost, publisher right  seconds"


def published(folder: Path) -> dict[str, bool | None]:
    """Return the publisher's verdict on each sample, None where there is none."""
    with gzip.open(folder / "output-rs0.jsonl.gz", "rt", encoding="utf-8") as file:
        rows: list[dict[str, Any]] = [json.loads(line) for line in file]
    return {str(row["id"]): row.get("published_correct") for row in rows}


def scored(folder: Path, scorer: str, out: Path) -> dict[str, Scored]:
    """Return what a scorer made of each sample of a set."""
    words = ["rescore", str(folder / "output-rs0.jsonl.gz"), "--alone", "--scorer", scorer, "--out", str(out)]
    words += ["--answer-type", (folder / "type").read_text().strip()]
    environment = {"PYTHONPATH": str(SOURCES), "PATH": str(Path(sys.executable).parent)}
    subprocess.run([sys.executable, "-m", "seedbed", *words], check=True, cwd=ROOT, env=environment)
    return {row.id: row for row in read_table(out / f"samples-{scorer}.csv")}


def line(folder: Path) -> str:
    """Return the figures of one set: shares in percent of all samples, counts of samples."""
    verdicts = published(folder)
    with tempfile.TemporaryDirectory() as out:
        strict = scored(folder, "strict", Path(out))
        began = time.perf_counter()
        broad = scored(folder, "regex", Path(out))
        seconds = time.perf_counter() - began
    n = len(verdicts)
    known = [verdict for verdict in verdicts.values() if verdict is not None]
    shares = [100 * sum(row.correct for row in rows.values()) / n for rows in (strict, broad)]
    theirs = f"{100 * sum(known) / len(known):9.1f}" if known else f"{'–':>9}"
    none = 100 * sum(row.found.value is None for row in broad.values()) / n
    recovered = sum(broad[name].correct and not strict[name].correct for name in verdicts)
    lost = [name for name in verdicts if strict[name].correct and not broad[name].correct]
    agreed = sum(verdicts[name] is True for name in lost)
    return (
        f"{folder.name:20} {n:4}  {shares[0]:6.1f} {shares[1]:6.1f}  {theirs}  {none:9.1f}  {recovered:9} {len(lost):5}"
        f"  {agreed:21}  {seconds:7.1f}"
    )


def main() -> int:
    """Print one line a set."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else SHARED / "outputs" / "real"
    if not root.is_dir():
        print(f"{root} is not on this machine: expected a folder of sets", file=sys.stderr)
        return 2
    print(HEAD)
    for folder in sorted(path for path in root.iterdir() if path.is_dir()):
        if len(sys.argv) < 3 or folder.name in sys.argv[2:]:
            print(line(folder), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
