"""Where the model answers: the endpoint that the configuration names, or the one that the broker publishes.

`Demand` tells the broker that a seed needs a server, by touching a file while the seed runs. `Link` checks the endpoint
before the first sample and after a failure, once for all samples of the seed.
"""

import asyncio
import difflib
import json
import os
import socket
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import aiohttp

from seedbed.client.job_config import Snapshot
from seedbed.client.outcomes import FORBIDDEN, told, words
from seedbed.core.errors import InputError, RunError


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the model is served: the base URL, the key to send, and a number that grows with every new server."""

    url: str
    key: str | None
    generation: int


class Demand:
    """A heartbeat in `want/` while it is entered, and what the broker says meanwhile, read on the same beat."""

    def __init__(self, folder: Path, name: str, concurrency: int, lease_seconds: float, brokered: bool) -> None:
        """`folder` is run/{model}; `lease_seconds` the seconds after which a want or a lease is stale."""
        self.folder = folder
        self.want = folder / "want" / f"{name}.{socket.gethostname()}.{os.getpid()}"
        self.share = concurrency
        self.answered = 0
        self.gone = ""
        self._concurrency = concurrency
        self._lease_seconds = lease_seconds
        self._brokered = brokered
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="want", daemon=True)
        self._lease: int | None = None
        self._holder: str | None = None
        self._lease_seen = time.monotonic()

    def __enter__(self) -> Self:
        """Begin to want the server."""
        try:
            self.want.parent.mkdir(parents=True, exist_ok=True)
            self.beat()
        except OSError as error:
            raise RunError(f"{self.want}: cannot be written: {error.strerror}") from error
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop wanting it."""
        self._stop.set()
        self._thread.join()
        with suppress(OSError):
            self.want.unlink()

    def _run(self) -> None:
        """Beat several times within the time after which the want is stale."""
        while not self._stop.wait(min(self._lease_seconds / 6, 10.0)):
            # A full disk or a slow file system must not end the heartbeat.
            with suppress(OSError):
                self.beat()

    def beat(self) -> None:
        """Touch the want, look at the lease, read the share and how far all jobs of the model have come."""
        self.want.touch()
        self.answered = sum(_tokens(path) for path in (self.folder / "progress").glob("*.json"))
        if self._brokered:
            self._look_at_lease()
            told = _read(self.folder / "share.json").get("streams")
            self.share = max(1, min(self._concurrency, told)) if isinstance(told, int) else self._concurrency
        else:
            self.share = max(1, self._concurrency // self._wanting())

    def _look_at_lease(self) -> None:
        """Note whether the lease is the same run's and still changes: no clocks are compared, ours may be set back."""
        path, now = self.folder / "lease", time.monotonic()
        with suppress(OSError):
            stamp, holder = path.stat().st_mtime_ns, path.read_text(encoding="utf-8", errors="replace")
            if stamp != self._lease:
                self._lease, self._lease_seen = stamp, now
            self._holder = self._holder or holder
            if holder and holder != self._holder:
                self.gone = "another run has taken this folder"
                return
        stale = now - self._lease_seen > self._lease_seconds
        self.gone = f"unchanged for {self._lease_seconds:g} s: the driver of this run is gone" if stale else ""

    def _wanting(self) -> int:
        """Return the number of jobs that want this server now, ours included; times are those of one file system."""
        newest = self.want.stat().st_mtime
        fresh = 0
        for want in self.want.parent.iterdir():
            with suppress(OSError):
                fresh += newest - want.stat().st_mtime < self._lease_seconds
        return max(1, fresh)

    def check(self) -> None:
        """Raise RunError if the server has failed for good or the driver of the run is gone."""
        if not self._brokered:
            return
        with suppress(OSError):
            said = (self.folder / "failed").read_text(encoding="utf-8", errors="replace").strip()
            raise RunError(f"{self.folder}: the server has failed for good: {said}")
        if self.gone:
            raise RunError(f"{self.folder}/lease: {self.gone}")

    def awaited(self) -> str:
        """Return what the broker says of a server that is not there yet, such as why its job waits in the queue."""
        line = _read(self.folder / "status.json").get("line") if self._brokered else None
        return line if isinstance(line, str) and line else "no server has been published"

    def published(self) -> Endpoint | None:
        """Return the endpoint that the broker has published, None while there is none."""
        told = _read(self.folder / "endpoint.json")
        if not isinstance(told.get("url"), str):
            return None
        key_file = told.get("api_key_file")
        try:
            key = Path(key_file).read_text(encoding="utf-8").strip() if isinstance(key_file, str) else None
        except OSError:
            return None
        generation = told.get("generation", 0)
        return Endpoint(told["url"].rstrip("/"), key, generation if isinstance(generation, int) else 0)


def _tokens(path: Path) -> int:
    """Return the tokens that a job says it has received."""
    told = _read(path).get("tokens")
    return told if isinstance(told, int) else 0


def _read(path: Path) -> dict[str, Any]:
    """Return a JSON object that another process replaces now and then, empty while it cannot be read."""
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


PROBE_SECONDS = 30.0
LONGEST_PAUSE = 5.0
GLANCE = 1.0  # seconds between two looks for another server while samples wait as they were told to
NOT_THERE = 5.0  # seconds after which an endpoint that knows no list of models is taken for a wrong address


class Link:
    """Knows where the model is served now; a sample that lost the server waits here until it is back."""

    def __init__(self, session: aiohttp.ClientSession, snapshot: Snapshot, demand: Demand) -> None:
        """Read the key of somebody else's server; raises InputError if its variable is not set."""
        self._session = session
        self._snapshot = snapshot
        self._demand = demand
        self._fixed = _fixed(snapshot)
        self._search: asyncio.Task[Endpoint] | None = None
        self.endpoint: Endpoint | None = None
        self.models: list[dict[str, Any]] = []
        self.served = False
        self.outages = 0
        self._look_at = 0.0
        self._latest: Endpoint | None = None
        self.waits_for = ""

    async def found(self) -> Endpoint:
        """Return where the model is served, waiting for it within the bound; raises RunError when there is no hope."""
        if self.endpoint is not None:
            return self.endpoint
        if self._search is None:
            self._search = asyncio.create_task(self._find())
            self._search.add_done_callback(_seen)
        return await asyncio.shield(self._search)

    def lost(self, endpoint: Endpoint) -> None:
        """Say that the server at `endpoint` is not reached any more; another one may have taken its place already."""
        if self.endpoint == endpoint:
            self.endpoint = None
            self._search = None

    def replaced(self, endpoint: Endpoint) -> bool:
        """Tell whether the broker has published another server than `endpoint` since."""
        return self._fixed is None and self._demand.published() != endpoint

    def superseded(self, endpoint: Endpoint) -> bool:
        """Tell whether a server other than `endpoint` is ready; looks no more than once a second."""
        if self._fixed is not None:
            return False
        if (now := time.monotonic()) >= self._look_at:
            self._look_at, self._latest = now + GLANCE, self._demand.published()
        return self._latest is not None and self._latest != endpoint

    async def _find(self) -> Endpoint:
        """Return the endpoint once it lists the model."""
        began, pause, waited = time.monotonic(), 0.05, False
        bound = self._snapshot.timeouts.server_wait
        while True:
            self._demand.check()
            endpoint = self._fixed or self._demand.published()
            if endpoint is None:
                seen = self._demand.awaited()
            else:
                seen = await self._unlisted(endpoint)
                if not seen:
                    self.endpoint, self.waits_for = endpoint, ""
                    return endpoint
                if self._fixed and not self.served and "HTTP 404" in seen and time.monotonic() - began > NOT_THERE:
                    raise RunError(f"{seen}; expected a list of models there: does the endpoint end in /v1?")
            self.outages += not waited
            waited = True
            self.waits_for = seen
            if bound is not None and time.monotonic() - began > bound:
                raise RunError(f"no server for model {self._snapshot.model!r} within {bound:g} s: {seen}")
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, LONGEST_PAUSE)

    async def _unlisted(self, endpoint: Endpoint) -> str:
        """Return "" if the server lists the model, else what was seen; raises RunError where waiting is no use."""
        url, wanted = f"{endpoint.url}/models", self._snapshot.served_name
        try:
            async with (
                asyncio.timeout(PROBE_SECONDS),
                self._session.get(url, headers=authorization(endpoint)) as response,
            ):
                body = await response.read()
                if response.status != 200:
                    seen = f"{url}: {told(f'HTTP {response.status}: {words(body)}', endpoint.key)}"
                    if response.status in FORBIDDEN and not self.replaced(endpoint):
                        raise RunError(seen)
                    return seen
                listed = json.loads(body)
        except (aiohttp.ClientError, TimeoutError, ValueError, RecursionError) as error:
            return f"{url}: {told(_words_of(error), endpoint.key)}"
        self.models = _entries(listed)
        names = [str(entry.get("id")) for entry in self.models]
        if wanted in names:
            return ""
        if names and not self.served:
            near = difflib.get_close_matches(wanted, names, 1, 0.0)[0]
            raise RunError(
                f"{url}: lists {', '.join(sorted(names))}; expected {wanted!r} (served_name); the nearest is {near!r}"
            )
        return f"{url}: lists {', '.join(names) or 'no model'}; expected {wanted!r}"


