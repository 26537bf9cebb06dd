"""The way to the server: found at the start, found again when it is lost, by one prober for all samples."""

import asyncio
import difflib
import json
import os
import time
from typing import Any

import aiohttp

from scripts.client.demand import Demand, Endpoint
from scripts.client.outcomes import FORBIDDEN, told, words
from scripts.client.snapshot import Snapshot
from scripts.errors import InputError, RunError

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
        """Tell whether a server other than `endpoint` stands ready to be asked; looks no more than once a second."""
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
    """Take the outcome of a search that nobody waits for any more."""
    if not task.cancelled():
        task.exception()
