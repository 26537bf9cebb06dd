"""Write what a server is, as far as it shapes an answer: results/{model}/server.spec.json."""

import argparse
import json
import sys
from pathlib import Path

from scripts.errors import InputError, exit_code
from scripts.serving import notes
from scripts.serving.definitions import answer_relevant, model_file

__all__ = ["answer_relevant", "main", "model_file"]


def main(argv: list[str] | None = None) -> int:
    """Write the spec given on the standard input; returns 0. It is compared by content: equal specs, equal bytes."""
    parser = argparse.ArgumentParser(prog="server", description=__doc__)
    parser.add_argument("--spec", required=True, type=Path, help="JSON file of answer-relevant fields, - for stdin")
    parser.add_argument("--out", required=True, type=Path)
    arguments = parser.parse_args(argv)
    text = sys.stdin.read() if str(arguments.spec) == "-" else arguments.spec.read_text(encoding="utf-8")
    try:
        spec = json.loads(text)
    except ValueError as error:
        raise InputError(f"{arguments.spec}: not JSON: {error}") from error
    if not isinstance(spec, dict):
        raise InputError(f"{arguments.spec}: found {type(spec).__name__}, expected an object")
    notes.write(arguments.out, dict(sorted(spec.items())))
    return 0


if __name__ == "__main__":
    sys.exit(exit_code(main))
