"""Where a benchmark's rows come from: a wheel, a file, an address, or the hub."""

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scripts.errors import InputError

KINDS = ("file", "https", "huggingface", "wheel")


def kind_of(source: Mapping[str, Any]) -> str:
    """Return the one kind a source names; raises InputError when it names none or several."""
    named = [kind for kind in KINDS if kind in source]
    if len(named) != 1:
        found = " and ".join(map(repr, named)) or "none"
        raise InputError(f"source needs one of {', '.join(map(repr, KINDS))}; found {found}")
    return named[0]


def fetch(source: Mapping[str, Any], folder: Path) -> Path:
    """Return the file of a source, equal to its digest, fetched into `folder` unless it is on this machine already.

    Raises InputError when it is not what was pinned, RunError when it could not be had.
    """
    module = importlib.import_module(f"{__name__}.{kind_of(source)}")
    path: Path = module.fetch(source, folder)
    return path
