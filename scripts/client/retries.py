"""How often one sample is asked again, and how long it waits before."""

import random

from scripts.client.outcomes import Failure, Kind
from scripts.client.snapshot import Retries

FAULTS = 3
LONGEST_WAIT = 3600.0


class Patience:
    """What is left of the patience with one sample."""

    def __init__(self, bounds: Retries, jitter: random.Random) -> None:
        """Start with all of it."""
        self._bounds = bounds
        self._jitter = jitter
        self._attempts = 0
        self._counted = 0
        self._faults = 0
        self._outages = 0
        self._refused = 0
        self._moved = 0

    def after(self, failure: Failure, moved: int, outage: bool = False) -> float | None:
        """Return the seconds to wait before the next attempt, None if there is none.

        `moved` grows with all that the model answers to anybody in this run. An overloaded server that meanwhile
        answers others is no fault of this sample: only refusals in a row without any movement are counted. Nor is an
        `outage` that the job has waited for, up to as many of them as there are attempts.
        """
        if failure.kind in (Kind.REJECTED, Kind.FATAL):
            return None
        self._attempts += 1
        if failure.kind is Kind.BUSY:
            self._refused = 1 if moved > self._moved else self._refused + 1
            self._moved = moved
        elif outage and self._outages < self._bounds.attempts:
            self._outages += 1
        else:
            self._counted += 1
            self._faults += failure.kind is Kind.FAULT
        if max(self._counted, self._refused) >= self._bounds.attempts or self._faults >= FAULTS:
            return None
        if failure.retry_after is not None:
            return min(failure.retry_after, LONGEST_WAIT) * (1 + 0.1 * self._jitter.random())
        return self.back_off(self._attempts)

    def back_off(self, attempt: int) -> float:
        """Return the wait before attempt `attempt` + 1: doubled each time up to a bound, half of it random."""
        longest = min(self._bounds.backoff_max, self._bounds.backoff * 2.0 ** min(attempt - 1, 30))
        return longest * (0.5 + 0.5 * self._jitter.random())
