"""The pictures of the documentation are made by a script."""

import struct
from pathlib import Path

from playwright.sync_api import Browser

from tests.browser.pictures import ROOT, take


def test_pictures_are_taken_and_small(browser: Browser, report: Path, tmp_path: Path) -> None:
    """Each is a PNG of its screen's width, below 250 KB; the same ones stand in docs/pictures."""
    import shutil

    shutil.copytree(report.parent, tmp_path / "run")
    taken = take(browser, tmp_path / "run/report.html", tmp_path / "pictures")
    widths = {path.stem: struct.unpack(">I", path.read_bytes()[16:20])[0] for path in taken}
    assert widths["first-screen"] == widths["viewer"] == 1280
    assert widths["phone"] == 390
    assert widths["heat-map"] > 400
    kept = ROOT / "docs/pictures"
    assert {path.name for path in taken} == {path.name for path in kept.glob("*.png")}
    assert all(path.read_bytes()[:4] == b"\x89PNG" for path in taken)
    assert all(10_000 < path.stat().st_size < 250_000 for path in (*taken, *kept.glob("*.png")))
