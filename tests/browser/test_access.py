"""The report for everybody: no violation that axe-core knows of, and all of it by keyboard alone."""

from pathlib import Path

import pytest
from playwright.sync_api import ViewportSize

from tests.browser.conftest import Opener
from tests.browser.window import PHONE, WIDE


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_axe_finds_nothing(window: Opener, report: Path, scheme: str, size: ViewportSize) -> None:
    """Neither on the page, all of it drawn and unfolded, nor in the viewer."""
    opened = window(size, color_scheme=scheme).open(report).scrolled()
    opened.page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    opened.page.locator("#samples td.number").first.wait_for()
    assert opened.violations() == []
    viewer = window(size, color_scheme=scheme).view(report, "alder/sums", "sums-000@42")
    viewer.page.keyboard.press("r")
    viewer.page.keyboard.press("?")
    assert viewer.violations() == []


def test_a_tour_by_keyboard_alone(window: Opener, report: Path) -> None:
    """Skip link, a cell of the map, the viewer, the next sample, a filter, and out again to where one was."""
    opened = window(reduced_motion="reduce").open(report)
    page, keys = opened.page, opened.page.keyboard
    keys.press("Tab")
    assert opened.focused() == "To the results"
    keys.press("Enter")
    for _ in range(60):
        keys.press("Tab")
        if page.evaluate("document.activeElement.matches('.cell')"):
            break
    assert page.evaluate("document.activeElement.dataset.at") == "0"
    keys.press("ArrowRight")
    keys.press("ArrowDown")
    assert page.evaluate("Number(document.activeElement.dataset.at)") == 8 + 1
    assert page.locator("#map .told").inner_text().startswith("sums-001, seed 43: strict: ")
    assert page.evaluate("document.querySelectorAll('#map [tabindex=\"0\"].cell').length") == 1
    keys.press("Enter")
    page.wait_for_selector("#viewer .facts-list")
    assert page.locator("#viewer-title").inner_text() == "sums-001 seed 43"
    for key, title in (
        ("j", "sums-001 seed 44"),
        ("k", "sums-001 seed 43"),
        ("ArrowRight", "sums-001 seed 44"),
        ("ArrowLeft", "sums-001 seed 43"),
        ("n", "sums-002 seed 43"),
        ("p", "sums-001 seed 43"),
    ):
        keys.press(key)
        page.wait_for_function("(title) => document.getElementById('viewer-title').textContent === title", arg=title)
        assert page.url.endswith(f"#sample=alder/sums/{title.replace(' seed ', '@')}&scorer=regex")
    keys.press("?")
    assert "fold or unfold the reasoning" in page.locator("#viewer .keys").inner_text()
    keys.press("Escape")
    assert page.evaluate("document.activeElement.dataset.at") == "9"
    for _ in range(40):
        keys.press("Tab")
        if page.evaluate("document.activeElement.dataset.filter === 'wrong'"):
            break
    keys.press("Enter")
    assert opened.focused().startswith("× wrong") or "wrong" in opened.focused()
    assert page.locator('[data-filter="wrong"][aria-pressed="true"]').count() == 1
    keys.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "BUTTON"


def test_the_cursor_of_the_map_reaches_its_edges_and_no_further(window: Opener, report: Path) -> None:
    """Home, End and the page keys go to the ends; arrows stop there."""
    page = window().open(report).page
    page.locator("#map .grid .cell").first.focus()
    at = "Number(document.activeElement.dataset.at)"
    for key, place in (
        ("ArrowUp", 0),
        ("ArrowLeft", 0),
        ("End", 3 * 8),
        ("ArrowRight", 3 * 8),
        ("Control+End", 3 * 8 + 7),
        ("ArrowDown", 3 * 8 + 7),
        ("Home", 7),
        ("PageUp", 0),
        ("PageDown", 7),
        ("Control+Home", 0),
    ):
        page.keyboard.press(key)
        assert page.evaluate(at) == place, key


def test_motion_is_reduced_where_that_is_wished(window: Opener, report: Path) -> None:
    """No smooth scrolling then."""
    behaviour = "getComputedStyle(document.documentElement).scrollBehavior"
    assert window().open(report).page.evaluate(behaviour) == "smooth"
    assert window(reduced_motion="reduce").open(report).page.evaluate(behaviour) == "auto"
