"""What every job finds in its environment: this project's modules and this Python, before all others."""

import os
import sys
from pathlib import Path


def lay(root: Path) -> None:
    """Let `python -m scripts.NAME` in any working folder run the modules of `root` by the Python that runs this."""
    os.environ["PYTHONPATH"] = str(root)
    os.environ["PYTHONSAFEPATH"] = "1"
    folder = str(Path(sys.executable).parent)
    if os.environ.get("PATH", "").split(os.pathsep)[0] != folder:
        os.environ["PATH"] = os.pathsep.join([folder, os.environ.get("PATH", os.defpath)])
