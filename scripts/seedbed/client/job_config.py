"""The snapshot of a run that every generate job reads: how to reach the model and what to ask it."""

from pathlib import Path
from typing import Any

import msgspec

from seedbed.core.errors import InputError


class Errors(msgspec.Struct, frozen=True):
    """How many samples may fail for good."""

    max_failed_fraction: float = 0.0


class Timeouts(msgspec.Struct, frozen=True):
    """Bounds in seconds; None is no bound."""

    first_byte: float | None = None
    silence: float | None = 600.0
    server_wait: float | None = 86400.0


class Retries(msgspec.Struct, frozen=True):
    """How often and how patiently one sample is asked again; seconds."""

    attempts: int = 8
    backoff: float = 1.0
    backoff_max: float = 60.0


class Loops(msgspec.Struct, frozen=True):
    """From how many repeated characters on a generation counts as a loop, and whether it is cut there."""

    flag_chars: int | None = None
    cut: bool = False


class Benchmark(msgspec.Struct, frozen=True):
    """What shapes the requests of one benchmark."""

    prompt: str
    sampling: dict[str, Any]
    request_fingerprint: str
    answer_type: str = "integer"
    system: str | None = None
    extra_body: dict[str, Any] = {}
    context: str | None = None


class Snapshot(msgspec.Struct, frozen=True):
    """One model of a run, as it was when the run began."""

    model: str
    served_name: str
    benchmarks: dict[str, Benchmark]
    endpoint: str | None = None
    api_key_env: str | None = None
    stream: bool = True
    extra_body: dict[str, Any] = {}
    reasoning: str = "optional"
    concurrency: int = 512
    errors: Errors = Errors()
    timeouts: Timeouts = Timeouts()
    retries: Retries = Retries()
    loops: Loops = Loops()
    context_overflow: str = "error"
    lease_seconds: float = 120.0
    placement: str = "partition"


def read(path: Path) -> Snapshot:
    """Return the snapshot at `path`; raises InputError naming the key that does not fit."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Snapshot)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; expected the snapshot that the start of a run writes") from error
    except msgspec.DecodeError as error:
        raise InputError(f"{path}: {error}") from error


def benchmark(snapshot: Snapshot, name: str, path: Path) -> Benchmark:
    """Return one benchmark of the snapshot; raises InputError if the run does not know it."""
    if name not in snapshot.benchmarks:
        known = ", ".join(sorted(snapshot.benchmarks)) or "none"
        raise InputError(f"{path}: benchmark {name!r} is not in the run; expected one of: {known}")
    return snapshot.benchmarks[name]
