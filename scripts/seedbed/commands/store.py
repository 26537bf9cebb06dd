"""Show, measure and free the store of finished samples; `drop` is the only way to have an answer generated again."""

import argparse
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seedbed.client.sample_store import ROOT, drop, key_of, lines, record_of
from seedbed.core.errors import InputError, exit_code

_NAME = re.compile(r"rs(\d+)\.jsonl")


@dataclass(frozen=True, slots=True)
class Part:
    """One file of the store."""

    model: str
    benchmark: str
    seed: int
    path: Path


def parts(root: Path, arguments: argparse.Namespace) -> list[Part]:
    """Return the files that the filters leave, in order; raises InputError if there are none."""
    wanted = [
        part
        for part in _all(root)
        if (not arguments.model or part.model in arguments.model)
        and (not arguments.benchmark or part.benchmark in arguments.benchmark)
        and (not arguments.seed or part.seed in arguments.seed)
    ]
    if not wanted:
        have = sorted({f"{part.model}/{part.benchmark}" for part in _all(root)})
        raise InputError(f"{root}: no samples that fit; the store holds {', '.join(have) or 'nothing'}")
    return sorted(wanted, key=_order)


def _order(part: Part) -> tuple[str, str, int]:
    """Return what the files are sorted by."""
    return part.model, part.benchmark, part.seed


def _all(root: Path) -> Iterator[Part]:
    """Yield every file of the store."""
    for path in root.glob("*/*/rs*.jsonl"):
        if match := _NAME.fullmatch(path.name):
            yield Part(path.parent.parent.name, path.parent.name, int(match[1]), path)


def show(found: list[Part], ids: set[str] | None) -> None:
    """Print a header, then one line a sample, tab-separated: the opening of its key tells versions of it apart."""
    print("model", "benchmark", "seed", "id", "status", "tokens", "bytes", "key", sep="\t")
    for part in found:
        samples = ((record_of(line), line) for line in lines(part.path))
        for record, line in sorted(samples, key=_problem):
            if ids is not None and record.get("id") not in ids:
                continue
            status = record.get("seedbed", {}).get("status", "damaged")
            fields = (part.model, part.benchmark, part.seed, record.get("id"), status)
            print(*fields, record.get("num_generated_tokens", 0), len(line), (key_of(line) or "-")[:12], sep="\t")


def _problem(sample: tuple[dict[str, Any], bytes]) -> list[tuple[int, str]]:
    """Return what samples of a file are sorted by: their problem's id, its numbers as numbers."""
    words = re.findall(r"\d+|\D+", str(sample[0].get("id")))
    return [(int(word), "") if word.isdecimal() else (-1, word) for word in words]


def measure(found: list[Part]) -> None:
    """Print samples and bytes of every file, then of all."""
    samples = size = 0
    print("model", "benchmark", "seed", "samples", "bytes", sep="\t")
    for part in found:
        count, length = sum(1 for _ in lines(part.path)), part.path.stat().st_size
        samples, size = samples + count, size + length
        print(part.model, part.benchmark, part.seed, count, length, sep="\t")
    print("all", "", "", samples, size, sep="\t")


def free(found: list[Part], ids: set[str] | None) -> None:
    """Drop the samples; raises InputError if an id that was named is in none of the files."""
    if ids is not None:
        missing = ids - {str(record_of(line).get("id")) for part in found for line in lines(part.path)}
        if missing:
            raise InputError(f"no sample has the id {', '.join(sorted(missing))}; nothing was dropped")
    total = sum(drop(part.path, ids) for part in found)
    print(f"{total} samples dropped; remove the output files they stand in, and they are generated again")


def run(arguments: argparse.Namespace) -> None:
    """Do what the command line says."""
    filtered = arguments.model or arguments.benchmark or arguments.seed or arguments.ids
    if arguments.action == "drop" and not filtered and not arguments.everything:
        raise InputError("drop: found no filter; expected --model, --benchmark, --seed or --ids, or --everything")
    found = parts(arguments.root, arguments)
    ids = set(arguments.ids) if arguments.ids else None
    if arguments.action == "list":
        show(found, ids)
    elif arguments.action == "size":
        measure(found)
    else:
        free(found, ids)


def main() -> int:
    """Run the command line and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m seedbed store", description=__doc__)
    parser.add_argument("action", choices=["list", "drop", "size"])
    parser.add_argument("--root", type=Path, default=ROOT, help="the store (default: %(default)s)")
    parser.add_argument("--model", action="append", help="only this model; may be given several times, like the others")
    parser.add_argument("--benchmark", action="append")
    parser.add_argument("--seed", type=int, action="append")
    parser.add_argument("--ids", nargs="+", metavar="ID", help="only these problems")
    parser.add_argument("--everything", action="store_true", help="drop: really all of it")
    arguments = parser.parse_args()
    return exit_code(lambda: run(arguments))
