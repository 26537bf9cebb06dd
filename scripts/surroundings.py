"""What every job finds in its environment: this project's modules and this Python, before all others."""

import os
import sys
from pathlib import Path

BEFORE = "SEEDBED_PATH"  # PATH as it was when the run was started


def lay(root: Path) -> None:
    """Let `python -m scripts.NAME` in any working folder run the modules of `root` by the Python that runs this."""
    os.environ["PYTHONPATH"] = str(root)
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
