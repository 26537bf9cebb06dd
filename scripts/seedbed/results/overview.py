"""The state of a results folder, in four steps: collect its files, decide, render the text, record it in run.json."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from seedbed.config.settings import Settings
from seedbed.records import paths, run_record
from seedbed.records.coverage import COMPLETE, INVALID, PARTIAL
from seedbed.records.run_record import RUNNING
from seedbed.results import gates, usage, verdict
from seedbed.results.status import (
    coverage_of,
    files_in,
    known_pairs,
    stale_scorers,
    terms_of,
    unconfigured_models,
)
from seedbed.results.summary_table import LEGEND, Rows, compare_scorers, render_table, rows_of, scorers_of
from seedbed.results.verdict import Pair
from seedbed.serving.broker import control


@dataclass
class PairStatus:
    """One model on one benchmark: its coverage, its metrics, and the scorers whose metrics are of other outputs."""

    pair: Pair
    asked: bool  # whether the run, or the configuration, asks for it
    coverage: dict[str, Any]
    rows: Rows
    stale: list[str]

    @property
    def verdict(self) -> str:
        """Return COMPLETE, PARTIAL or INVALID."""
        return INVALID if self.stale else str(self.coverage["verdict"])


@dataclass
class Overview:
    """All pairs of a results folder, and whether a run still goes on in it."""

    settings: Settings
    record: dict[str, Any]
    running: bool
    pairs: list[PairStatus] = field(default_factory=list)

    @property
    def coverages(self) -> dict[Pair, dict[str, Any]]:
        """Return the coverage of each pair."""
        return {one.pair: one.coverage for one in self.pairs}


@dataclass
class Decision:
    """The exit code, the verdict of each pair that is asked for, and gate.json where there are gates."""

    code: int
    verdicts: dict[str, str]
    judged: dict[str, Any] | None


def collect(settings: Settings, record: dict[str, Any], ended: bool) -> Overview:
    """Return what is in the folder; of a run that has just `ended`, only what that run was about."""
    running = record.get("state") == RUNNING and not ended and control.is_locked()
    found = Overview(settings, record, running)
    asked = {(pair["model"], pair["benchmark"]): pair for pair in record.get("pairs", ())}
    if not ended:
        asked = {pair: terms_of(settings, record, pair) for pair in settings.pairs} | asked
    others = {} if ended else {pair: terms_of(settings, record, pair) for pair in known_pairs(settings, ())}
    for pair, terms in {**asked, **{pair: terms for pair, terms in others.items() if pair not in asked}}.items():
        found.pairs.append(_status(settings, pair, terms, pair in asked))
    return found


def _status(settings: Settings, pair: Pair, terms: Mapping[str, Any], asked: bool) -> PairStatus:
    """Return the status of one pair, judged by the terms of the last run about it."""
    coverage, folder = coverage_of(settings, pair, terms), paths.outputs_folder(*pair)
    present = scorers_of(folder)
    configured = [scorer for scorer in settings.scorers if scorer in present]
    old = stale_scorers(settings, dict.fromkeys([*terms["scorers"], *configured]), folder, coverage)
    current = [scorer for scorer in configured if scorer not in old]
    rows = rows_of(folder, current, compare_scorers(folder, current)) if coverage["verdict"] != INVALID else []
    return PairStatus(pair, asked, coverage, rows, [scorer for scorer in terms["scorers"] if scorer in old])


def decide(found: Overview, failed: bool) -> Decision:
    """Return the verdicts, the gates' result and the exit code: 0 usable, 1 not, 3 where only a gate is inconclusive.

    `failed`: a job of the run that has just ended failed.
    """
    verdicts = {"/".join(one.pair): one.verdict for one in found.pairs if one.asked}
    code, judged = 0 if all(word in (COMPLETE, PARTIAL) for word in verdicts.values()) else 1, None
    if found.settings.config["gates"] and found.record.get("gated", True) and not found.running:
        judged = gates.judge_ended_run(found.settings, found.coverages, found.record.get("started") if failed else None)
        code = code or int(judged["exit_code"])
    return Decision(code, verdicts, judged)


def render(found: Overview, decision: Decision) -> str:
    """Return the table, then one line a pair with its verdict and files, then the gates' line."""
    groups, lines = [], []
    for one in found.pairs:
        seeds = one.coverage["seeds"]
        if one.rows:
            groups.append((one.rows, f"{len(seeds['whole'])}/{len(seeds['expected'])}", one.verdict))
        lines.append(verdict.line(one.pair, one.coverage, one.rows, one.stale, found.running and one.asked))
        folder = paths.outputs_folder(*one.pair)
        lines += [f"    {folder}/: {files_in(folder)}"] if one.rows else []
    lines += [gates.line(decision.judged)] if decision.judged is not None else []
    lines += [line for line in [unconfigured_models(found.settings)] if line]
    lines += ["a run goes on in this folder"] if found.running else []
    return "\n".join([*([render_table(groups), "", LEGEND, ""] if groups else []), *lines])


def record(found: Overview, decision: Decision, ended: bool, failed: bool) -> None:
    """Write the verdicts, what the run used and, where it has just `ended`, its end into run.json."""
    if found.running:
        return
    state = {"state": "ENDED" if decision.code == 0 and not failed else "FAILED", "verdicts": decision.verdicts}
    used = usage.of_run(found.record, [one.coverage for one in found.pairs if one.asked])
    run_record.write(found.record | state | ({"ended": time.time()} if ended else {}) | used)
