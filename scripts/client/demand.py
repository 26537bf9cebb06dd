"""The client's side of the contract with the broker: say that a server is wanted, learn where it is."""

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

from scripts.errors import RunError


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the model is served: the base URL, the key to send, and a number that grows with every new server."""

    url: str
    key: str | None
    generation: int


class Demand:
    """A heartbeat in `want/` while it is entered, and what the broker says meanwhile, read on the same beat."""

    def __init__(self, folder: Path, name: str, concurrency: int, heartbeat: float, brokered: bool) -> None:
        """`folder` is run/{model}; `heartbeat` the seconds after which a want or a lease is stale."""
        self.folder = folder
        self.want = folder / "want" / f"{name}.{socket.gethostname()}.{os.getpid()}"
        self.share = concurrency
        self.answered = 0
        self.gone = ""
        self._concurrency = concurrency
        self._heartbeat = heartbeat
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
        while not self._stop.wait(min(self._heartbeat / 6, 10.0)):
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
        stale = now - self._lease_seen > self._heartbeat
        self.gone = f"unchanged for {self._heartbeat:g} s: the driver of this run is gone" if stale else ""

    def _wanting(self) -> int:
        """Return the number of jobs that want this server now, ours included; times are those of one file system."""
        newest = self.want.stat().st_mtime
        fresh = 0
        for want in self.want.parent.iterdir():
            with suppress(OSError):
                fresh += newest - want.stat().st_mtime < self._heartbeat
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
