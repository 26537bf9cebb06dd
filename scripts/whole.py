"""Files that are there whole or not at all."""

import contextlib
import os
from pathlib import Path


def write(path: Path, content: str | bytes) -> None:
    """Write a file beside its place, its folder too, then move it there: a reader sees the old one or the new one.

    Raises OSError, which names the file itself; nothing half is left behind, on a full disk either.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        part.write_bytes(content if isinstance(content, bytes) else encoded(content))
        part.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink()
        raise OSError(error.errno, error.strerror, str(path)) from None


def encoded(text: str) -> bytes:
    """Return a text as it stands in a file: UTF-8, halves of surrogate pairs as they came."""
    return text.encode("utf-8", "surrogatepass")
