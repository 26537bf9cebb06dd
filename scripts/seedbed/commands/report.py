"""Write results/report.html and the files beside it: what a run came to, to look at.

By hand: python -m seedbed report, or --single-file --out FILE for one file to send.
"""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from seedbed.config.settings import Settings, load
from seedbed.core import files
from seedbed.core.errors import InputError
from seedbed.core.schema import read_yaml
from seedbed.records import run_record
from seedbed.report import page
from seedbed.report.document import document
from seedbed.report.page import render
from seedbed.report.texts import block
from seedbed.results.status import coverage_of, pairs_there, terms_of
from seedbed.results.verdict import Pair

CONFIG = Path("results/config.yaml")
REPORT = Path("results/report.html")
MAX_MB = 20
Coverages = Mapping[Pair, Mapping[str, Any]]


def told_to(settings: Settings, coverages: Coverages, judged: Mapping[str, Any] | None) -> str:
    """Write the report and return the line that says where, or why it could not be written; a run is not lost by it."""
    try:
        return f"report: {write(settings, coverages, judged)}"
    except Exception as error:
        why = str(error) if isinstance(error, InputError | OSError) else f"{type(error).__name__}: {error}"
        return f"report: {REPORT} could not be written: {' '.join(why.split())}"


def write(settings: Settings, coverages: Coverages, judged: Mapping[str, Any] | None) -> Path:
    """Write the report on all pairs that are asked for or there; returns its file. Raises InputError, OSError."""
    told = gathered(settings, coverages, judged)
    files.write(REPORT, render(block(told), title_of(told)))
    return REPORT


def gathered(settings: Settings, coverages: Coverages, judged: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the page's document; `coverages` are those already computed, the others are computed here."""
    record = run_record.read()
    found = {
        pair: coverages[pair] if pair in coverages else coverage_of(settings, pair, terms_of(settings, record, pair))
        for pair in pairs_of(settings, record)
    }
    return document(settings, record, found, judged)


def pairs_of(settings: Settings, record: Mapping[str, Any]) -> list[Pair]:
    """Return the pairs of the configuration, then of earlier runs, then those whose outputs are there all the same."""
    asked = [(pair["model"], pair["benchmark"]) for pair in record.get("asked", {}).values()]
    return list(dict.fromkeys([*settings.pairs, *pairs_there(settings, asked)]))


def title_of(told: Mapping[str, Any]) -> str:
    """Return the title of the page."""
    return f"{told['folder']}: {told['headline']['verdict']}"


def main() -> int:
    """Run the command; returns 0."""
    parser = argparse.ArgumentParser(prog="python -m seedbed report", description=__doc__)
    parser.add_argument("--single-file", action="store_true", help="one file with all in it, long texts shortened")
    parser.add_argument("--max-mb", type=float, help=f"the size of that file at most, in MB ({MAX_MB})")
    parser.add_argument("--out", type=Path, help="where that file goes (results/report-single.html)")
    options = parser.parse_args()
    for option, value in (("--out", options.out), ("--max-mb", options.max_mb)):
        if value is not None and not options.single_file:
            raise InputError(f"{option}: expected --single-file beside it; the report itself is {REPORT}")
    if not CONFIG.is_file():
        raise InputError(f"{CONFIG.absolute()}: there is no such file; expected the folder of a run")
    settings = load(read_yaml(CONFIG), str(CONFIG), [CONFIG.parent])
    judged = files.read_json(Path("results/gate.json")) if settings.config["gates"] else None
    if not options.single_file:
        print(write(settings, {}, judged))
        return 0
    out = options.out or REPORT.with_name("report-single.html")
    told = gathered(settings, {}, judged)
    text = page.single(told, title_of(told), MAX_MB if options.max_mb is None else options.max_mb)
    files.write(out, text)
    print(f"{out}: {len(text) / 1e6:.1f} MB")
    return 0
