"""The report opens from disk: what stands on its first screen, in either theme, on either width, without a slip."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import ViewportSize

from tests.browser.conftest import Opener
from tests.browser.window import PHONE, WIDE

CLIPPED = """() => [...document.querySelectorAll('h1,h2,h3,h4,p,li,dt,dd,button,summary,th,td,a,label,.mark,.seed')]
  .filter((one) => one.offsetParent && !one.closest('.scroll, .unseen, svg, pre') && !one.classList.contains('unseen'))
  .filter((one) => getComputedStyle(one).position !== 'absolute')
  .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline')
  .map((one) => one.tagName + ' ' + one.className + ': ' + one.textContent.slice(0, 60))"""
WIDTH = "() => [document.documentElement.scrollWidth, innerWidth]"


def test_first_screen_tells_verdict_figures_gates_and_what_to_do(
    window: Opener, report: Path, told: dict[str, Any]
) -> None:
    """Without scrolling: the verdict in words, each pair with both intervals, the first findings."""
    page = window().open(report).page
    assert page.locator("h1").inner_text() == "Invalid"
    assert page.locator(".sentence").inner_text() == told["headline"]["text"]
    assert page.locator(".results > li").count() == len(told["pairs"]) == 6
    first = told["pairs"][0]
    figure = first["figures"]["regex"]["pass@1"]
    line = page.locator(".results > li").first.inner_text()
    assert f"{figure['value']:.1f} %" in line
    for low, high in (figure["other_problems"], figure["run_again"]):
        assert f"{low:.1f} to {high:.1f}" in line
    assert "seed 44 missing" in page.locator(".results > li").last.inner_text()
    findings = page.locator(".findings > li")
    assert told["findings"][0]["text"] in findings.first.inner_text()
    assert findings.first.bounding_box()["y"] < WIDE["height"]  # type: ignore[index]
    assert page.locator("#gates .mark").count() >= 3


def test_each_finding_leads_to_its_samples(window: Opener, report: Path, told: dict[str, Any]) -> None:
    """A link of a finding shows that pair by that filter."""
    page = window().open(report).page
    page.locator(".findings ~ .more").click()
    links = [one for one in told["findings"] if one["pair"] and one["filter"]]
    assert page.locator(".findings a").count() == len(links) > 0
    for at, one in enumerate(links):
        page.locator(".findings a").nth(at).click()
        page.locator(f'.chips [data-filter="{one["filter"]["name"]}"][aria-pressed="true"]').wait_for()
        assert page.locator("#pair-choice").input_value() == one["pair"]
        assert page.evaluate("document.activeElement.id") == "samples-title"


def test_every_chart_is_drawn_when_it_comes_near(window: Opener, report: Path) -> None:
    """None is drawn at first; each has its sentence, its label and its table; the flow is one of them."""
    page = window().open(report).page
    assert page.locator(".plot svg").count() == 0
    opened = window().open(report).scrolled()
    figures = opened.page.locator(".figure")
    assert figures.count() == opened.counted(".plot svg.main-svg:first-child") >= 7
    for at in range(figures.count()):
        label = figures.nth(at).locator(".plot").get_attribute("aria-label")
        assert label is not None
        assert re.search(r"\d", label), label
    assert opened.counted(".sankey-link") > 2
    details = opened.page.locator("details.figures").first
    details.locator("summary").click()
    assert details.locator("tbody tr").count() == 8


@pytest.mark.parametrize("size", [WIDE, PHONE, ViewportSize(width=768, height=900)], ids=["wide", "phone", "tablet"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_clipped_and_the_page_never_scrolls_sideways(
    window: Opener, report: Path, size: ViewportSize, scheme: str
) -> None:
    """Text keeps within its box on every width, with the viewer open too."""
    opened = window(size, color_scheme=scheme).open(report).scrolled()
    assert opened.page.evaluate(CLIPPED) == []
    wide, inner = opened.page.evaluate(WIDTH)
    assert wide <= inner
    viewer = window(size, color_scheme=scheme).view(report, "alder/sums", "sums-000@42")
    assert viewer.page.evaluate(CLIPPED) == []


def test_theme_follows_the_system_until_the_button_is_pressed(window: Opener, report: Path) -> None:
    """The colours turn with the button, charts too, and the choice is kept where it can be."""
    opened = window(color_scheme="dark").open(report).scrolled()
    page = opened.page
    paper = "getComputedStyle(document.body).backgroundColor"
    line = "document.querySelector('.plot .gridlayer path').style.stroke"
    dark, dark_line = page.evaluate(paper), page.evaluate(line)
    page.get_by_role("button", name="Light").click()
    light, light_line = page.evaluate(paper), page.evaluate(line)
    assert dark == "rgb(20, 23, 27)"
    assert light == "rgb(251, 251, 250)"
    assert dark_line != light_line
    opened.open(report)
    assert page.evaluate(paper) == light


def test_it_says_so_where_nothing_was_run(window: Opener, tmp_path: Path) -> None:
    """A report of an empty folder opens and tells that there is nothing yet."""
    from tests import reportplace

    place = reportplace.lay(tmp_path / "none", reportplace.Size(1, 1, 1, 2, wanting=False))
    for path in (place / "results/alder/eval-results").rglob("*"):
        if path.is_file():
            path.unlink()
    reportplace.report(place)
    page = window().open(place / "results/report.html").page
    assert page.locator("h1").inner_text() == "Invalid"
    assert page.locator(".results .why").inner_text() != ""
