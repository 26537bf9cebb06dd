"""The picture of the jobs in the report: shown, and nothing in it acts on the page."""

import shutil
from pathlib import Path

from tests import reportplace
from tests.browser.conftest import Opener
from tests.browser.window import PHONE
from tests.shared import ROOT

HOSTILE = "<script>document.title = 'hostile'</script><image href='https://example.invalid/x.png'/></svg>"


def test_the_picture_of_the_jobs_is_shown_and_its_scripts_do_not_run(
    folder: Path, tmp_path: Path, window: Opener
) -> None:
    place = Path(shutil.copytree(folder, tmp_path / "place"))
    picture = (ROOT / "docs" / "pictures" / "dag.svg").read_text(encoding="utf-8")
    (place / "results" / "dag.svg").write_text(picture.replace("</svg>", HOSTILE), encoding="utf-8")
    assert reportplace.report(place).returncode == 0
    for arguments in ({}, {"size": PHONE}):
        shown = window(**arguments).open(place / "results" / "report.html")
        assert not shown.page.locator("#run img").is_visible()
        shown.page.locator("#run summary", has_text="The jobs, as drawn").click()
        image = shown.page.locator("#run img")
        image.scroll_into_view_if_needed()
        assert image.is_visible()
        assert image.evaluate("image => [image.naturalWidth, image.naturalHeight]") == [1086, 664]
        assert shown.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert shown.page.title() != "hostile"


def test_without_a_picture_there_is_no_place_for_one(report: Path, window: Opener) -> None:
    assert window().open(report).counted("#run img") == 0
