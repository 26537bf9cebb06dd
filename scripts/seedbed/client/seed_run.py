"""All samples of one seed: asked within the model's concurrency, retried, stored."""

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any

import aiohttp

from seedbed.client.context_overflow import (
    CUT_FLAG,
    ERROR,
    ROUNDS,
    SKIP,
    budget,
    cut_middle,
    next_share,
    overflow,
    policy_of,
    skipped_record,
)
from seedbed.client.endpoint import Demand, Link
from seedbed.client.job_config import Benchmark, Snapshot
from seedbed.client.output_writer import OURS, StrictScorer, stored_record
from seedbed.client.preflight import Preflight
from seedbed.client.requests import Request
from seedbed.client.retries import Asking, GaveUp
from seedbed.client.sample_store import Store
from seedbed.client.seed_progress import RUNNING, Progress
from seedbed.client.transport import Chat, Watch
from seedbed.core.errors import RunError

TICK = 1.0
SYNC = 30.0


@dataclass(frozen=True)
class Samples:
    """Where the samples of a seed go: the store, the strict score, the progress."""

    seed: int
    store: Store
    scorer: StrictScorer
    progress: Progress


@dataclass(frozen=True)
class Client:
    """The connection of one seed to its model: `build_client` puts its parts together."""

    demand: Demand
    watch: Watch
    chat: Chat
    asking: Asking
    preflight: Preflight


def build_client(session: aiohttp.ClientSession, snapshot: Snapshot, benchmark: Benchmark, demand: Demand) -> Client:
    """Return the client of a seed: endpoint, transport, retries and the checks before the first sample."""
    watch = Watch(snapshot.timeouts.first_byte, snapshot.timeouts.silence)
    chat = Chat(session, watch, snapshot.served_name)
    link = Link(session, snapshot, demand)
    asking = Asking(snapshot, link, chat, watch, demand)
    return Client(demand, watch, chat, asking, Preflight(session, snapshot, benchmark, link, asking))


class SeedRun:
    """One generate job while it talks to the server."""

    def __init__(self, samples: Samples, client: Client) -> None:
        """Ask `client` for what goes into `samples`."""
        self._seed = samples.seed
        self._store = samples.store
        self._scorer = samples.scorer
        self._progress = samples.progress
        self._demand = client.demand
        self._asking = client.asking
        self._watch = client.watch
        self._room = asyncio.Event()
        self._epoch = time.time() - time.monotonic()
        self.failed: dict[str, str] = {}

    async def run(self, check: Callable[[], Awaitable[None]], pending: Iterable[Request]) -> None:
        """Await `check`, then ask for every pending sample; raises RunError if the job has to stop."""
        try:
            async with asyncio.TaskGroup() as group:
                clocks = [group.create_task(self._watch.run()), group.create_task(self._tick())]
                self._progress.enter("waiting for the server")
                await check()
                self._progress.enter(RUNNING)
                await self._ask_all(pending)
                for clock in clocks:
                    clock.cancel()
        except BaseExceptionGroup as errors:
            known = errors.subgroup(RunError)
            raise (_first(known) if known is not None else _first(errors)) from None
        finally:
            self._progress.live_tokens = 0

    async def _ask_all(self, pending: Iterable[Request]) -> None:
        """Begin a sample whenever there is room for one, and wait for the last."""
        async with asyncio.TaskGroup() as samples:
            running: set[asyncio.Task[None]] = set()

            def leave(task: asyncio.Task[None]) -> None:
                """Make room for another sample."""
                running.discard(task)
                self._room.set()

            for request in pending:
                while len(running) >= self._demand.share:
                    self._room.clear()
                    await self._room.wait()
                task = samples.create_task(self._sample(request))
                running.add(task)
                task.add_done_callback(leave)

    async def _tick(self) -> None:
        """Once a second show the progress, hear the broker, let a grown share take effect, sync the store."""
        synced = time.monotonic()
        while True:
            await asyncio.sleep(TICK)
            if time.monotonic() - synced > SYNC:
                await asyncio.to_thread(self._store.sync)
                synced = time.monotonic()
            self._demand.check()
            self._progress.live_tokens = sum(answer.deltas for answer in self._asking.live)
            self._progress.errors = len(self.failed)
            self._progress.seen = self._asking.waits_for
            self._progress.tick()
            self._room.set()

    async def _sample(self, request: Request) -> None:
        """Ask for a sample and store its answer; without one it is an error."""
        try:
            record = await self._record(request)
        except GaveUp as error:
            self.failed[request.id] = str(error)
            return
        self._store.add(request.key, record)
        self._progress.count(record, self._scorer.soon(record["generation"], request.row))

    async def _record(self, request: Request) -> dict[str, Any]:
        """Return what the store keeps of an answer, or of an overlong prompt; raises GaveUp if there is none."""
        asked = request.asked
        policy = policy_of(asked.snapshot, asked.benchmark.context)
        share, body, kept = 1.0, request.body, None
        for _ in range(ROUNDS):
            try:
                answered = await self._asking.ask(body)
                break
            except GaveUp as error:
                told = overflow(str(error))
                if told is None or policy == ERROR:
                    raise
                if policy == SKIP:
                    return skipped_record(request, str(error), self._seed, self._epoch + time.monotonic())
                last = error
            share = next_share(share, told, budget(asked.benchmark.sampling))
            row, kept = cut_middle(request.row, str(asked.benchmark.context), share)
            body = asked.body(row)
        else:
            raise last
        record = stored_record(request, answered, self._seed, self._epoch)
        if kept is not None:
            record[OURS]["flags"].append(CUT_FLAG)
            record[OURS] |= {"context_characters_kept": kept, "request_sha256": hashlib.sha256(body).hexdigest()}
        return record


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the first exception of a group of groups."""
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
