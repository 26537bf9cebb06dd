"""Files are written atomically, and what stops their writing is one line that names them."""

import errno
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from seedbed.core import files
from seedbed.core.errors import exit_code

SCRIPT = """
import sys
from pathlib import Path
from seedbed.core import files
from seedbed.core.errors import exit_code
sys.exit(exit_code(lambda: files.write(Path("out.txt"), "x" * 100_000)))
"""


def limited() -> None:
    """Let no file grow beyond 10 kB."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))


def test_where_there_is_no_room_the_old_file_stays_and_nothing_half_is_left(tmp_path: Path) -> None:
    (tmp_path / "out.txt").write_text("old")
    done = subprocess.run(
        [sys.executable, "-B", "-c", SCRIPT],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2] / "scripts")},
        preexec_fn=limited,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (1, "error: out.txt: File too large\n")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"out.txt": "old"}


def test_what_cannot_be_replaced_is_named_itself(tmp_path: Path) -> None:
    (tmp_path / "out.txt").mkdir()
    with pytest.raises(IsADirectoryError) as found:
        files.write(tmp_path / "out.txt", "new")
    assert found.value.filename == str(tmp_path / "out.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["out.txt"]


def test_a_disk_that_is_full_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)

    def main() -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    assert exit_code(main) == 1
    assert capsys.readouterr().err == f"error: {tmp_path}: No space left on device\n"


def test_any_other_error_without_a_file_is_not_hidden() -> None:
    def main() -> None:
        raise OSError(errno.EIO, "Input/output error")

    with pytest.raises(OSError, match="Input/output"):
        exit_code(main)
