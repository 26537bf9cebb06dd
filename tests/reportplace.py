"""A finished run's folder of any size, made up, scored by the real scorers: something for a report to show.

By hand: python -m tests.reportplace FOLDER [--models 3 --benchmarks 4 --seeds 16 --problems 30].
"""

import argparse
import contextlib
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from seedbed.commands import compare
from seedbed.config.settings import load
from seedbed.core import files as whole
from seedbed.decisions import declared
from seedbed.results import gates
from seedbed.results.summary_table import compare_scorers, rows_of, write_table
from seedbed.scoring.cohort import read_cohort
from seedbed.scoring.figures import of_folder
from seedbed.scoring.score_files import as_json, write_reports
from seedbed.scoring.staged import load_scorer
from seedbed.scoring.strict import Strict

ROOT = Path(__file__).resolve().parents[1]
MODELS = ("alder", "birch", "cedar", "elm")
BENCHMARKS = ("sums", "pairs", "riddles", "letters", "tables", "orders")
PRIVATE = "riddles"
FIRST_SEED = 42
LIMIT = 4096  # max_tokens
STARTED = 1_790_000_000.0
SCORERS = ("strict", "regex")
SHOWN = ("cut", "cut-boxed", "silent", "empty", "revised", "prose")  # the first answers of the second seed
KEY = "sk-made-up-key-00000000"  # is in a server's command; no report may show it
HOSTILE = (
    "</script><script>globalThis.hostile=1</script><img src=x onerror=\"globalThis.hostile=2\">"
    "\u2028\u2029\x00\x1b[31mred\x1b[0m]]><!-- {{scripts}} "
)  # fmt: skip


@dataclass(frozen=True)
class Size:
    """How much of everything there is; `wanting`: one seed has failed, others are cut, empty or in error."""

    models: int = 3
    benchmarks: int = 4
    seeds: int = 16
    problems: int = 30
    characters: int = 2_000  # of a thought, about
    wanting: bool = True

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Return the models and benchmarks."""
        return [(model, name) for model in MODELS[: self.models] for name in BENCHMARKS[: self.benchmarks]]

    @property
    def seed_numbers(self) -> list[int]:
        """Return the seeds."""
        return list(range(FIRST_SEED, FIRST_SEED + self.seeds))


def lay(folder: Path, size: Size | None = None) -> Path:
    """Lay a whole run into `folder`, scored, compared and judged; returns the folder."""
    size = size or Size()
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.chdir(folder):
        for name in BENCHMARKS[: size.benchmarks]:
            _dataset(name, size)
        config = _config(size)
        whole.write(Path("results/config.yaml"), yaml.safe_dump(config, sort_keys=False))
        for number, (model, name) in enumerate(size.pairs):
            _outputs(model, name, size, random.Random(number))
            _scored(Path("results") / model / "eval-results" / name, size)
        for model in MODELS[: size.models]:
            _server(model, size)
        _record(size)
        _decided(size)
    return folder


def report(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m seedbed report` in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "seedbed", "report", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT / "scripts")},
        capture_output=True,
        text=True,
        timeout=300,
    )


def _config(size: Size) -> dict[str, Any]:
    """Return the configuration of the run."""
    compared = [{"a": MODELS[0], "b": other} for other in MODELS[1 : size.models]]
    return {
        "models": {model: {"endpoint": "http://127.0.0.1:9/v1"} for model in MODELS[: size.models]},
        "benchmarks": [f"../config/{name}.yaml" for name in BENCHMARKS[: size.benchmarks]],
        "seeds": {"start": FIRST_SEED, "count": size.seeds},
        "sampling": {"temperature": 1.0, "max_tokens": LIMIT},
        "scorers": list(SCORERS),
        "comparisons": compared,
        "gates": [{"require": ["pass@1 >= 60", "truncated <= 5 %", "verdict = COMPLETE"], "scorers": ["regex"]}],
    }


def _dataset(name: str, size: Size) -> None:
    """Write a benchmark's file and its prepared problems; those of `pairs` are a part of a larger one."""
    rows = [
        {"id": f"{name}-{number:03}", "problem": _problem(name, number), "expected_answer": str(_answer(number))}
        for number in range(size.problems)
    ]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    whole.write(Path("config") / f"{name}.jsonl", lines)
    whole.write(Path("resources") / name / "test.jsonl", lines)
    part = {"of": 4 * size.problems, "limit": size.problems} if name == "pairs" else None
    whole.write(Path("resources") / name / "source.json", json.dumps({"rows": size.problems, "part": part}))
    told = {"source": {"file": f"{name}.jsonl"}, "prompt": "Solve it. {problem}", "answer_type": "integer"}
    told |= {"text": "private"} if name == PRIVATE else {}
    whole.write(Path("config") / f"{name}.yaml", yaml.safe_dump(told))
    whole.write(Path("run/config/benchmarks") / f"{name}.json", json.dumps({"text": "open", **told}))


