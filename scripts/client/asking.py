"""Asking until there is an answer or no patience left: the one loop for samples and for the checks before them."""

import asyncio
import random
import time
from dataclasses import dataclass

from scripts.client.answer import Answer
from scripts.client.chat import Chat
from scripts.client.demand import Demand, Endpoint
from scripts.client.link import GLANCE, Link, authorization
from scripts.client.loops import LoopWatch
from scripts.client.outcomes import Failure, Kind, told
from scripts.client.retries import Patience
from scripts.client.snapshot import Snapshot
from scripts.client.watch import Watch
from scripts.errors import RunError


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
        """Return the answer to `body`; raises GaveUp if there is none, RunError if nobody will get one any more."""
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
