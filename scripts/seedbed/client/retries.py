"""Retry one request: how often, after which pause, and when to give up.

`Patience` is the schedule of one sample; `Asking` is the retry loop, for samples and for the checks before them.
"""

import asyncio
import random
import time
from dataclasses import dataclass

from seedbed.client.endpoint import GLANCE, Demand, Endpoint, Link, authorization
from seedbed.client.job_config import Retries, Snapshot
from seedbed.client.outcomes import Failure, Kind, told
from seedbed.client.stream import Answer
from seedbed.client.transport import Chat, Watch
from seedbed.core.errors import RunError
from seedbed.health.repetition import LoopWatch

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


class GaveUp(Exception):
    """No answer, and no patience left; the message is the last reason and the number of attempts."""


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer, the loop seen in it, when its request began and ended (monotonic s), how many attempts it took."""

    answer: Answer
    loop: LoopWatch
    began: float
    ended: float
    attempts: int


class Asking:
    """What a job needs to ask its model anything."""

    def __init__(self, snapshot: Snapshot, link: Link, chat: Chat, watch: Watch, demand: Demand) -> None:
        """Put together the way to the server, the conversation, and who else is asking."""
        self._snapshot = snapshot
        self._link = link
        self._chat = chat
        self._watch = watch
        self._demand = demand
        self._jitter = random.Random()
        self.live: set[Answer] = set()

    @property
    def waits_for(self) -> str:
        """Return what was seen last of a server that is waited for, "" while there is one."""
        return self._link.waits_for

    async def ask(self, body: bytes) -> Answered:
        """Return the answer to `body`; raises GaveUp if there is none, RunError if no request can succeed."""
        bounds = self._snapshot.timeouts
        queue = bounds.server_wait if bounds.first_byte is None else bounds.first_byte
        patience = Patience(self._snapshot.retries, queue, self._jitter)
        attempts = 0
        while True:
            attempts += 1
            endpoint = await self._link.found()
            try:
                return await self._attempt(body, endpoint, attempts)
            except Failure as failure:
                reason = told(failure.reason, endpoint.key)
                wait = await self._after(failure, endpoint, patience, reason)
            if wait is None:
                raise GaveUp(f"{reason} (attempts: {attempts})")
            await self._pause(wait, endpoint)

    async def _pause(self, wait: float, endpoint: Endpoint) -> None:
        """Wait so many seconds, or until another server has taken the place of `endpoint`, which named the wait."""
        until = time.monotonic() + wait
        while (left := until - time.monotonic()) > 0:
            await asyncio.sleep(min(left, GLANCE))
            if self._link.superseded(endpoint):
                self._link.lost(endpoint)
                return

    async def _attempt(self, body: bytes, endpoint: Endpoint, attempts: int) -> Answered:
        """Return the answer to one request; raises Failure if there is none."""
        answer, loop = Answer(), LoopWatch(self._snapshot.loops.flag_chars)
        url = f"{endpoint.url}/chat/completions"
        self.live.add(answer)
        try:
            cut = self._snapshot.loops.cut
            began = await self._chat.ask(url, authorization(endpoint), body, answer, loop, cut)
        finally:
            self.live.discard(answer)
        self._link.served = True
        return Answered(answer, loop, began, time.monotonic(), attempts)

    async def _after(self, failure: Failure, endpoint: Endpoint, patience: Patience, reason: str) -> float | None:
        """Return the wait before the next attempt, None if there is none, having waited for a server that was lost."""
        outages, kind = self._link.outages, failure.kind
        if kind is Kind.FATAL:
            if not self._link.replaced(endpoint):
                raise RunError(f"{endpoint.url}: {reason}") from None
            kind = Kind.UNREACHABLE
        if kind is Kind.UNREACHABLE:
            self._link.lost(endpoint)
            await self._link.found()
        moved = self._watch.total + self._demand.answered
        outage = self._link.outages > outages
        return patience.after(kind, time.monotonic(), moved, outage, failure.retry_after)
