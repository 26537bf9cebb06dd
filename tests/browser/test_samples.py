"""The list of samples: its filters count right, its search finds; missing seeds, many problems, a single file."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from seedbed.scoring.score_files import read_table
from tests import reportplace
from tests.browser import handmade
from tests.browser.conftest import Opener


def test_filters_count_what_the_tables_hold(window: Opener, folder: Path, report: Path, told: dict[str, Any]) -> None:
    """Each button's number is that of the samples' tables, and so many rows are listed."""
    results = folder / "results/alder/eval-results/sums"
    regex = {(row.id, row.seed): row for row in read_table(results / "samples-regex.csv")}
    strict = {(row.id, row.seed): row for row in read_table(results / "samples-strict.csv")}
    wanted = {
        "all": len(regex),
        "right": sum(row.outcome == "right" for row in regex.values()),
        "wrong": sum(row.outcome == "wrong" for row in regex.values()),
        "no_answer": sum(row.outcome == "none" for row in regex.values()),
        "recovered": sum(regex[key].correct and not strict[key].correct for key in regex),
        "lost": sum(strict[key].correct and not regex[key].correct for key in regex),
        "changed": sum(strict[key].found.value != regex[key].found.value for key in regex),
        "first_differs": sum("first-differs" in row.found.flags for row in regex.values()),
        "truncated": told["pairs"][0]["counts"]["truncated"],
        "empty": told["pairs"][0]["counts"]["empty"],
    }
    page = window().open(report, "#samples=alder/sums").page
    page.locator("#samples .list td.number:not(:empty)").first.wait_for()
    for name, many in wanted.items():
        button = page.locator(f'#samples [data-filter="{name}"]')
        if many == 0:
            assert button.count() == 0, name
            continue
        assert button.locator("b").inner_text() == str(many), name
        button.click()
        assert page.locator("#samples .list tbody tr").count() == min(50, many), name
        assert page.locator("#samples .told").inner_text().startswith(f"{many} sample"), name
    assert wanted["recovered"] > 0
    assert wanted["truncated"] > 0


def test_right_in_the_text_though_not_extracted_is_a_filter(window: Opener, report: Path, told: dict[str, Any]) -> None:
    """Its samples hold the expected answer and are not right."""
    pair = next(one for one in told["pairs"] if one["name"] == "alder/sums")
    page = window().open(report, "#samples=alder/sums&filter=right_in_text&scorer=regex").page
    page.locator('#samples [data-filter="right_in_text"][aria-pressed="true"]').wait_for()
    rows = page.locator("#samples .list tbody tr")
    rows.first.wait_for()
    assert 0 < rows.count() < len(pair["status"])
    assert page.locator("#samples .list tbody tr td:nth-child(2) .cell.right").count() == 0


def test_search_finds_ids_and_answers(window: Opener, report: Path) -> None:
    """Part of an id, and an answer that only some samples gave."""
    page = window().open(report, "#samples=alder/sums").page
    page.locator("#samples .list td.number:not(:empty)").first.wait_for()
    page.locator("#find").fill("sums-003@")
    assert page.locator("#samples .list tbody tr").count() == 4
    page.locator("#find").fill("no such answer")
    assert page.locator("#samples .told").inner_text() == "No sample passes."


def test_a_seed_that_failed_is_shown_as_missing(window: Opener, report: Path, told: dict[str, Any]) -> None:
    """A pair without metrics has its map, which says what is not scored and what is missing, and its reasons."""
    opened = window().open(report, "#pair=birch/riddles")
    assert opened.counted("#map .grid .cell.missing") == 8
    assert opened.counted("#map .grid .cell.right") == 0
    assert "seed 44 missing" in opened.page.locator("#pair .lead").first.inner_text()
    assert told["pairs"][-1]["counts"]["missing"] == 8


def test_an_address_that_leads_nowhere_says_so(window: Opener, report: Path) -> None:
    """A sample or a pair that is not there is told in a line, not by an empty page."""
    told = "document.getElementById('said').textContent"
    page = window().open(report, "#sample=alder/sums/sums-999@42").page
    page.wait_for_function(f"{told} === 'alder/sums has no sample sums-999@42.'")
    page = window().open(report, "#pair=oak/sums").page
    page.wait_for_function(f"{told} === 'This report has no oak/sums.'")


@pytest.mark.parametrize("shortened", [False, True], ids=["whole", "shortened"])
def test_a_single_file_needs_no_other(window: Opener, tmp_path: Path, shortened: bool) -> None:
    """Moved away alone, it shows any text; below a bound its texts are shortened, which it says."""
    size = reportplace.Size(1, 1, 2, 4, characters=200_000 if shortened else 2_000)
    place = reportplace.lay(tmp_path / "place", size)
    done = reportplace.report(place, "--single-file", "--max-mb", "5.5", "--out", str(tmp_path / "alone.html"))
    assert done.returncode == 0, done.stderr
    report = tmp_path / "elsewhere" / "alone.html"
    report.parent.mkdir()
    shutil.move(tmp_path / "alone.html", report)
    shutil.rmtree(place)
    opened = window().view(report, "alder/sums", "sums-000@42")
    cut = 0
    for number in range(8):
        name = f"sums-{number // 2:03}@{42 + number % 2}"
        opened.page.locator(f'#viewer[data-shown="{name}"]').wait_for()
        assert "".join(opened.page.locator("#viewer .passage").first.inner_text().split())[:6] == f"Find{number // 2}+"
        cut += any("left out" in text for text in opened.page.locator("#viewer .alert").all_inner_texts())
        opened.page.keyboard.press("j")
    assert (cut > 0) is shortened
    assert [url for url in opened.asked if "report-data" in url] == []


def test_a_benchmark_of_many_problems_is_turned_page_by_page(window: Opener, tmp_path: Path) -> None:
    """12,032 problems: the map and the list hold a page of them, in the order chosen, and find any by its id."""
    ids = [f"q-{number:05}" for number in range(12_032)]
    cells = "".join("w" if number % 3 else "r" for number in range(len(ids)))
    pair = {"cells": {"strict": cells, "regex": cells}}
    report = handmade.write(tmp_path / "many", ids, [{"text": "7"}] * len(ids), pair=pair)
    opened = window().open(report)
    page = opened.page
    assert opened.counted("#map .row:not(.head)") == 2400
    page.locator("#map select").select_option("best")
    assert opened.counted("#map .grid .cell.right") == 2400
    page.locator("#map .pages button").last.click()
    assert "problems 2,401 to 4,800 of 12,032" in page.locator("#map .pages").inner_text()
    page.locator("#map input").fill("q-11999")
    assert opened.counted("#map .row:not(.head)") == 1
    page.locator("#samples-title").scroll_into_view_if_needed()
    page.locator("#samples .list tbody tr").nth(49).wait_for()
    assert "page 1 of 241" in page.locator("#samples .pages").inner_text()
