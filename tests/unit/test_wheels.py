import hashlib
import os
import re
import zipfile
from pathlib import Path

import pytest

from seedbed.core.digests import sha256
from seedbed.core.errors import InputError, RunError
from seedbed.datasets.sources import fetch_member

MEMBER = "seedbed_rows/rows.txt"
CONTENT = b"one\ntwo\n"


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a wheel of our own that pip finds in a folder instead of asking any index."""
    path = tmp_path / "index" / "seedbed_rows-1.0-py3-none-any.whl"
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(MEMBER, CONTENT)
        archive.writestr(
            "seedbed_rows-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: seedbed-rows\nVersion: 1.0\n"
        )
        archive.writestr(
            "seedbed_rows-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr("seedbed_rows-1.0.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(path.parent))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    return path


def left(folder: Path) -> list[str]:
    """Return the names in a folder."""
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_a_member_is_written_whole_and_nothing_else_is(wheel: Path, tmp_path: Path) -> None:
    out = tmp_path / "out" / "rows.txt"
    fetch_member("seedbed-rows==1.0", sha256(wheel), MEMBER, out, hashlib.sha256(CONTENT).hexdigest())
    assert out.read_bytes() == CONTENT
    assert left(out.parent) == ["rows.txt"]


def test_a_wheel_with_another_digest_is_refused_and_leaves_nothing(wheel: Path, tmp_path: Path) -> None:
    out = tmp_path / "out" / "rows.txt"
    with pytest.raises(RunError, match=r"seedbed-rows==1\.0 was not downloaded: .*"):
        fetch_member("seedbed-rows==1.0", "0" * 64, MEMBER, out)
    assert left(out.parent) == []


def test_a_member_with_another_digest_is_refused_and_leaves_nothing(wheel: Path, tmp_path: Path) -> None:
    out = tmp_path / "out" / "rows.txt"
    with pytest.raises(InputError, match=f"{re.escape(MEMBER)}: sha256 is [0-9a-f]{{64}}; expected {'1' * 64}"):
        fetch_member("seedbed-rows==1.0", sha256(wheel), MEMBER, out, "1" * 64)
    assert left(out.parent) == []


def test_a_member_that_is_not_there_is_named(wheel: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has no member 'other\.txt'"):
        fetch_member("seedbed-rows==1.0", sha256(wheel), "other.txt", tmp_path / "out" / "rows.txt")


def test_a_version_that_is_not_there_is_named(wheel: Path, tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"seedbed-rows==2\.0 was not downloaded"):
        fetch_member("seedbed-rows==2.0", sha256(wheel), MEMBER, tmp_path / "out" / "rows.txt")


def test_what_a_killed_fetch_left_is_removed_and_what_goes_on_is_not(wheel: Path, tmp_path: Path) -> None:
    out = tmp_path / "out" / "rows.txt"
    old, new = out.parent / ".rows.txt.old", out.parent / ".rows.txt.new"
    for folder in (old, new):
        folder.mkdir(parents=True)
        (folder / "half.whl").write_bytes(b"half")
    os.utime(old, (0, 0))
    fetch_member("seedbed-rows==1.0", sha256(wheel), MEMBER, out)
    assert left(out.parent) == [".rows.txt.new", "rows.txt"]
