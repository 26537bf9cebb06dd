"""Are all of Dynamo's workers there? Its frontend calls itself healthy without them, and goes on doing so."""

import http.client
import json
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from scripts.serving.definitions import Role

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
    """Return which workers are not registered, or why that cannot be told, or None when all are there."""
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
