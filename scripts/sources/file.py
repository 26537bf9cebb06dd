"""A file on this machine."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scripts.errors import InputError
from scripts.sources.pins import verify


def fetch(source: Mapping[str, Any], folder: Path) -> Path:
    """Return the file itself, where it stands; raises InputError when it is missing or not the pinned one."""
    path = Path(source["file"])
    if not path.is_file():
        raise InputError(f"{path}: there is no such file (source.file)")
    verify(path, source.get("sha256"), str(path))
    return path
