"""What every job finds in its environment: this project's modules and this Python, before all others."""

import os
import sys
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2]  # what Python imports from: the folder scripts/
ROOT = SOURCES.parent  # the checkout
BEFORE = "SEEDBED_PATH"  # PATH as it was when the run was started


def lay(sources: Path = SOURCES) -> None:
    """Let `python -m seedbed` in any working folder run the modules of `sources` by the Python that runs this."""
    os.environ["PYTHONPATH"] = str(sources)
    os.environ["PYTHONSAFEPATH"] = "1"
    folder = str(Path(sys.executable).parent)
    path = os.environ.get("PATH", os.defpath)
    os.environ.setdefault(BEFORE, path)
    if path.split(os.pathsep)[0] != folder:
        os.environ["PATH"] = os.pathsep.join([folder, path])


def servers_path() -> str:
    """Return the PATH of servers: the one of the shell, but a virtual environment that runs this stands at its end.

    There `python3` is the node's own, which may have an engine; that of a run has none, activated or not.
    """
    path = os.environ.get(BEFORE) or os.environ.get("PATH", os.defpath)
    own = str(Path(sys.prefix) / "bin")
    if sys.prefix == sys.base_prefix:
        return path
    return os.pathsep.join([*(folder for folder in path.split(os.pathsep) if folder != own), own])
