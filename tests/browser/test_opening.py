"""The report opens from disk: what is on its first screen, in either theme, on either width, without a slip."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import ViewportSize

from tests import reportplace
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
    for low, high in (figure["across_problems"], figure["across_seeds"]):
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
    page.evaluate("for (const one of document.querySelectorAll('.findings details')) one.open = true")
    links = [one for one in told["findings"] if one["pair"] and one["filter"]]
    each = [member for one in told["findings"] for member in one["members"] if member["filter"]]
    assert page.locator(".findings > li > div > p a").count() == len(links) > 0
    selector = ".findings > li > div > p a, .findings .members a[href^='#samples']"
    assert page.locator(selector).count() == len(links) + len(each) > len(links)
    inside = [one["members"] or [one] for one in told["findings"]]
    for at, one in enumerate(one for group in inside for one in group if one["pair"] and one["filter"]):
        page.locator(selector).nth(at).click()
        page.locator(f'.chips [data-filter="{one["filter"]["name"]}"][aria-pressed="true"]').wait_for()
        shown = "(name) => document.getElementById('pair-choice').value === name"
        page.wait_for_function(shown, arg=one["pair"])
        page.wait_for_function("() => document.activeElement.id === 'samples-title'")


def test_a_finding_on_several_pairs_leads_to_each(window: Opener, report: Path, told: dict[str, Any]) -> None:
    """A gate's finding, which no samples belong to, leads to the pairs it fails for."""
    page = window().open(report).page
    at, several = next(
        (at, one) for at, one in enumerate(told["findings"]) if one["members"] and one["members"][0]["filter"] is None
    )
    details = page.locator(".findings > li").nth(at).locator("details")
    assert details.locator("summary").inner_text() == f"Each of the {len(several['members'])}"
    details.locator("summary").click()
    last = several["members"][-1]
    assert details.locator("li").last.inner_text() == f"{last['pair']} {last['text']}"
    details.locator("a").last.click()
    page.wait_for_function("(name) => document.getElementById('pair-choice').value === name", arg=last["pair"])


def test_on_a_phone_what_is_odd_comes_before_the_list_of_results(window: Opener, report: Path) -> None:
    """In the order of reading and of the keyboard too; beside each other the results come first."""
    for size, first in ((PHONE, "findings"), (WIDE, "results-title")):
        page = window(size).open(report).page
        order = "[...document.querySelectorAll('#findings, #results-title')].map((one) => one.id)[0]"
        assert page.evaluate(order) == first
    page.set_viewport_size(PHONE)
    page.wait_for_function(f"() => {order} === 'findings'")


def test_models_are_one_link_from_the_top(window: Opener, report: Path) -> None:
    page = window().open(report).page
    page.locator(".top nav").get_by_role("link", name="Models").click()
    page.wait_for_function("() => document.getElementById('models').getBoundingClientRect().top < innerHeight / 2")


def test_the_time_line_has_marks_over_all_its_length(window: Opener, report: Path) -> None:
    """Also where the server was up far longer than the seeds ran; its second attempt is called so."""
    page = window().open(report, "#pair=alder/sums").scrolled().page
    figure = page.locator("#time .figure").first
    marks = figure.locator(".xtick text").all_text_contents()
    assert float(marks[-1]) >= 40
    assert "server 2" in figure.locator(".ytick text").all_text_contents()


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
    details.locator("tbody tr").nth(7).wait_for()
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


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_nothing_is_clipped_in_wide_fonts(window: Opener, report: Path, size: ViewportSize) -> None:
    """Whatever fonts a machine has: letters are set a twentieth of their size apart, as wide as any common font's."""
    opened = window(size).open(report).scrolled()
    opened.page.add_style_tag(content="* { letter-spacing: 0.05em !important; word-spacing: 0.1em !important }")
    assert opened.page.evaluate(CLIPPED) == []
    wide, inner = opened.page.evaluate(WIDTH)
    assert wide <= inner


def test_an_id_without_an_end_never_widens_the_page(window: Opener, tmp_path: Path) -> None:
    """The list of samples scrolls in its own box, with the words in it that only screen readers say."""
    folder = reportplace.lay(tmp_path / "place", reportplace.Size(1, 1, 2, 3, 100, wanting=False))
    for path in [*folder.rglob("*.jsonl"), *folder.rglob("samples-*.csv"), *folder.rglob("details-*.json")]:
        path.write_text(path.read_text().replace("sums-001", "x" * 300))
    for path in folder.rglob("details-*.json"):
        told = json.loads(path.read_text())
        for name in told["written"]:
            told["written"][name] = hashlib.sha256((path.parent / name).read_bytes()).hexdigest()
        path.write_text(json.dumps(told))
    assert reportplace.report(folder).returncode == 0
    for size in (WIDE, PHONE):
        page = window(size).open(folder / "results/report.html").scrolled().page
        page.locator("#samples td.number").first.wait_for()
        assert "x" * 300 in page.locator("#samples").inner_text()
        wide, inner = page.evaluate(WIDTH)
        assert wide <= inner


def test_a_long_name_of_a_model_never_widens_the_page(window: Opener, report: Path) -> None:
    """The choice of a result is as wide as the page at most."""
    page = window(PHONE).open(report).page
    page.evaluate("document.querySelector('#pair-choice option').textContent = 'w'.repeat(120)")
    wide, inner = page.evaluate(WIDTH)
    assert wide <= inner


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


def test_percentages_are_rounded_as_in_the_printed_table(window: Opener, report: Path) -> None:
    values = [number / 16 for number in range(1601)] + [number / 20 for number in range(2001)]
    page = window().open(report).page
    shown = page.evaluate("values => values.map(seedbedParts.words().percent)", values)
    assert shown == [f"{value:.1f} %" for value in values]
