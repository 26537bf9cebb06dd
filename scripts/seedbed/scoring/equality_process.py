"""Compare mathematical answers in a child process: a comparison that takes too long is killed.

Each pair is compared once. The child reads one pair per line and writes true or false.
"""

import atexit
import functools
import json
import logging
import os
import select
import subprocess
import sys
from collections.abc import Callable

import msgspec

from seedbed.core.environment import SOURCES

LIMIT = 20.0  # seconds a pair may take; the first one also pays for starting the child
BUDGET = 60.0  # seconds that all pairs of a process may lose to the limit; then each has SHORT seconds
SHORT = 2.0
START = 60.0  # seconds the child may take to import sympy on a busy machine


class Equivalence:
    """Asks one child process whether answers are the same; kills and replaces it when a pair takes too long."""

    def __init__(self, module: str, limit: float = LIMIT) -> None:
        """Prepare; `module` is run as the child with the first question, `limit` is in seconds a pair."""
        self.module = module
        self.limit = limit
        self.timeouts = 0
        self.lost = 0.0  # seconds spent on pairs that ran into the limit
        self._verdicts: dict[tuple[str, str], bool | None] = {}
        self._child: subprocess.Popen[bytes] | None = None

    def equal(self, predicted: str, expected: str) -> bool | None:
        """Return whether both are the same by the child's rules, or None if the limit ran out."""
        pair = (predicted, expected)
        if pair not in self._verdicts:
            self._verdicts[pair] = self._ask(predicted, expected)
        return self._verdicts[pair]

    def _ask(self, predicted: str, expected: str) -> bool | None:
        """Return the child's verdict; None after the limit or when the child died of the question."""
        child = self._started()
        assert child.stdin is not None
        assert child.stdout is not None
        try:
            child.stdin.write(msgspec.json.encode([predicted, expected]) + b"\n")
            child.stdin.flush()
            limit = self.limit if self.lost < BUDGET else min(self.limit, SHORT)
            if not select.select([child.stdout], [], [], limit)[0]:
                self.lost += limit
                raise TimeoutError
            answer = child.stdout.readline()
            if not answer:
                raise BrokenPipeError
        except (TimeoutError, BrokenPipeError):
            self.timeouts += 1
            self.close()
            return None
        verdict: bool | None = msgspec.json.decode(answer)
        self.timeouts += verdict is None
        return verdict

    def _started(self) -> "subprocess.Popen[bytes]":
        """Return the running child, started if necessary; raises RuntimeError if it does not come up."""
        if self._child is None or self._child.poll() is not None:
            self._child = subprocess.Popen(
                [sys.executable, "-m", self.module],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=SOURCES,
                env={**os.environ, "PYTHONPATH": str(SOURCES), "OMP_NUM_THREADS": "1"},
            )
            atexit.register(self.close)
            assert self._child.stdout is not None
            ready = select.select([self._child.stdout], [], [], START)[0] and self._child.stdout.readline()
            if not ready:
                self.close()
                raise RuntimeError("the comparison of answers did not start: is math-verify installed?")
        return self._child

    def close(self) -> None:
        """End the child, if there is one."""
        atexit.unregister(self.close)
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            for pipe in (child.stdin, child.stdout):
                if pipe is not None:
                    try:
                        pipe.close()
                    except BrokenPipeError:
                        continue
            child.wait()


@functools.cache
def shared(module: str) -> Equivalence:
    """Return the comparison by `module` that this process shares."""
    return Equivalence(module)


def answer_pairs(same: Callable[[str, str], bool]) -> None:
    """Answer questions until the input ends; an unreadable expression is not equal to anything."""
    logging.disable(logging.CRITICAL)
    output = sys.stdout
    print('"ready"', flush=True)
    for line in sys.stdin.buffer:
        predicted, expected = json.loads(line)
        try:
            verdict: bool | None = bool(same(predicted, expected))
        except (Exception, RecursionError) as error:
            verdict = None if type(error).__name__ == "TooLarge" else False
        print(json.dumps(verdict), file=output, flush=True)
