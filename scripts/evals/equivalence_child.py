"""The loop of a child of `equivalence`: one pair a line in, true or false a line out."""

import json
import logging
import sys
from collections.abc import Callable


def answer_pairs(same: Callable[[str, str], bool]) -> None:
    """Answer questions until the input ends; an expression nobody can read is not equal to anything."""
    logging.disable(logging.CRITICAL)
    output = sys.stdout
    print('"ready"', flush=True)
    for line in sys.stdin.buffer:
        predicted, expected = json.loads(line)
        try:
            verdict = bool(same(predicted, expected))
        except (Exception, RecursionError):
            verdict = False
        print("true" if verdict else "false", file=output, flush=True)