def _problem(name: str, number: int) -> str:
    """Return the wording of a problem, with formulas."""
    secret = "SECRET WORDING. " if name == PRIVATE else ""
    return f"{secret}Find ${number} + \\frac{{{2 * number + 6}}}{{2}}$, that is, \\[ x = {number} + {number + 3}. \\]"


def _answer(number: int) -> int:
    """Return the expected answer of a problem."""
    return 2 * number + 3


def _outputs(model: str, name: str, size: Size, chooser: random.Random) -> None:
    """Write the outputs of every seed; where something is wanting, one seed of one pair has failed."""
    folder = Path("results") / model / "eval-results" / name
    skill = 0.4 + 0.15 * MODELS.index(model)
    failed = FIRST_SEED + size.seeds // 2
    for seed in size.seed_numbers:
        if size.wanting and size.seeds > 1 and (model, name) == size.pairs[-1] and seed == failed:
            log = Path("logs/generate") / model / f"{name}-rs{seed}.log"
            whole.write(log, "asking\nerror: the server refused 30 of 30 requests: 400 out of range\n")
            continue
        records = list(_records(model, name, seed, size, skill, chooser))
        whole.write(folder / f"output-rs{seed}.jsonl", "".join(json.dumps(record) + "\n" for record in records))


def _records(
    model: str, name: str, seed: int, size: Size, skill: float, chooser: random.Random
) -> Iterator[dict[str, Any]]:
    """Yield the records of a seed."""
    begun = STARTED + 60 * (seed - FIRST_SEED) + 400 * MODELS.index(model)
    for number in range(size.problems):
        ease = skill + 0.5 * (1 - number / size.problems) - 0.2
        kind = chooser.choices(
            ["box", "prose", "revised", "silent", "cut", "cut-boxed", "empty"],
            [60, 20, 5, 3, 7, 2, 0.5] if size.wanting else [70, 25, 5, 0, 0, 0, 0],
        )[0]
        if size.wanting and seed == FIRST_SEED + 1 and number < len(SHOWN):
            kind = SHOWN[number]
        right = chooser.random() < ease
        said, text = _text(kind, _answer(number) + (0 if right else chooser.randint(1, 9)), size, chooser)
        if size.wanting and (number, seed) == (0, FIRST_SEED):
            said = f"<think>{HOSTILE}</think>{HOSTILE} 🧮 So the answer is \\boxed{{{_answer(0)}}}."
        tokens = LIMIT if text == "truncated" else len(said) // 3
        start = begun + chooser.random() * 20
        yield {
            "id": f"{name}-{number:03}",
            "problem": _problem(name, number),
            "expected_answer": str(_answer(number)),
            "generation": said,
            "num_generated_tokens": tokens,
            "finish_reason": "length" if text == "truncated" else "stop",
            "generation_start_time": start,
            "generation_end_time": start + 1 + tokens / 100,
            "generation_time": 1 + tokens / 100,
            "seedbed": {"status": text, "reason": None, "flags": [], "seed": seed, "fingerprint": "made"},
        }


def _text(kind: str, answer: int, size: Size, chooser: random.Random) -> tuple[str, str]:
    """Return a generation and its status."""
    thought = "".join(_thought(size.characters, chooser))
    if kind == "empty":
        return "", "empty"
    if kind.startswith("cut"):
        return f"<think>{thought}" + (f"So \\boxed{{{answer}}}, but wait" if kind == "cut-boxed" else ""), "truncated"
    ending = {
        "box": f"Since $x = {answer}$, with $\\sqrt{{x^2}} = |x|$, the result is\n\\[ \\boxed{{{answer}}} \\]",
        "prose": f"🎲 Both cases together: the final answer is {answer}.",
        "revised": f"The answer is {answer + 1}. No: I forgot a case. The answer is {answer}.",
        "silent": f"It comes to {answer}, I should think",
    }[kind]
    return f"<think>{thought}</think>\n\n{ending}", "ok"


