"""Files that are there whole or not at all."""

import os
from pathlib import Path


def write(path: Path, text: str) -> None:
    """Write a file beside its place, its folder too, then move it there: a reader sees the old one or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}")
    part.write_bytes(encoded(text))
    part.replace(path)


def encoded(text: str) -> bytes:
    """Return a text as it stands in a file: UTF-8, halves of surrogate pairs as they came."""
    return text.encode("utf-8", "surrogatepass")