def _words_of(error: Exception) -> str:
    """Return why there was no list of models; of a connection that failed, what the system calls it."""
    number = error.errno if isinstance(error, aiohttp.ClientConnectorError) else None
    if number is not None and number > 0:  # below 0 it is a name that was not found: told well by aiohttp
        return os.strerror(number)
    return str(error) or type(error).__name__


def authorization(endpoint: Endpoint) -> dict[str, str]:
    """Return the header that carries the key, empty where there is none."""
    return {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}


def _fixed(snapshot: Snapshot) -> Endpoint | None:
    """Return the endpoint that the config names, None if the broker starts the server."""
    if snapshot.endpoint is None:
        return None
    key = None
    if snapshot.api_key_env is not None:
        key = os.environ.get(snapshot.api_key_env)
        if not key:
            raise InputError(
                f"environment variable {snapshot.api_key_env} (api_key_env of model {snapshot.model!r}) is not set; "
                "expected the key of the endpoint"
            )
    return Endpoint(snapshot.endpoint.rstrip("/"), key, 0)


def _entries(listed: object) -> list[dict[str, Any]]:
    """Return the entries of a `/v1/models` reply."""
    data = listed.get("data") if isinstance(listed, dict) else None
    return [entry for entry in data if isinstance(entry, dict)] if isinstance(data, list) else []


def _seen(task: asyncio.Task[Endpoint]) -> None:
    """Take the outcome of a search that is no longer needed."""
    if not task.cancelled():
        task.exception()
