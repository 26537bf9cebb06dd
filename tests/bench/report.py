"""What a report costs: CPU seconds from process start, peak memory, sizes of its files.

python -m tests.bench.report [--small]
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import yaml

from seedbed.core import files as whole
from seedbed.report import texts
from seedbed.scoring.cohort import read_cohort
from seedbed.scoring.figures import of_folder
from seedbed.scoring.score_files import as_json, write_reports
from seedbed.scoring.staged import load_scorer
from seedbed.scoring.strict import Strict
from tests.bench.corpus import build
from tests.bench.scoring import ROOT, command, cpu
from tests.reportplace import Size, lay

SCORERS = ("strict", "regex")


def folder_for(work: Path, name: str, seeds: int) -> Path:
    """Return the folder of outputs of one model on one benchmark below `work`, its configuration written."""
    told = {"source": {"file": f"{name}.jsonl"}, "prompt": "{problem}", "answer_type": "integer"}
    whole.write(work / "config" / f"{name}.yaml", yaml.safe_dump(told))
    whole.write(work / "run" / "config" / "benchmarks" / f"{name}.json", json.dumps({"text": "open", **told}))
    config = {
        "models": {"m": {"endpoint": "http://127.0.0.1:9/v1"}},
        "benchmarks": [f"../config/{name}.yaml"],
        "seeds": {"start": 42, "count": seeds},
        "sampling": {"temperature": 1.0, "max_tokens": 400_000},
        "scorers": list(SCORERS),
    }
    whole.write(work / "results" / "config.yaml", yaml.safe_dump(config))
    pair = {"model": "m", "benchmark": name, "scorers": list(SCORERS), "fingerprint": None, "max_fraction": 0}
    asked = {f"m/{name}": pair | {"seeds": list(range(42, 42 + seeds))}}
    whole.write(work / "results" / "run.json", as_json({"state": "ENDED", "pairs": [], "asked": asked}))
    return work / "results" / "m" / "eval-results" / name


def dataset_of(folder: Path) -> None:
    """Write the dataset of the problems in a folder of outputs, as it came and as it was prepared."""
    rows = (json.loads(line) for line in (folder / "output-rs42.jsonl").open(encoding="utf-8"))
    kept = [{key: row[key] for key in ("id", "problem", "expected_answer")} for row in rows]
    work, name = folder.parents[3], folder.name
    lines = "".join(json.dumps(row) + "\n" for row in kept)
    for path in (work / "config" / f"{name}.jsonl", work / "resources" / name / "test.jsonl"):
        whole.write(path, lines)


def scored(folder: Path) -> None:
    """Score a folder as the rules do."""
    files = sorted(folder.glob("output-rs*.jsonl"))
    cohort = read_cohort(files, [Strict(), load_scorer("regex")], "integer")
    for scorer in SCORERS:
        write_reports(cohort, scorer, folder.name, "integer", folder)
    whole.write(folder / "statistics.json", as_json(of_folder(folder, SCORERS)))


def short_corpus(folder: Path, seeds: int, problems: int) -> None:
    """Write many short samples."""
    folder.mkdir(parents=True)
    for seed in range(42, 42 + seeds):
        whole.write(folder / f"output-rs{seed}.jsonl", "".join(_short(seed, problems)))


def _short(seed: int, problems: int) -> Iterator[str]:
    """Yield the lines of a seed."""
    for number in range(problems):
        answer = number % 97 + (seed + number) % 3 // 2
        record = {
            "id": f"made-{number}",
            "problem": f"Made-up problem {number}: what is $x$ if $x + 1 = {number % 97 + 1}$?",
            "expected_answer": str(number % 97),
            "generation": f"Take $x = {answer}$, and all is well with sample {number} of {seed}. \\boxed{{{answer}}}",
            "num_generated_tokens": 40,
            "finish_reason": "stop",
            "generation_start_time": 1.7e9 + number / 100,
            "generation_end_time": 1.7e9 + number / 100 + 2,
        }
        yield json.dumps(record) + "\n"


def measured(work: Path, what: str) -> None:
    """Print what a report in `work` costs, and the sizes of its files."""
    here = Path.cwd()
    os.chdir(work)
    try:
        seconds, memory = command("seedbed", "report")
    finally:
        os.chdir(here)
    data = [path for path in (work / "results" / "report-data").rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in data)
    page = (work / "results" / "report.html").stat().st_size
    table = max((path.stat().st_size for path in data if path.name == "samples.js"), default=0)
    print(
        f"{what}: {seconds:.2f} s CPU with coverage, {memory:.0f} MB; page {page / 1e6:.2f} MB, beside it "
        f"{size / 1e6:.1f} MB in {len(data)} files, largest table {table / 1e6:.1f} MB"
    )


def own(work: Path) -> None:
    """Print what the report adds to a summary: its modules, and the writing itself once coverage is known."""
    code = (
        "import time; from seedbed.commands import gate, tabulate;"
        "from seedbed.results import summary_table, usage; start = time.process_time();"
        "from seedbed.report import document; from seedbed.results.status import coverage_of, terms_of;"
        "from seedbed.config.settings import load; from seedbed.core.schema import read_yaml;"
        "from seedbed.records import paths, run_record;"
        "loaded = time.process_time();"
        "settings = load(read_yaml(paths.CONFIG), str(paths.CONFIG), [paths.CONFIG.parent]);"
        "record = run_record.read();"
        "known = {p: coverage_of(settings, p, terms_of(settings, record, p)) for p in settings.pairs};"
        "begun = time.process_time(); document.write(settings, known, None);"
        "print(loaded - start, time.process_time() - begun)"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT / "scripts")}
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, cwd=work, env=environment, capture_output=True, text=True, check=True)
    loaded, spent = map(float, done.stdout.split())
    print(f"  of which the report itself {spent:.3f} s, and {loaded:.3f} s for its modules beyond those of a summary")


def half_formulas() -> None:
    """Print what the worst of some texts full of half formulas costs."""
    worst = 0.0
    for piece in ("$", "$$", "\\[", "\\(", "$x ", "\\[a", "{", "$\\frac{", "\\def\\a{\\a\\a}$\\a$"):
        worst = max(worst, cpu(lambda piece=piece: texts.formulas(piece * (texts.TAIL // len(piece)))))  # type: ignore[misc]
    print(f"formulas in {texts.TAIL:,} characters of half formulas: {worst:.2f} s CPU at worst")


def again(work: Path, what: str) -> None:
    """Print what a second report costs, and one after a scorer has changed its mind about every sample."""
    measured(work, f"{what}, again")
    own(work)
    for table in work.glob("results/*/eval-results/*/samples-regex.csv"):
        text = table.read_text(encoding="utf-8")
        details = json.loads((table.parent / "details-regex.json").read_text())
        whole.write(table, text.replace(",box,", ",tag,"))
        details["written"][table.name] = hashlib.sha256(table.read_bytes()).hexdigest()
        whole.write(table.parent / "details-regex.json", as_json(details))
    measured(work, f"{what}, another scorer")
    shutil.rmtree(work / "results" / "report-data")
    measured(work, f"{what}, from nothing")


def main() -> None:
    """Run every benchmark; what was built is deleted at the end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a tenth of the corpora")
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="report-"))
    try:
        half_formulas()
        small = lay(work / "small", Size(models=1, benchmarks=2, seeds=4, problems=12, wanting=False))
        measured(small, "2 benchmarks × 4 seeds, modules compiled on the way")
        again(small, "2 benchmarks × 4 seeds")
        grid = lay(work / "grid")
        measured(grid, "3 models × 4 benchmarks × 16 seeds × 30")
        again(grid, "3 models × 4 benchmarks × 16 seeds × 30")
        folder = folder_for(work / "long", "long", 16)
        build(folder, problems=3 if options.small else 30)
        dataset_of(folder)
        scored(folder)
        measured(work / "long", "16 seeds of long thoughts")
        again(work / "long", "16 seeds of long thoughts")
        folder = folder_for(work / "many", "many", 16)
        short_corpus(folder, 16, 1_203 if options.small else 12_032)
        dataset_of(folder)
        scored(folder)
        measured(work / "many", "192,512 short samples")
        again(work / "many", "192,512 short samples")
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
