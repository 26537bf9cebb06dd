"""Whether a file is the one that was pinned."""

from pathlib import Path

from scripts.digests import sha256
from scripts.errors import InputError


def verify(path: Path, expected: str | None, label: str) -> None:
    """Raise InputError when the SHA-256 of `path` is not the expected one; `label` names the source."""
    if expected is not None and (found := sha256(path)) != expected:
        raise InputError(f"{label}: sha256 is {found}; expected {expected} (source.sha256)")
