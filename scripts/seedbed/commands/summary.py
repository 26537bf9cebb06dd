"""Print the table and the verdict of the results folder, write the report; the exit code follows the verdict."""

import argparse
from dataclasses import replace

from seedbed.config.settings import load
from seedbed.core.errors import InputError
from seedbed.core.schema import read_yaml
from seedbed.records import paths, run_record
from seedbed.report import document
from seedbed.results import overview


def main() -> int:
    """Run the command; returns 0 when every pair is complete, or partial as tolerated, and all gates pass, else 1.

    3 where all is well but that a gate is inconclusive.
    """
    parser = argparse.ArgumentParser(prog="python -m seedbed summary", description=__doc__)
    parser.add_argument("--ended", choices=["well", "badly"], help="the run that calls this has just ended")
    parser.add_argument("--skip-if-reported-since", type=float, help="print nothing if a run printed all this since")
    options = parser.parse_args()
    record = run_record.read()
    if options.skip_if_reported_since is not None and (record.get("ended") or 0) >= options.skip_if_reported_since:
        return 0
    if not paths.CONFIG.is_file():
        raise InputError(f"{paths.CONFIG.absolute()}: there is no such file; expected the folder of a run")
    settings = load(read_yaml(paths.CONFIG), str(paths.CONFIG), [paths.CONFIG.parent])
    ended, failed = options.ended is not None, options.ended == "badly"
    if ended:  # the scorers' files may have been edited since the run began
        settings = replace(settings, scorers={name: paths.scorer_copy(name) for name in settings.scorers})
    found = overview.collect(settings, record, ended)
    decision = overview.decide(found, failed)
    print(overview.render(found, decision))
    overview.record(found, decision, ended, failed)
    print(document.write_and_describe(settings, found.coverages, decision.judged))
    return decision.code
