"""Check scorers before they are used: compile their patterns, run their examples, time them on hostile texts."""

import argparse

from seedbed.scoring.definition import find_definition
from seedbed.scoring.examples import check_file


def main() -> int:
    """Run the command; returns 0 if every scorer can be trusted."""
    parser = argparse.ArgumentParser(prog="python -m seedbed check_scorer", description=__doc__)
    parser.add_argument("scorers", nargs="+", metavar="FILE", help="a YAML file, or a name in config/scorers")
    for name in parser.parse_args().scorers:
        path = find_definition(name)
        check_file(path)
        print(f"{path}: sound")
    return 0
