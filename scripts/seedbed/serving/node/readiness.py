"""Whether a server is ready: it lists the model and completes a token, and all of its workers are registered.

A healthy status proves nothing: Dynamo's frontend reports it without any worker.
"""

import http.client
import json
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from seedbed.serving.spec.server_file import Role

TIMEOUT = 30.0  # seconds for one probe: a loaded llama.cpp answers late, and a late answer is an answer


def not_ready(url: str, model: str, key: str | None, timeout: float = TIMEOUT) -> str | None:
    """Return why the server at `url` (ending in /v1) is not ready to answer as `model`, or None if it is."""
    try:
        listed = models(url, key, timeout)
        if model not in listed:
            return f"{url}/models lists {', '.join(listed) or 'no model'}, expected {model}"
        body = {"model": model, "messages": [{"role": "user", "content": "1"}], "max_tokens": 1}
        answer = _call(f"{url}/chat/completions", key, timeout, body)
    except (OSError, http.client.HTTPException, ValueError) as error:
        return _reason(error)
    if not isinstance(answer, dict) or not answer.get("choices"):
        return f"{url}/chat/completions answered without choices: {str(answer)[:200]}"
    return None


def models(url: str, key: str | None, timeout: float = TIMEOUT) -> list[str]:
    """Return the names that `url`/models lists; raises OSError or ValueError when it cannot be read."""
    answer = _call(f"{url}/models", key, timeout, None)
    try:
        return [str(entry["id"]) for entry in answer["data"]]
    except (KeyError, TypeError):
        return []


def answers(url: str, timeout: float = TIMEOUT) -> str | None:
    """Return why `url` does not answer with status 200, or None if it does."""
    try:
        with urllib.request.urlopen(url, timeout=timeout):
            return None
    except (OSError, http.client.HTTPException) as error:
        return _reason(error)


def _call(url: str, key: str | None, timeout: float, body: Mapping[str, object] | None) -> Any:
    """Return the JSON answer of a GET, or of a POST when there is a body."""
    headers = {"Content-Type": "application/json"}
    if key is not None:
        headers["Authorization"] = f"Bearer {key}"
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=timeout) as answer:
        return json.load(answer)


def _reason(error: Exception) -> str:
    """Return one line that names an HTTP status with its body, or what went wrong below HTTP."""
    if isinstance(error, urllib.error.HTTPError):
        with error:
            return f"{error.url}: HTTP {error.code} {error.read(200).decode(errors='replace').strip()}"
    if isinstance(error, urllib.error.URLError):
        return str(error.reason)
    return f"{type(error).__name__}: {error}"


ENDPOINT = "generate"  # what a worker registers to be given requests
PATIENCE = 4.0  # seconds a worker may be missing after the server was ready: one late look is no loss


def expected(roles: Iterable[Role]) -> dict[str, int]:
    """Return how many workers must be registered under each component that a role names in its `readiness:`."""
    found: Counter[str] = Counter()
    for role in roles:
        if "component" in role.readiness:
            found[str(role.readiness["component"])] += role.count
    return dict(found)


def registered(url: str, timeout: float = 10.0) -> Counter[str]:
    """Return how many workers the frontend at `url` (ending in /v1) knows by component; raises OSError, ValueError."""
    with urllib.request.urlopen(f"{url.removesuffix('/v1')}/health", timeout=timeout) as answer:
        told = json.load(answer)
    instances = told.get("instances", []) if isinstance(told, dict) else []
    return Counter(str(one.get("component")) for one in instances if one.get("endpoint") == ENDPOINT)


def missing(url: str, wanted: Mapping[str, int]) -> str | None:
    """Return which workers are not registered, or why that is not known, or None when all are there."""
    if not wanted:
        return None
    try:
        return lacking(registered(url), wanted)
    except (OSError, http.client.HTTPException, ValueError) as error:
        return f"{url.removesuffix('/v1')}/health: {error}"


def lacking(there: Mapping[str, int], wanted: Mapping[str, int]) -> str | None:
    """Return in words which of the `wanted` workers are not `there`, or None when none lacks."""
    lacks = [f"{there.get(name, 0)} of {count} {name}" for name, count in wanted.items() if there.get(name, 0) < count]
    return f"workers registered: {', '.join(lacks)}" if lacks else None


class Roll:
    """Calls the roll of a ready server's workers: one that stays away is lost, whatever the frontend says of itself."""

    def __init__(self, url: str, wanted: Mapping[str, int], clock: Callable[[], float] = time.monotonic) -> None:
        """Watch the workers behind the frontend at `url`."""
        self.url, self.wanted, self.clock = url, wanted, clock
        self.since: float | None = None

    def call(self) -> str | None:
        """Return which workers have been missing for longer than the patience, or None.

        A frontend that does not answer proves nothing about them: its own death is told by its process.
        """
        if not self.wanted:
            return None
        try:
            lacks = lacking(registered(self.url), self.wanted)
        except (OSError, http.client.HTTPException, ValueError):
            return None
        if lacks is None:
            self.since = None
            return None
        self.since = self.clock() if self.since is None else self.since
        return lacks if self.clock() - self.since >= PATIENCE else None
