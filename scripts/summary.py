"""Tell what is there: coverage and verdict of every model and benchmark, the table, an exit code that follows them."""

import argparse
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from scripts import gate, run_record, spending, verdict
from scripts.errors import InputError, exit_code
from scripts.evals import duplicates
from scripts.evals.coverage import COMPLETE, INVALID, PARTIAL, cover
from scripts.evals.datasets import read_ids
from scripts.evals.parts import label
from scripts.evals.reports import as_json, read_details, write_whole
from scripts.run_record import RUNNING
from scripts.schema import read_yaml
from scripts.serving import driver
from scripts.settings import Settings, load
from scripts.tables import render
from scripts.tabulate import compare_scorers, rows_of, scorers_of
from scripts.verdict import Pair

CONFIG = Path("results/config.yaml")
FILES = "output-rs*.jsonl, metrics*.json, samples-*.csv, scorers.json, statistics.json, coverage.json"


def folder_of(pair: Pair) -> Path:
    """Return the folder of a model's outputs for a benchmark."""
    return Path("results") / pair[0] / "eval-results" / pair[1]


def asked_for(settings: Settings, record: dict[str, Any]) -> dict[Pair, dict[str, Any]]:
    """Return the pairs that the last run was about, with `scorers` and `fingerprint`."""
    return {(pair["model"], pair["benchmark"]): pair for pair in record.get("pairs", ())}


def configured(settings: Settings) -> dict[Pair, dict[str, Any]]:
    """Return the pairs of the configuration, with `scorers` and `fingerprint`."""
    pairs = [(model, name) for model in settings.models for name in settings.benchmarks]
    return {pair: unasked(settings, pair) for pair in pairs}


def unasked(settings: Settings, pair: Pair) -> dict[str, Any]:
    """Return the `scorers` and the `fingerprint` of a pair as the configuration has them, where it can be read."""
    try:
        fingerprint = settings.made_of(*pair)
    except InputError:
        fingerprint = None
    return {"scorers": list(settings.scorers), "fingerprint": fingerprint}


def others(settings: Settings, asked: Iterable[Pair]) -> list[Pair]:
    """Return the pairs, none of `asked`, whose outputs are there all the same."""
    there = {
        (path.parent.parent.parent.name, path.parent.name)
        for path in Path("results").glob("*/eval-results/*/output-rs*.jsonl*")
    }
    known = settings.known_benchmarks()
    return sorted(pair for pair in there - set(asked) if pair[0] in settings.models and pair[1] in known)


def coverage_of(settings: Settings, pair: Pair, fingerprint: str | None) -> dict[str, Any]:
    """Compute and write coverage.json of a pair; INVALID, with the reason, where the dataset itself is not there."""
    model, benchmark = pair
    folder = folder_of(pair)
    faults, ids, dataset = [], [], Path("resources") / benchmark
    try:
        ids = read_ids(dataset / "test.jsonl")
    except InputError as error:
        faults = [{"seed": None, "fault": str(error)}]
    limit = settings.config["errors"]["max_fraction"]
    found = cover(folder, ids, settings.seeds, limit, fingerprint)
    if not found["faults"]:
        temperature = settings.model(model)["sampling"].get("temperature")
        repeated = duplicates.find([folder / name for name in found["outputs"]], temperature)
        found["remarks"] = [remark for remark in [repeated.line(model)] if remark]
        if repeated.samples:
            found["flags"][duplicates.FLAG] = repeated.samples
    if faults:
        found |= {"faults": faults + found["faults"], "verdict": INVALID}
    found = {"model": model, "benchmark": benchmark, "part": label(dataset), **found}
    if folder.is_dir():
        write_whole(folder / "coverage.json", as_json(found))
    return found


def stale_scorers(scorers: Iterable[str], folder: Path, coverage: dict[str, Any]) -> list[str]:
    """Return those of the scorers whose metrics were not made from just the outputs that count now."""
    expected = {name: output["trace"] for name, output in coverage["outputs"].items()}
    stale = []
    for scorer in scorers:
        try:
            made_from = read_details(folder, scorer)["outputs"]
        except InputError:
            made_from = None
        if made_from != expected:
            stale.append(scorer)
    return stale


def main() -> int:
    """Run the command; returns 0 when every pair is complete, or partial as tolerated, and all gates pass, else 1.

    3 where all is well but that a gate cannot tell.
    """
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
    lines, groups, verdicts, coverages = [], [], {}, {}
    asked = asked_for(settings, record)
    if options.ended is None:
        asked = configured(settings) | asked
    for pair in [*asked, *([] if options.ended else others(settings, asked))]:
        wanted = asked.get(pair) or unasked(settings, pair)
        coverage, folder = coverage_of(settings, pair, wanted["fingerprint"]), folder_of(pair)
        coverages[pair] = coverage
        stale = stale_scorers(wanted["scorers"], folder, coverage)
        there = [scorer for scorer in scorers_of(folder) if scorer in settings.scorers]
        current = [scorer for scorer in there if scorer not in stale_scorers(there, folder, coverage)]
        rows = rows_of(folder, current, compare_scorers(folder, current)) if coverage["verdict"] != INVALID else []
        seeds = f"{len(coverage['seeds']['whole'])}/{len(coverage['seeds']['expected'])}"
        if rows:
            groups.append((rows, seeds, coverage["verdict"]))
        lines += [verdict.line(pair, coverage, rows, stale), *([f"    {folder}/: {FILES}"] if rows else [])]
        if pair in asked:
            verdicts["/".join(pair)] = INVALID if stale else coverage["verdict"]
    usable = all(word in (COMPLETE, PARTIAL) for word in verdicts.values())
    going_on = record.get("state") == RUNNING and options.ended is None and driver.held()
    code = 0 if usable else 1
    if settings.config["gates"] and record.get("gated", True) and not going_on:
        since = record.get("started") if options.ended == "badly" else None
        judged = gate.judged(settings.config, coverages, since)
        lines.append(gate.line(judged))
        code = code or int(judged["exit_code"])
    print("\n".join([*([render(groups), ""] if groups else []), *lines]))
    if going_on:
        print("a run goes on in this folder")
    else:
        ended = {"ended": time.time()} if options.ended else {}
        state = {"state": "ENDED" if code == 0 and options.ended != "badly" else "FAILED", "verdicts": verdicts}
        used = spending.of_run(record, [coverages[pair] for pair in asked])
        run_record.write(record | state | ended | used)
    return code


if __name__ == "__main__":
    sys.exit(exit_code(main))
