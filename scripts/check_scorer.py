"""Check scorers before they are used: compile their patterns, run their canaries, time them on hostile texts."""

import argparse
import sys

from scripts.errors import exit_code
from scripts.evals.canaries import check_file
from scripts.evals.definitions import find_definition


def main() -> int:
    """Run the command; returns 0 if every scorer can be trusted."""
    parser = argparse.ArgumentParser(prog="python -m scripts.check_scorer", description=__doc__)
    parser.add_argument("scorers", nargs="+", metavar="FILE", help="a YAML file, or a name in config/scorers")
    for name in parser.parse_args().scorers:
        path = find_definition(name)
        check_file(path)
        print(f"{path}: sound")
    return 0


if __name__ == "__main__":
    sys.exit(exit_code(main))
