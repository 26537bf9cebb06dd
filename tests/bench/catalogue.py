"""What size costs: 12,032 ten-option questions × 16 seeds prepared and scored, and a DAG of 20 × 9 × 16.

python -m tests.bench.catalogue [--seeds 16] [--rows 12032] [--only dag|prepare|score]
"""

import argparse
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from seedbed.config.catalogue import shipped
from seedbed.records.dataset import iter_rows
from tests.bench.scoring import command, cpu, scan

ROOT = Path(__file__).resolve().parents[2]
LETTERS = "ABCDEFGHIJ"
SENTENCE = "the rate of a process in which each part keeps its share while all of them grow at once and none is lost"
WORDS = SENTENCE.split()
BARE = """
MODELS, BENCHMARKS, SEEDS = config["models"], config["benchmarks"], range(42, 42 + config["count"])
rule all:
    input:
        expand("results/{m}/eval-results/{b}/output-rs{s}.jsonl", m=MODELS, b=BENCHMARKS, s=SEEDS),
        expand("results/{m}/eval-results/{b}/{f}.json", m=MODELS, b=BENCHMARKS, f=["metrics", "metrics-regex"]),
        "results/summary.csv",
rule prepare_dataset:
    output: "resources/{b}/test.jsonl"
    shell: "true"
rule server:
    output: "results/{m}/server.spec.json"
    shell: "true"
rule generate:
    input: "resources/{b}/test.jsonl", "results/{m}/server.spec.json"
    output: "results/{m}/eval-results/{b}/output-rs{s}.jsonl"
    shell: "true"
rule score:
    input: "resources/{b}/test.jsonl", expand("results/{{m}}/eval-results/{{b}}/output-rs{s}.jsonl", s=SEEDS)
    output: "results/{m}/eval-results/{b}/metrics.json"
    shell: "true"
rule rescore:
    input: "resources/{b}/test.jsonl", expand("results/{{m}}/eval-results/{{b}}/output-rs{s}.jsonl", s=SEEDS)
    output: "results/{m}/eval-results/{b}/metrics-regex.json"
    shell: "true"
rule tabulate:
    input: expand("results/{m}/eval-results/{b}/{f}.json", m=MODELS, b=BENCHMARKS, f=["metrics", "metrics-regex"])
    output: "results/summary.csv"
    shell: "true"
"""


def questions(rows: int) -> list[dict[str, Any]]:
    """Return questions of our own in MMLU-Pro's columns and of its size."""
    chooser = random.Random(20)
    return [
        {
            "question_id": number,
            "question": " ".join(chooser.choices(WORDS, k=45)) + "?",
            "options": [" ".join(chooser.choices(WORDS, k=9)) for _ in LETTERS],
            "answer": LETTERS[number % 10],
            "category": f"field {number % 14}",
        }
        for number in range(rows)
    ]


def prepared(work: Path, rows: int) -> Path:
    """Prepare the questions as mmlu-pro is prepared, print what it cost, and return the rows' file."""
    source = work / "questions.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in questions(rows)))
    definition = {
        "name": "mmlu-pro",
        "source": {"file": str(source), "rows": rows},
        "ids": "numbered",
        "columns": {
            "problem": "question",
            "expected_answer": "answer",
            "subset_for_metrics": {"column": "category", "replace": {" ": "_"}},
        },
        "keep": ["question_id"],
        "options": "options",
    }
    (work / "definition.json").write_text(json.dumps(definition))
    out = work / "dataset" / "test.jsonl"
    words = ["--definition", str(work / "definition.json"), "--out", str(out), "--record", str(work / "source.json")]
    seconds, memory = command("seedbed", "prepare_dataset", *words)
    print(f"prepare {rows} rows, {out.stat().st_size / 1e6:.0f} MB: {seconds:.2f} s CPU, {memory:.0f} MB")
    return out


