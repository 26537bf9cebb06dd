"""A browser for each worker of the test run, and reports to open in it."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ViewportSize

from tests import reportplace
from tests.browser.window import WIDE, Window, chromium

Opener = Callable[..., Window]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Yield a Chromium."""
    with chromium() as found:
        yield found


@pytest.fixture
def window(browser: Browser) -> Iterator[Opener]:
    """Yield what makes windows; at the end none of them may have stumbled or asked for anything but files."""
    made: list[Window] = []

    def make(size: ViewportSize = WIDE, **context: Any) -> Window:
        made.append(Window(browser, size, **context))
        return made[-1]

    yield make
    told = [(one.errors, one.outside()) for one in made]
    for one in made:
        one.page.context.close()
    assert all(pair == ([], []) for pair in told), told


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run of two models and three benchmarks, in which one seed failed."""
    place = reportplace.lay(tmp_path_factory.mktemp("run") / "place", reportplace.Size(2, 3, 4, 8))
    done = reportplace.report(place)
    assert done.returncode == 0, done.stderr
    return place


@pytest.fixture(scope="session")
def report(folder: Path) -> Path:
    """Return the report of that run."""
    return folder / "results/report.html"


@pytest.fixture(scope="session")
def told(report: Path) -> dict[str, Any]:
    """Return the data of that report."""
    page = report.read_text(encoding="utf-8")
    start = page.index('id="data">') + len('id="data">')
    return dict(json.loads(page[start : page.index("</script>", start)]))
