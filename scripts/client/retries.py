"""How often one sample is asked again, and how long it waits before."""

import random

from scripts.client.outcomes import Kind
from scripts.client.snapshot import Retries

FAULTS = 3
LONGEST_WAIT = 3600.0


class Patience:
    """What is left of the patience with one sample."""

    def __init__(self, bounds: Retries, queue: float | None, jitter: random.Random) -> None:
        """Start with all of it; `queue` is how many seconds an overloaded server may refuse before it counts."""
        self._bounds = bounds
        self._queue = queue
        self._jitter = jitter
        self._attempts = 0
        self._counted = 0
        self._faults = 0
        self._outages = 0
        self._still_since: float | None = None
        self._moved = 0

    def after(
        self, kind: Kind, now: float, moved: int = 0, outage: bool = False, retry_after: float | None = None
    ) -> float | None:
        """Return the seconds to wait before the next attempt, None if there is none; `now` in monotonic seconds.

        `moved` grows with all that the model answers to anybody in this run. A server that refuses because it is
        overloaded, or not ready yet, lets the sample queue here instead of there: such refusals are not counted, but
        they may not last longer than the queue's bound without any movement. Nor is an `outage` counted that the job
        has waited for, up to as many of them as there are attempts.
        """
        if kind in (Kind.REJECTED, Kind.FATAL):
            return None
        self._attempts += 1
        if kind is Kind.BUSY:
            if self._still_since is None or moved > self._moved:
                self._still_since = now
            self._moved = moved
            if self._queue is not None and now - self._still_since > self._queue:
                return None
        else:
            self._still_since = None
            if outage and self._outages < self._bounds.attempts:
                self._outages += 1
            else:
                self._counted += 1
                self._faults += kind is Kind.FAULT
        if self._counted >= self._bounds.attempts or self._faults >= FAULTS:
            return None
        if retry_after is not None:
            # Never at once, whatever the server says, and never all at the same moment.
            told = min(max(retry_after, self._bounds.backoff), LONGEST_WAIT)
            return told + self._jitter.random() * max(self._bounds.backoff, 0.1 * told)
        return self.back_off(self._attempts)

    def back_off(self, attempt: int) -> float:
        """Return the wait before attempt `attempt` + 1: doubled each time up to a bound, half of it random."""
        longest = min(self._bounds.backoff_max, self._bounds.backoff * 2.0 ** min(attempt - 1, 30))
        return longest * (0.5 + 0.5 * self._jitter.random())