def _thought(characters: int, chooser: random.Random) -> Iterator[str]:
    """Yield the sentences of a thought of about so many characters."""
    wanted, made = chooser.randint(characters // 2, characters * 3 // 2), 0
    while made < wanted:
        a, b = chooser.randint(2, 99), chooser.randint(2, 99)
        sentence = chooser.choice(
            (
                f"Let me try $n = {a}$: then $\\binom{{n}}{{2}} = {a * (a - 1) // 2}$, which is too much.\n",
                f"Wait, {a} × {b} = {a * b}, so this case cannot be.\n",
                f"我们再检查一遍:{a} 和 {b}。\n",
                f"Suppose {a} of them are even; the other {b} are odd.\n\n",
            )
        )
        made += len(sentence)
        yield sentence


def _scored(folder: Path, size: Size) -> None:
    """Score a folder with every scorer as the rules do; one with a seed missing stays without metrics."""
    files = sorted(folder.glob("output-rs*.jsonl"))
    if len(files) < size.seeds:
        return
    cohort = read_cohort(files, [Strict(), *(load_scorer(name) for name in SCORERS[1:])], "integer")
    for scorer in SCORERS:
        write_reports(cohort, scorer, folder.name, "integer", folder)
    whole.write(folder / "scorers.json", as_json(compare_scorers(folder, SCORERS)))
    whole.write(folder / "statistics.json", as_json(of_folder(folder, SCORERS)))


def _server(model: str, size: Size) -> None:
    """Write a server's record; the last one needs no key, the first one was started again."""
    restarts = int(model == MODELS[0])
    command = ["serve", "--api-key", KEY, "--model", f"/models/{model}"]
    attempts = [
        {
            "attempt": number + 1,
            "started": STARTED - 300 + 200 * number,
            "ready": STARTED - 250 + 200 * number,
            "ended": STARTED - 150 + 3000 * number,
            "gpus": 8,
            "nodes": ["gb-01", "gb-02"],
            "version": "1.2.0",
            "guarded": model != MODELS[size.models - 1],
            "state": "FAILED" if number < restarts else "stopped",
            "reason": "node failure" if number < restarts else "asked to end",
            "processes": [{"role": "server", "node": "gb-01", "gpus": 4, "command": command}],
        }
        for number in range(restarts + 1)
    ]
    told = {"model": model, "engine": "vllm", "restarts": restarts, "gpu_hours": 6.5, "attempts": attempts}
    whole.write(Path("results") / model / "server_runs.json", as_json(told))


def _record(size: Size) -> None:
    """Write results/run.json."""
    asked = {
        f"{model}/{name}": {
            "model": model,
            "benchmark": name,
            "scorers": list(SCORERS),
            "fingerprint": "made",
            "seeds": size.seed_numbers,
            "max_fraction": 0,
        }
        for model, name in size.pairs
    }
    provenance = {
        "code": {"commit": "0123456789abcdef0123456789abcdef01234567", "clean": True},
        "host": {"name": "login-1"},
        "versions": {"python": "3.11.7", "snakemake": "9.27.1"},
    }
    state = {"state": "FAILED" if size.wanting else "ENDED", "pairs": list(asked.values()), "asked": asked}
    ended = {
        "started": STARTED - 600,
        "ended": STARTED + 4000,
        "gpu_hours": 19.5,
        "provenance": provenance,
        "earlier": [],
    }
    whole.write(Path("results/run.json"), as_json(state | ended))


def _decided(size: Size) -> None:
    """Write summary.csv, the comparisons and gate.json as the rules do."""
    config = declared.read_config(Path("results/config.yaml"))
    rows: list[dict[str, Any]] = []
    for model, name in size.pairs:
        folder = Path("results") / model / "eval-results" / name
        if (folder / "metrics.json").is_file():
            rows += rows_of(folder, SCORERS, compare_scorers(folder, SCORERS))
    write_table(rows, Path("results/summary.csv"))
    for label in declared.labels(config):
        whole.write(Path("results/comparisons") / f"{label}.json", as_json(compare.of_run(config, label)))
    whole.write(Path("results/gate.json"), as_json(gates.judge_run(load(config, "config.yaml", [Path("results")]), {})))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code of the report."""
    parser = argparse.ArgumentParser(prog="python -m tests.reportplace", description=__doc__)
    parser.add_argument("folder", type=Path)
    for name in ("models", "benchmarks", "seeds", "problems", "characters"):
        parser.add_argument(f"--{name}", type=int, default=getattr(Size, name))
    parser.add_argument("--whole", action="store_true", help="nothing is wanting")
    options = parser.parse_args(arguments)
    size = Size(
        options.models, options.benchmarks, options.seeds, options.problems, options.characters, not options.whole
    )
    done = report(lay(options.folder, size))
    print(done.stdout + done.stderr, end="")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
