"""Skipped tests are named at the end, and in CI a missing program is a failure."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.shared import ROOT

CASES = """
import pytest

def test_passes():
    pass

@pytest.mark.needs_shared("golden")
def test_reads_shared():
    assert (%r / "golden").is_dir()

@pytest.mark.parametrize("number", [1, 2])
def test_needs_a_program(number):
    pytest.skip(%r)
"""


def run(folder: Path, reason: str, ci: str = "", shared: Path | None = None) -> tuple[int, str]:
    """Run three tests, of which one needs ../shared and one skips twice; returns the exit code and what is printed."""
    place = shared or folder / "shared"
    (folder / "test_some.py").write_text(f"from pathlib import Path, PosixPath\n{CASES % (place, reason)}")
    words = [sys.executable, "-m", "pytest", "-q", "-p", "tests.conftest", "-p", "no:cacheprovider", "test_some.py"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "CI"))}
    environment |= {"PYTHONPATH": str(ROOT), "SEEDBED_SHARED": str(place), **({"CI": ci} if ci else {})}
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, env=environment, timeout=60)
    return done.returncode, done.stdout


def test_each_reason_is_one_line_with_its_number_of_tests(tmp_path: Path) -> None:
    code, printed = run(tmp_path, "no Chromium here")
    assert code == 0, printed
    assert "skipped: 2 tests: no Chromium here\n" in printed
    assert f"skipped: 1 test: needs_shared: {tmp_path / 'shared'} is not on this machine\n" in printed
    assert "1 passed, 3 skipped" in printed


def test_shared_files_that_are_there_are_read(tmp_path: Path) -> None:
    (tmp_path / "shared" / "golden").mkdir(parents=True)
    _, printed = run(tmp_path, "no Chromium here")
    assert "2 passed, 2 skipped" in printed
    assert "needs_shared" not in printed


@pytest.mark.parametrize(
    "name", ["no Chromium here", "no Slurm here: x", "DYNAMO_PYTHON names no interpreter that has Dynamo"]
)
def test_in_ci_a_missing_program_is_a_failure(tmp_path: Path, name: str) -> None:
    code, printed = run(tmp_path, name, ci="true")
    assert code == 1
    assert f"FAILED in CI: 2 tests: {name}\n" in printed
    assert "skipped: 1 test: needs_shared" in printed


def test_in_ci_files_that_are_not_of_this_repository_may_be_missing(tmp_path: Path) -> None:
    code, printed = run(tmp_path, "root writes into any folder", ci="true")
    assert code == 0, printed
    assert "skipped: 2 tests: root writes into any folder\n" in printed


@pytest.mark.parametrize("suite", ["browser", "slurm"])
@pytest.mark.parametrize(("ci", "code"), [("true", 1), ("", 0)])
def test_a_suite_without_its_program_fails_in_ci_only(tmp_path: Path, suite: str, ci: str, code: int) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in ("sh", "dirname"):
        (folder / tool).symlink_to(f"/usr/bin/{tool}" if Path(f"/usr/bin/{tool}").exists() else f"/bin/{tool}")
    (folder / "id").write_text("#!/bin/sh\necho 1000\n")
    (folder / "id").chmod(0o755)
    script = tmp_path / "tests" / suite / "run.sh"
    script.parent.mkdir(parents=True)
    script.write_text((ROOT / "tests" / suite / "run.sh").read_text().replace("PATH=$PATH:/usr/sbin ", ""))
    done = subprocess.run(
        ["/bin/sh", str(script)], env={"PATH": str(folder), "CI": ci}, capture_output=True, text=True, timeout=30
    )
    assert done.returncode == code, done.stderr
    assert "skipped: " in done.stderr
