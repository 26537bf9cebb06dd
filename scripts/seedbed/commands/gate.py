"""Decide whether a run is good enough: gate.json, one last line, and an exit code for those who watch by machine.

By hand: python -m seedbed gate DIR --require "pass@1 >= 70" --require "not worse than REFERENCE by 2 points".
Exit codes: 0 all pass, 1 one fails, 3 none fails but one is inconclusive, 2 unusable input.
"""

import argparse
from pathlib import Path

from seedbed.config.settings import load
from seedbed.core import files
from seedbed.core.errors import InputError
from seedbed.core.schema import read_yaml
from seedbed.decisions.criteria import PASS
from seedbed.results import gates
from seedbed.scoring.answers import ANSWER_TYPES
from seedbed.scoring.score_files import STRICT, as_json


def main() -> int:
    """Run the command; returns 0 pass, 1 fail, 3 inconclusive."""
    parser = argparse.ArgumentParser(prog="python -m seedbed gate", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="a folder with output-rs*.jsonl")
    parser.add_argument("--config", type=Path, help="a run's results/config.yaml, whose gates are judged")
    parser.add_argument("--require", action="append", default=[], help="a criterion; may be repeated")
    parser.add_argument("--scorer", default=STRICT, help="the scorer whose answers count (strict)")
    parser.add_argument("--answer-type", choices=ANSWER_TYPES, help="for outputs not scored yet; guessed if left out")
    parser.add_argument("--out", type=Path, help="the JSON file to write")
    parser.add_argument("--passed", type=Path, help="a marker, written if all pass: what --out holds then")
    options = parser.parse_args()
    if (options.folder is None) == (options.config is None):
        raise InputError("expected a folder with --require, or --config results/config.yaml")
    if options.config is not None:
        settings = load(read_yaml(options.config), str(options.config), [options.config.resolve().parent, Path.cwd()])
        if options.require or not settings.config["gates"]:
            raise InputError(f"{options.config}: expected `gates` in it, and no --require beside it")
        judged = gates.judge_run(settings, {})
    else:
        judged = gates.judge_folder(options.folder, options.scorer, options.require, options.answer_type)
    if options.out is not None:
        files.write(options.out, as_json(judged))
    print(gates.line(judged))
    if judged["result"] == PASS and options.passed is not None:
        files.write(options.passed, as_json(judged))
    return int(judged["exit_code"])
