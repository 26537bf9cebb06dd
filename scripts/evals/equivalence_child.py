"""The child of `equivalence`: reads one pair a line, writes true or false a line."""

import logging
import sys

import msgspec

from scripts.evals.peer_equality import peer_equal
from scripts.evals.symbolic import same


def main() -> None:
    """Answer questions until the input ends; an expression nobody can read is not equal to anything."""
    logging.disable(logging.CRITICAL)
    output = sys.stdout.buffer
    output.write(b'"ready"\n')
    output.flush()
    for line in sys.stdin.buffer:
        question = msgspec.json.decode(line)
        compare = peer_equal if question["peer"] else same
        try:
            verdict = bool(compare(question["predicted"], question["expected"]))
        except (Exception, RecursionError):
            verdict = False
        output.write(b"true\n" if verdict else b"false\n")
        output.flush()


if __name__ == "__main__":
    main()
