"""A bound on silence, watched by one clock for all streams."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager


class Watched:
    """One open request: `received` grows with every byte, also with comments."""

    __slots__ = ("_bound", "_seen", "_since", "expired", "received")

    def __init__(self, bound: asyncio.Timeout, now: float) -> None:
        """Start with no byte received."""
        self.received = 0
        self.expired: str | None = None
        self._bound = bound
        self._seen = 0
        self._since = now

    def look(self, now: float, first_byte: float | None, silence: float | None) -> None:
        """End the request if it has been silent for longer than allowed."""
        if self.received != self._seen:
            self._seen, self._since = self.received, now
            return
        limit = silence if self.received else first_byte
        if limit is not None and now - self._since > limit and self.expired is None:
            self.expired = f"silent for {limit:g} s" if self.received else f"no first byte within {limit:g} s"
            self._bound.reschedule(asyncio.get_running_loop().time())


class Watch:
    """Looks at every open request a few times within the shortest bound: no clock is read for a token."""

    def __init__(self, first_byte: float | None, silence: float | None) -> None:
        """Bounds in seconds; None is no bound."""
        self.first_byte = first_byte
        self.silence = silence
        self._open: set[Watched] = set()
        self.received = 0

    @contextmanager
    def over(self, bound: asyncio.Timeout) -> Iterator[Watched]:
        """Watch one request; `bound` is the time-out that ends it."""
        watched = Watched(bound, time.monotonic())
        self._open.add(watched)
        try:
            yield watched
        finally:
            self._open.discard(watched)
            self.received += watched.received

    @property
    def total(self) -> int:
        """Return the bytes received so far over all requests."""
        return self.received + sum(watched.received for watched in self._open)

    async def run(self) -> None:
        """Look until cancelled."""
        bounds = [bound for bound in (self.first_byte, self.silence) if bound is not None]
        if not bounds:
            return
        pause = min(max(min(bounds) / 8, 0.02), 5.0)
        while True:
            await asyncio.sleep(pause)
            now = time.monotonic()
            for watched in list(self._open):
                watched.look(now, self.first_byte, self.silence)
