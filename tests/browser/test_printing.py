"""The report on paper: everything that matters, none of the controls."""

import re
from pathlib import Path
from typing import Any

from tests.browser.conftest import Opener


def test_prints_to_pdf(window: Opener, report: Path) -> None:
    """A document of some pages, its charts drawn though nobody passed them."""
    opened = window().open(report)
    paper = opened.page.pdf(format="A4")
    assert paper.startswith(b"%PDF")
    assert 3 <= len(re.findall(rb"/Type\s*/Page\b", paper)) <= 12
    assert opened.counted(".plot svg.main-svg:first-child") == opened.counted(".plot")


def test_paper_has_what_matters_and_no_controls(window: Opener, report: Path, told: dict[str, Any]) -> None:
    """The verdict, every finding, the map and the charts; no button, no choice, no list to turn."""
    opened = window().open(report)
    page = opened.page
    page.emulate_media(media="print")
    assert page.locator("h1").is_visible()
    assert page.locator(".findings > li:visible").count() == len(told["findings"])
    assert page.locator("#map .grid").is_visible()
    for hidden in ("#theme", ".bar-of-choice", ".chips", ".controls", ".orders", ".more", "#samples"):
        assert page.locator(f"{hidden}:visible").count() == 0, hidden
