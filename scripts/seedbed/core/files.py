"""Atomic writes, and small JSON files that one process writes and others read.

A reader sees the old content or the new one, never a part.
"""

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any


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
    """Return a text as it is in a file: UTF-8, halves of surrogate pairs as they came."""
    return text.encode("utf-8", "surrogatepass")


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Replace `path` by `value` in one step, so that a reader sees the old file or the new one."""
    write(path, json.dumps(value, indent=1) + "\n")


def read_json(path: Path) -> dict[str, Any] | None:
    """Return the object in `path`, or None where there is none (yet)."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def read_text(path: Path) -> str:
    """Return the text in `path` without the white space around it, "" where there is none."""
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def last_lines(path: Path, count: int = 12) -> str:
    """Return the last `count` lines of a log, or a word that there are none."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, path.stat().st_size - 65536))
            lines = file.read().decode(errors="replace").splitlines()
    except OSError:
        return f"(no log {path})"
    return "\n".join(lines[-count:]) or f"({path} is empty)"


def write_secret(path: Path, text: str) -> None:
    """Replace `path` by `text`, readable by its owner alone from the first moment."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.unlink(missing_ok=True)
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    draft.replace(path)
