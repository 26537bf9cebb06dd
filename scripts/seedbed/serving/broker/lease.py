"""Signs of life as files: compared only with a file touched on the same file system, whose clock may be another's."""

import contextlib
import os
from pathlib import Path

from seedbed.core import files


def touch(path: Path) -> float:
    """Set the time of `path` to now, creating it if need be; returns that time as its file system gives it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a", encoding="utf-8") as file:
        os.utime(file.fileno())
        return os.fstat(file.fileno()).st_mtime


def fresh(folder: Path, now: float, seconds: float) -> list[str]:
    """Return the names in `folder` touched within `seconds` before `now`, a time that `touch` returned."""
    found = []
    with contextlib.suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(FileNotFoundError):
                if now - entry.stat().st_mtime < seconds:
                    found.append(entry.name)
    return sorted(found)


def grant(path: Path, holder: str) -> None:
    """Make `path` the lease of `holder`, the run's id: servers of an earlier run see that it is not theirs."""
    files.write(path, holder)


class Watch:
    """Whether a lease still stands, seen from a server that must end by itself when no job is left to end it."""

    def __init__(self, path: Path, holder: str, seconds: float, probe: Path) -> None:
        """Watch `path`, held by `holder`, good for `seconds`; `probe` is a file of ours in the same folder."""
        self.path, self.holder, self.seconds, self.probe = path, holder, seconds, probe

    def lost(self) -> str | None:
        """Return why the lease no longer stands, or None while it does."""
        try:
            holder = self.path.read_text(encoding="utf-8")
            age = touch(self.probe) - self.path.stat().st_mtime
        except OSError as error:
            return f"lease {self.path} cannot be read ({error.strerror})"
        if holder != self.holder:
            return f"lease {self.path} belongs to another run"
        if age > self.seconds:
            return f"lease {self.path} is {age:.0f} s old: driver and broker are gone"
        return None
