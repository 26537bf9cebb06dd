"""Tell what is there: coverage and verdict of every model and benchmark, the table, an exit code that follows them."""

import argparse
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from seedbed.commands import gate, report
from seedbed.commands.tabulate import compare_scorers, rows_of, scorers_of
from seedbed.config.settings import Settings, load
from seedbed.core.errors import InputError
from seedbed.core.schema import read_yaml
from seedbed.records import run_record
from seedbed.records.coverage import COMPLETE, INVALID, PARTIAL
from seedbed.records.run_record import RUNNING
from seedbed.results import usage, verdict
from seedbed.results.status import coverage_of, files_in, folder_of, pairs_there, stale_scorers, strangers, terms_of
from seedbed.results.summary_table import render
from seedbed.results.verdict import Pair
from seedbed.serving.broker import control
from seedbed.workflow import snapshot

CONFIG = Path("results/config.yaml")


def asked_for(settings: Settings, record: dict[str, Any]) -> dict[Pair, dict[str, Any]]:
    """Return the pairs that the last run was about, each with the terms by which it is judged."""
    return {(pair["model"], pair["benchmark"]): pair for pair in record.get("pairs", ())}


def configured(settings: Settings, record: dict[str, Any]) -> dict[Pair, dict[str, Any]]:
    """Return the pairs of the configuration, each judged by the last run that was about it, if there was one."""
    return {pair: terms_of(settings, record, pair) for pair in settings.pairs}


def as_it_began(settings: Settings) -> Settings:
    """Return the settings with the scorers' files of the run that has just ended: they may have been edited since."""
    return replace(settings, scorers={name: snapshot.scorer(name) for name in settings.scorers})


def others(settings: Settings, record: dict[str, Any], told: Iterable[Pair]) -> dict[Pair, dict[str, Any]]:
    """Return the pairs, none of `told`, whose outputs are there all the same."""
    told = set(told)
    return {pair: terms_of(settings, record, pair) for pair in pairs_there(settings, ()) if pair not in told}


def main() -> int:
    """Run the command; returns 0 when every pair is complete, or partial as tolerated, and all gates pass, else 1.

    3 where all is well but that a gate cannot tell.
    """
    parser = argparse.ArgumentParser(prog="python -m seedbed summary", description=__doc__)
    parser.add_argument("--ended", choices=["well", "badly"], help="the run that calls this has just ended")
    parser.add_argument("--unless-told-since", type=float, help="say nothing if a run told all this after that time")
    options = parser.parse_args()
    record = run_record.read()
    if options.unless_told_since is not None and (record.get("ended") or 0) >= options.unless_told_since:
        return 0
    if not CONFIG.is_file():
        raise InputError(f"{CONFIG.absolute()}: there is no such file; expected the folder of a run")
    settings = load(read_yaml(CONFIG), str(CONFIG), [CONFIG.parent])
    if options.ended is not None:
        settings = as_it_began(settings)
    lines, groups, verdicts, coverages = [], [], {}, {}
    going_on = record.get("state") == RUNNING and options.ended is None and control.is_locked()
    asked = asked_for(settings, record)
    if options.ended is None:
        asked = configured(settings, record) | asked
    for pair, wanted in {**asked, **({} if options.ended else others(settings, record, asked))}.items():
        coverage, folder = coverage_of(settings, pair, wanted), folder_of(pair)
        coverages[pair] = coverage
        left = scorers_of(folder)
        there = [scorer for scorer in settings.scorers if scorer in left]
        old = stale_scorers(settings, dict.fromkeys([*wanted["scorers"], *there]), folder, coverage)
        stale = [scorer for scorer in wanted["scorers"] if scorer in old]
        current = [scorer for scorer in there if scorer not in old]
        rows = rows_of(folder, current, compare_scorers(folder, current)) if coverage["verdict"] != INVALID else []
        seeds = f"{len(coverage['seeds']['whole'])}/{len(coverage['seeds']['expected'])}"
        if rows:
            groups.append((rows, seeds, INVALID if stale else coverage["verdict"]))
        lines.append(verdict.line(pair, coverage, rows, stale, going_on and pair in asked))
        lines += [f"    {folder}/: {files_in(folder)}"] if rows else []
        if pair in asked:
            verdicts["/".join(pair)] = INVALID if stale else coverage["verdict"]
    usable = all(word in (COMPLETE, PARTIAL) for word in verdicts.values())
    code, judged = 0 if usable else 1, None
    if settings.config["gates"] and record.get("gated", True) and not going_on:
        since = record.get("started") if options.ended == "badly" else None
        judged = gate.judged(settings.config, coverages, since)
        lines.append(gate.line(judged))
        code = code or int(judged["exit_code"])
    lines += [line for line in [strangers(settings)] if line]
    print("\n".join([*([render(groups), ""] if groups else []), *lines]))
    if going_on:
        print("a run goes on in this folder")
    else:
        ended = {"ended": time.time()} if options.ended else {}
        state = {"state": "ENDED" if code == 0 and options.ended != "badly" else "FAILED", "verdicts": verdicts}
        used = usage.of_run(record, [coverages[pair] for pair in asked])
        run_record.write(record | state | ended | used)
    print(report.told_to(settings, coverages, judged))
    return code
