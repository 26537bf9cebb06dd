"""The folders of this project, and the environment variables of every job and server.

A job must import this checkout's `seedbed`, whatever lies in its working directory, and run by the Python that runs the
workflow. Snakemake removes PYTHONPATH from the environment of some jobs, and a node of a cluster starts with another
one; so the two variables are also set in each job's shell command.
"""

import os
import shlex
import sys
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2]  # the folder scripts/, which Python imports from
ROOT = SOURCES.parent  # the checkout
CALLERS_PATH = "SEEDBED_PATH"  # PATH as it was when the run was started


def variables() -> dict[str, str]:
    """Return the variables by which Python imports this checkout's modules, and none of the working folder's."""
    return {"PYTHONPATH": str(SOURCES), "PYTHONSAFEPATH": "1"}


def shell_prefix() -> str:
    """Return what each shell command begins with, so that `python -m seedbed` finds this checkout on any node."""
    return "export " + " ".join(f"{name}={shlex.quote(value)}" for name, value in variables().items()) + "; "


def export() -> None:
    """Let `python -m seedbed` in this process's children run this checkout's modules by the Python that runs this."""
    os.environ.update(variables())
    folder = str(Path(sys.executable).parent)
    path = os.environ.get("PATH", os.defpath)
    os.environ.setdefault(CALLERS_PATH, path)
    if path.split(os.pathsep)[0] != folder:
        os.environ["PATH"] = os.pathsep.join([folder, path])


def path_of_servers() -> str:
    """Return the PATH for servers: the caller's, with the virtual environment that runs this moved to its end.

    There `python3` is the node's own, which may have an engine; the one of a run has none, activated or not.
    """
    path = os.environ.get(CALLERS_PATH) or os.environ.get("PATH", os.defpath)
    own = str(Path(sys.prefix) / "bin")
    if sys.prefix == sys.base_prefix:
        return path
    return os.pathsep.join([*(folder for folder in path.split(os.pathsep) if folder != own), own])
