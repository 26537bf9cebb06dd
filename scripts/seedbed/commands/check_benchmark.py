"""Put a benchmark to the test: prepare it, show three rows with their exact prompts, grade right and wrong answers.

The answers are its own reference answers, as a model would write them, and deliberately wrong ones: every scorer must
find all of the first right and none of the second.
"""

import argparse
import json
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from seedbed.config.benchmark import Benchmark, load_benchmark
from seedbed.config.catalogue import located
from seedbed.core.errors import RunError
from seedbed.datasets.prepare import prepare
from seedbed.datasets.rows import fields, render
from seedbed.records.dataset import Row, iter_rows
from seedbed.records.lazy_json import Text
from seedbed.records.outputs import option_letters
from seedbed.scoring.answers import LETTERS, Sample
from seedbed.scoring.staged import load_scorer

SHOWN = 3
LONGEST = 4000  # characters of a prompt that are shown


def reference(answer: str, answer_type: str) -> str:
    """Return a generation that ends in `answer` as the benchmark's prompts ask for it."""
    if answer_type == "choice":
        return f"Only one option fits.\n\nAnswer: {answer}"
    return f"This settles it.\n\nThe final answer is $\\boxed{{{answer}}}$."


def wrong(answer: str, answer_type: str, letters: str) -> str:
    """Return an answer that is not `answer`: another letter, the next number, or a number that no problem asks for."""
    if answer_type == "choice":
        return next(letter for letter in letters if letter != answer)
    if answer_type == "integer" and answer.lstrip("+-").isdigit():
        return str(int(answer) + 1)
    return "-987654321"


def graded(rows: Iterable[Row], scorer: str, answer_type: str) -> tuple[list[str], list[str]]:
    """Return (ids whose reference answer a scorer takes for wrong, ids whose wrong answer it takes for right)."""
    judge = load_scorer(scorer)
    refused: list[str] = []
    accepted: list[str] = []
    for row in rows:
        letters = letters_of(row) if answer_type == "choice" else LETTERS
        expected = row["expected_answer"]
        for answer, should in ((expected, True), (wrong(expected, answer_type, letters), False)):
            sample = Sample(Text.of(reference(answer, answer_type)), answer_type, False, letters)
            found = judge.extract(sample)
            right = found.value is not None and bool(judge.grade(found.value, expected, sample))
            if right != should:
                (refused if should else accepted).append(row["id"])
    return refused, accepted


def letters_of(row: Row) -> str:
    """Return the letters of a row's options."""
    line = json.dumps(row).encode()
    return option_letters(line, msgspec.Raw(json.dumps(row.get("options")).encode())) or LETTERS


def prompt_of(benchmark: Benchmark, row: Row, whole: bool) -> str:
    """Return the prompt of a row as it is sent; a private text is withheld, a long one shown by both of its ends."""
    template: str = benchmark.definition["prompt"]
    if benchmark.definition["text"] == "private":
        named = fields(template) & set(row)
        row = {**row, **{name: f"({len(str(row[name]))} characters, not shown)" for name in named}}
    text = render(template, row)
    if whole or len(text) <= LONGEST:
        return text
    half = LONGEST // 2
    return f"{text[:half]}\n… {len(text) - 2 * half} characters more …\n{text[-half:]}"


def check(benchmark: Benchmark, whole: bool) -> bool:
    """Print what is found; returns whether every scorer grades as it must."""
    definition = benchmark.definition
    scorers = [str(located("scorers", named, [benchmark.path.parent])[1]) for named in definition["scorers"]]
    with tempfile.TemporaryDirectory(prefix="check.") as folder:
        path = Path(folder) / "test.jsonl"
        record = prepare(definition, path)
        print(f"{benchmark.name}: {record['rows']} rows, sha256 {record['sha256']}")
        print(f"source: {json.dumps({k: v for k, v in record['source'].items() if k != 'rows'}, ensure_ascii=False)}")
        print(f"prompt: sha256 {definition['prompt_source']['sha256']}")
        for index, row in enumerate(iter_rows(path)):
            if index == SHOWN:
                break
            answer = f"expected answer {row['expected_answer']!r}" if definition["text"] == "open" else "private"
            print(f"\n--- {row['id']}, {answer}\n{prompt_of(benchmark, row, whole)}")
        print()
        good = True
        for scorer in scorers:
            good &= _report(path, scorer, definition["answer_type"], record["rows"])
        return good


def _report(path: Path, scorer: str, answer_type: str, count: int) -> bool:
    """Print what a scorer makes of the right and the wrong answers; returns whether that is all and none."""
    refused, accepted = graded(iter_rows(path), scorer, answer_type)
    print(
        f"{Path(scorer).stem}: {count - len(refused)} of {count} reference answers right"
        f" ({100 * (count - len(refused)) / count:.1f} %), {len(accepted)} of {count} wrong answers right"
        f" ({100 * len(accepted) / count:.1f} %)"
    )
    for ids, fault in ((refused, "reference answers taken for wrong"), (accepted, "wrong answers taken for right")):
        if ids:
            print(f"  {fault}: {_some(ids)}")
    return not refused and not accepted


def _some(ids: Sequence[str]) -> str:
    """Return the first few of the ids, and how many more there are."""
    return ", ".join(ids[:10]) + (f" and {len(ids) - 10} more" if len(ids) > 10 else "")


def main() -> int:
    """Run the command; returns 0 when all is as it must be, else 1."""
    parser = argparse.ArgumentParser(prog="python -m seedbed check_benchmark", description=__doc__)
    parser.add_argument("benchmark", help="a name in config/benchmarks, or a benchmark file")
    parser.add_argument("--prompt", help="another prompt: a name in config/prompts, or a file")
    parser.add_argument("--whole", action="store_true", help="show long prompts whole")
    options: Any = parser.parse_args()
    benchmark = load_benchmark(options.benchmark, [Path.cwd()], options.prompt)
    if not check(benchmark, options.whole):
        raise RunError(f"{benchmark.path}: not every answer is graded as it must be; see above")
    return 0
