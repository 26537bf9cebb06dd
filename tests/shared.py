"""Files beside the checkout that some tests read: golden files and cases that may not be committed here."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("SEEDBED_SHARED", ROOT.parent / "shared"))
