"""What statistics.json costs beside the rescoring of the same samples: CPU seconds, one process each.

python -m tests.bench.statistics [--problems 14000] [--seeds 16] [--folder DIR]
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from seedbed.core.environment import ROOT


def write_outputs(folder: Path, problems: int, seeds: int) -> None:
    """Write outputs of our own form with short texts, which are the cheapest to rescore."""
    draw = random.Random(1)
    chances = [draw.betavariate(0.6, 0.4) for _ in range(problems)]
    folder.mkdir(parents=True)
    for seed in range(42, 42 + seeds):
        with (folder / f"output-rs{seed}.jsonl").open("w", encoding="ascii") as file:
            for number, chance in enumerate(chances):
                answer = number % 997 if draw.random() < chance else draw.randrange(9)
                steps = "It follows from the line above. " * 20
                said = f"We look at it step by step. {steps}The answer is \\boxed{{{answer}}}."
                record = {
                    "id": f"p-{number}",
                    "problem": "What is it?",
                    "expected_answer": str(number % 997),
                    "generation": said,
                    "num_generated_tokens": 200,
                    "finish_reason": "stop",
                    "generation_start_time": 1.0,
                    "generation_end_time": 2.0 + number,
                    "generation_time": 1.0,
                    "serialized_output": [{"role": "assistant", "content": said}],
                }
                file.write(json.dumps(record) + "\n")


def cpu_of(*words: str) -> float:
    """Return the CPU seconds of `python -m WORDS`, its start included; raises if it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = os.environ | {"PYTHONPATH": str(ROOT / "scripts")}
    subprocess.run([sys.executable, "-m", *words], check=True, env=environment, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Write the outputs, rescore them, compute their statistics, and print the CPU seconds of both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=14_000)
    parser.add_argument("--seeds", type=int, default=16)
    parser.add_argument("--folder", type=Path, help="where the outputs go; a temporary folder if left out")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        outputs = Path(scratch) / "outputs"
        results = Path(scratch) / "results" / "m" / "eval-results" / "b"
        write_outputs(outputs, options.problems, options.seeds)
        words = ("--alone", "--benchmark", "b", "--answer-type", "integer", "--out", str(results), str(outputs))
        start = cpu_of("seedbed", "tabulate", "--help")
        print(f"{options.problems} problems × {options.seeds} seeds, texts of 0.7 KB; CPU seconds")
        spent = [0.0, 0.0]
        for scorer, file in (("regex", "metrics-regex.json"), ("strict", "metrics.json")):
            rescore = cpu_of("seedbed", "rescore", "--scorer", scorer, *words)
            alone = cpu_of("seedbed", "tabulate", "--out", str(Path(scratch) / "s.csv"), str(results / file)) - start
            spent = [spent[0] + rescore, spent[1] + alone]
            _tell(scorer, rescore, alone)
        _tell("both", *spent)


def _tell(scorer: str, rescore: float, alone: float) -> None:
    """Print the CPU seconds of both, and the share of the second in the first."""
    share = 100 * alone / rescore
    print(f"{scorer:6}  rescore {rescore:6.2f}  statistics, read and written {alone:5.2f}: {share:.1f} %")


if __name__ == "__main__":
    main()
