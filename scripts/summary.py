"""Tell what is there: coverage and verdict of every model and benchmark, the table, an exit code that follows them."""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from scripts import run_record
from scripts.errors import InputError, exit_code
from scripts.evals.coverage import COMPLETE, INVALID, PARTIAL, cover
from scripts.evals.datasets import read_rows
from scripts.evals.reports import as_json, write_whole
from scripts.schema import read_yaml
from scripts.settings import Settings, load
from scripts.tabulate import compare_scorers, rows_of, scorers_of

CONFIG = Path("results/config.yaml")
Pair = tuple[str, str]


def folder_of(pair: Pair) -> Path:
    """Return the folder of a model's outputs for a benchmark."""
    return Path("results") / pair[0] / "eval-results" / pair[1]


def pairs_of(settings: Settings, record: dict[str, Any]) -> list[Pair]:
    """Return the pairs to tell of: the last run's, else the configuration's, and all whose outputs are there."""
    wanted = [(pair[0], pair[1]) for pair in record.get("pairs", ())] or [
        (model, benchmark) for model in settings.models for benchmark in settings.benchmarks
    ]
    there = {
        (path.parent.parent.parent.name, path.parent.name)
        for path in Path("results").glob("*/eval-results/*/output-rs*.jsonl*")
    }
    known = [pair for pair in sorted(there) if pair[0] in settings.models and pair[1] in settings.known_benchmarks()]
    return list(dict.fromkeys([*wanted, *known]))


def coverage_of(settings: Settings, pair: Pair) -> dict[str, Any]:
    """Compute and write coverage.json of a pair; INVALID, with the reason, where the dataset itself is not there."""
    model, benchmark = pair
    folder = folder_of(pair)
    faults = []
    ids: list[str] = []
    try:
        ids = [row["id"] for row in read_rows(Path("resources") / benchmark / "test.jsonl")]
    except InputError as error:
        faults = [{"seed": None, "fault": str(error)}]
    limit = settings.config["errors"]["max_fraction"]
    found = cover(folder, ids, settings.seeds, limit, settings.fingerprint(model, benchmark))
    if faults:
        found |= {"faults": faults + found["faults"], "verdict": INVALID}
    found = {"model": model, "benchmark": benchmark, **found}
    if folder.is_dir():
        write_whole(folder / "coverage.json", as_json(found))
    return found


def stale_scorers(folder: Path, coverage: dict[str, Any]) -> list[str]:
    """Return the scorers whose metrics were not made from the outputs that are there now."""
    expected = {name: output["trace"] for name, output in coverage["outputs"].items()}
    stale = []
    for scorer in scorers_of(folder):
        try:
            details = json.loads((folder / f"details-{scorer}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            stale.append(scorer)
            continue
        made_from = {name: output["trace"] for name, output in details.get("outputs", {}).items()}
        if made_from != expected:
            stale.append(scorer)
    return stale


def last_words(pair: Pair, seed: int) -> str | None:
    """Return the last line of a seed's log, which says why it failed, or None where there is none."""
    path = Path("logs/generate") / pair[0] / f"{pair[1]}-rs{seed}.log"
    try:
        lines = [line for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    except OSError:
        return None
    return lines[-1].strip().removeprefix("error: ") if lines else None


def reasons(pair: Pair, coverage: dict[str, Any]) -> list[str]:
    """Return why a pair is not complete, each common reason once with its seeds and where to look."""
    told = [fault["fault"] for fault in coverage["faults"]]
    missing = sorted(set(coverage["seeds"]["expected"]) - set(coverage["seeds"]["found"]))
    by_reason: dict[str, list[int]] = {}
    for seed in missing:
        by_reason.setdefault(last_words(pair, seed) or "never ran", []).append(seed)
    for reason, seeds in by_reason.items():
        log = f"logs/generate/{pair[0]}/{pair[1]}-rs{seeds[0]}.log: " if reason != "never ran" else ""
        told.append(f"seeds {', '.join(map(str, seeds))} missing: {log}{reason}")
    cells = [
        cell for cell in coverage["not_ok"] if cell["status"] in ("error", "missing") and cell["seed"] not in missing
    ]
    for (status, reason), count in Counter((cell["status"], cell["reason"]) for cell in cells).items():
        example = next(cell for cell in cells if (cell["status"], cell["reason"]) == (status, reason))
        where = f"{example['id']} of seed {example['seed']}"
        told.append(f"{count} samples {status} ({where}{', …' if count > 1 else ''}): {reason or 'no record'}")
    return told


def verdict_line(pair: Pair, coverage: dict[str, Any], rows: Iterable[dict[str, Any]], stale: list[str]) -> str:
    """Return the one line of a pair: verdict, size, strict pass@1 where that may be told, or the reasons."""
    seeds, verdict = coverage["seeds"], coverage["verdict"]
    head = f"{pair[1]} / {pair[0]}: {verdict}"
    if verdict == INVALID:
        return f"{head}: {'; '.join(reasons(pair, coverage))}"
    size = f"{len(seeds['expected'])}×{coverage['problems']}"
    parts = [f"{head} {size}"]
    if seeds["surplus"]:
        parts.append(f"{len(seeds['expected'])} of {len(seeds['expected']) + len(seeds['surplus'])} seeds")
    if stale:
        parts.append(f"metrics of {', '.join(stale)} are older than the outputs: run snakemake")
    else:
        parts += [f"pass@1 {row['pass@1']:.1f} %" for row in rows if row["scorer"] == "strict"]
    parts += [f"{name} {count}" for name, count in coverage["counts"].items() if count and name not in ("ok",)]
    if verdict == PARTIAL:
        parts += reasons(pair, coverage)
    return ", ".join(parts)


def main() -> int:
    """Run the command; returns 0 when every pair is complete, or partial within the tolerance, else 1."""
    parser = argparse.ArgumentParser(prog="python -m scripts.summary", description=__doc__)
    parser.add_argument("--ended", choices=["well", "badly"], help="the run that calls this has just ended")
    parser.add_argument("--unless-told-since", type=float, help="say nothing if a run told all this after that time")
    options = parser.parse_args()
    record = run_record.read()
    if options.unless_told_since is not None and (record.get("ended") or 0) >= options.unless_told_since:
        return 0
    if not CONFIG.is_file():
        raise InputError(f"{CONFIG.absolute()}: there is no such file; expected the folder of a run")
    settings = load(read_yaml(CONFIG), str(CONFIG), [CONFIG.parent])
    lines, table, verdicts = [], [], []
    for pair in pairs_of(settings, record):
        coverage = coverage_of(settings, pair)
        folder = folder_of(pair)
        scorers = scorers_of(folder)
        stale = stale_scorers(folder, coverage)
        rows = rows_of(folder, scorers, compare_scorers(folder, scorers)) if scorers and not stale else []
        table += [row | {"coverage": coverage} for row in rows]
        lines.append(verdict_line(pair, coverage, rows, stale))
        verdicts.append(coverage["verdict"] if not stale else INVALID)
    print("\n".join(lines))
    return 0 if all(verdict in (COMPLETE, PARTIAL) for verdict in verdicts) else 1


if __name__ == "__main__":
    sys.exit(exit_code(main))