def outputs(work: Path, dataset: Path, seeds: int) -> list[Path]:
    """Write an output file a seed; returns the files."""
    folder, chooser = work / "outputs", random.Random(21)
    folder.mkdir()
    files = [folder / f"output-rs{seed}.jsonl" for seed in range(42, 42 + seeds)]
    handles = [path.open("w") for path in files]
    for row in iter_rows(dataset):
        for seed, handle in enumerate(handles, 42):
            letter = row["expected_answer"] if chooser.random() < 0.6 else chooser.choice(LETTERS)
            said = " ".join(chooser.choices(WORDS, k=60)) + f".\n\nAnswer: {letter}"
            record = {
                **row,
                "generation": said,
                "num_generated_tokens": 80,
                "finish_reason": "stop",
                "generation_start_time": 1.7e9,
                "generation_end_time": 1.7e9 + 2,
                "generation_time": 2.0,
                "serialized_output": [{"role": "assistant", "content": said}],
                "predicted_answer": letter,
                "symbolic_correct": letter == row["expected_answer"],
                "seedbed": {"status": "ok", "reason": None, "flags": [], "seed": seed},
            }
            handle.write(json.dumps(record) + "\n")
    for handle in handles:
        handle.close()
    return files


def scored(work: Path, dataset: Path, seeds: int) -> None:
    """Print what scoring all seeds costs against a mere line scan of the same files."""
    files = outputs(work, dataset, seeds)
    size = sum(path.stat().st_size for path in files)
    scan(files, slices=True)
    limit = cpu(lambda: scan(files, slices=True))
    count = sum(path.open("rb").read().count(b"\n") for path in files)
    print(f"{count} records, {size / 1e6:.0f} MB; line scan over mmap: {limit:.2f} s CPU")
    common = ["--benchmark", "mmlu-pro", "--answer-type", "choice", "--dataset", str(dataset), "--out-dir", str(work)]
    for words in (["seedbed", "score"], ["seedbed", "rescore", "--alone", "--scorer", "regex"]):
        seconds, memory = command(*words, *common, *map(str, files))
        each = 1e6 * seconds / count
        print(
            f"{' '.join(words)}: {seconds:.1f} s CPU, {seconds / limit:.0f} x the scan, "
            f"{each:.0f} µs a record, {memory:.0f} MB"
        )


def dry_run(folder: Path, snakefile: Path, config: dict[str, Any]) -> float:
    """Return the CPU seconds of a dry run, the better of two."""
    folder.mkdir()
    path = folder / "config.yaml"
    path.write_text(json.dumps(config))
    words = ["--snakefile", str(snakefile), "--directory", str(folder), "--configfile", str(path)]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    best = float("inf")
    for _ in range(2):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-m", "snakemake", *words, "--dry-run", "--quiet", "all", "--cores", "1"],
            check=True,
            capture_output=True,
            env=environment,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


def dag(work: Path, models: int = 20, seeds: int = 16) -> float:
    """Print and return the cost of a dry run of 20 models × 9 benchmarks × 16 seeds over that of bare Snakemake."""
    names = [name for name in shipped("benchmarks") if not name.startswith("warmup")]
    config = {
        "models": {f"m{number}": {"endpoint": f"http://127.0.0.1:{9000 + number}/v1"} for number in range(models)},
        "benchmarks": names,
        "seeds": {"count": seeds},
        "scorers": ["strict", "regex"],
    }
    (work / "Snakefile").write_text(BARE)
    bare = dry_run(
        work / "bare", work / "Snakefile", {"models": list(config["models"]), "benchmarks": names, "count": seeds}
    )
    ours = dry_run(work / "ours", ROOT / "Snakefile", config)
    jobs = models * len(names) * (seeds + 2) + models + len(names) + 2
    size = f"{models} × {len(names)} × {seeds}, {jobs} jobs"
    print(f"dry run of {size}: {ours:.1f} s CPU, {ours / bare:.2f} x bare Snakemake's {bare:.1f} s")
    return ours / bare


def main() -> None:
    """Run what is asked for; what was built is deleted at the end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=12032)
    parser.add_argument("--seeds", type=int, default=16)
    parser.add_argument("--only", choices=["dag", "prepare", "score"])
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="catalogue-"))
    try:
        if options.only in (None, "dag"):
            dag(work)
        if options.only != "dag":
            dataset = prepared(work, options.rows)
            if options.only != "prepare":
                scored(work, dataset, options.seeds)
        print(f"load {os.getloadavg()[0]:.1f}, {time.strftime('%Y-%m-%d')}")
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
