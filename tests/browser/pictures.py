"""The pictures of docs/report.md and the README, taken in a real Chromium of a made-up run.

python -m tests.browser.pictures [FOLDER]      FOLDER: docs/pictures
"""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, ViewportSize

from tests import reportplace
from tests.browser.window import Window, chromium

ROOT = Path(__file__).resolve().parents[2]
SCREEN = ViewportSize(width=1280, height=900)
PHONE = ViewportSize(width=390, height=844)
SAMPLE = "sums-001@44"


def take(browser: Browser, report: Path, folder: Path) -> list[Path]:
    """Take all pictures of a report into a folder; returns them."""
    folder.mkdir(parents=True, exist_ok=True)
    first = Window(browser, SCREEN).open(report)
    dark = Window(browser, SCREEN, color_scheme="dark").view(report, "birch/sums", SAMPLE, "&scorer=regex")
    dark.page.wait_for_timeout(200)
    phone = Window(browser, PHONE).open(report)
    shown = {"first-screen": first, "phone": phone}
    taken = [_taken(window, folder / f"{name}.png") for name, window in shown.items()]
    map_ = Window(browser, SCREEN).open(report, "#pair=birch/sums")
    map_.page.locator("#map .grid .cell").nth(20).hover()
    out = folder / "heat-map.png"
    map_.page.locator("#map").screenshot(path=out)
    charts = Window(browser, SCREEN).open(report, "#pair=birch/sums").scrolled()
    drawn = folder / "charts.png"
    charts.page.locator("#charts").screenshot(path=drawn)
    return [*taken, out, drawn, _taken(dark, folder / "viewer.png")]


def _taken(window: Window, path: Path) -> Path:
    """Take a picture of what the window shows; returns it."""
    window.page.screenshot(path=path)
    return path


def main(folder: Path) -> None:
    """Take the pictures of a run that has something of everything."""
    with tempfile.TemporaryDirectory() as work:
        place = reportplace.lay(Path(work) / "evals", reportplace.Size(2, 2, 16, 24))
        done = reportplace.report(place)
        if done.returncode:
            sys.exit(done.stderr)
        with chromium() as browser:
            for path in take(browser, place / "results/report.html", folder):
                print(f"{path} {path.stat().st_size // 1000} KB")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/pictures")
