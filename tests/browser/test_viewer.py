"""The viewer: marks stand where the scorer matched, texts come when asked for, and what is not there is told."""

import json
import shutil
from pathlib import Path
from typing import Any

from seedbed.scoring.score_files import read_table
from tests.browser import handmade
from tests.browser.conftest import Opener

MARKS = """(scorer) => [...document.querySelectorAll('#viewer .viewer-body section')].map((section) =>
  [...section.querySelectorAll('mark[data-scorers]')]
    .filter((mark) => mark.dataset.scorers.split(' ').includes(scorer)).map((mark) => mark.textContent).join(''))"""


def test_every_mark_is_what_the_scorer_matched(window: Opener, folder: Path, report: Path) -> None:
    """Walking through all samples by one key: each span of the tables is marked, behind emoji and in formulas too."""
    results = folder / "results/alder/eval-results/sums"
    texts = {
        (record["id"], seed): record["generation"]
        for seed in range(42, 46)
        for record in map(json.loads, (results / f"output-rs{seed}.jsonl").read_text().splitlines())
    }
    tables = {
        scorer: {(row.id, row.seed): row.found for row in read_table(results / f"samples-{scorer}.csv")}
        for scorer in ("strict", "regex")
    }
    page = window().view(report, "alder/sums", "sums-000@42").page
    emoji = marked = 0
    for number in range(8):
        for seed in range(42, 46):
            key = (f"sums-{number:03}", seed)
            page.locator(f'#viewer[data-shown="{key[0]}@{seed}"]').wait_for()
            for scorer, table in tables.items():
                span = table[key].span
                if span is None:
                    continue
                said = texts[key][span[0] : span[1]]
                assert said in page.evaluate(MARKS, scorer), (key, scorer)
                marked += 1
                emoji += any(ord(letter) > 0xFFFF for letter in texts[key][: span[0]])
            page.keyboard.press("j")
    assert marked > 30
    assert emoji > 3


def test_offsets_count_characters_not_halves_of_them(window: Opener, tmp_path: Path) -> None:
    """Three emoji, half a pair and a formula before the answer; two scorers on overlapping spans."""
    text = "🎲🧮 \ud83d 我 $x$ 🎲 so 17 it is"
    start = text.index("17")
    spans = {"strict": [[start, start + 2]], "regex": [[start - 3, start + 2]]}
    maths = [[text.index("$"), text.index("$") + 3, "<math><mi>x</mi></math>"]]
    report = handmade.write(tmp_path / "made", ["one"], [{"text": text, "maths": maths}], spans=spans)
    page = window().view(report, handmade.PAIR, "one@42").page
    assert page.locator("#viewer section:last-child mark").all_text_contents() == ["so ", "17"]
    assert page.evaluate(MARKS, "strict")[-1] == "17"
    assert page.evaluate(MARKS, "regex")[-1] == "so 17"
    assert page.locator("#viewer section:last-child math").text_content() == "x"


def test_a_span_may_count_from_the_end(window: Opener, tmp_path: Path) -> None:
    """As slices of Python do; behind emoji, and where the middle of the text is left out."""
    whole = "🎲 " + "y" * 500 + " it is 17 🎲 at last"
    start = whole.index("17") - len(whole)
    spans = {"strict": [[start, start + 2]] * 2, "regex": [None] * 2}
    texts: list[dict[str, Any]] = [{"text": whole}, {"text": whole[:20] + whole[320:], "cut": 300, "cut_at": 20}]
    report = handmade.write(tmp_path / "made", ["one", "two"], texts, spans=spans)
    for name in ("one", "two"):
        page = window().view(report, handmade.PAIR, f"{name}@42").page
        assert page.evaluate(MARKS, "strict")[-1] == "17", name


def test_a_match_inside_a_formula_is_shown_in_its_source(window: Opener, tmp_path: Path) -> None:
    """The formula is drawn and, beside it, written with the mark; one key shows all sources."""
    text = "So $\\boxed{17}$."
    spans = {"strict": [[11, 13]], "regex": [None]}
    maths = [[3, 15, '<math><menclose notation="box"><mn>17</mn></menclose></math>']]
    report = handmade.write(tmp_path / "made", ["one"], [{"text": text, "maths": maths}], spans=spans)
    page = window().view(report, handmade.PAIR, "one@42").page
    assert page.locator("#viewer .matched math mn").text_content() == "17"
    assert page.locator("#viewer .matched code mark").text_content() == "17"
    page.keyboard.press("m")
    page.wait_for_function("!document.querySelector('#viewer math')")
    assert page.locator("#viewer section:last-child .passage").text_content() == text


def test_a_text_that_was_shortened_keeps_its_marks(window: Opener, tmp_path: Path) -> None:
    """Offsets count in the whole text, of which 1,000 characters are left out after the tenth."""
    whole = "🎲 begins " + "y" * 1000 + " and ends with 7"
    text = {"text": whole[:10] + whole[1010:], "cut": 1000, "cut_at": 10}
    spans = {"strict": [None], "regex": [[len(whole) - 1, len(whole)]]}
    report = handmade.write(tmp_path / "made", ["one"], [text], spans=spans)
    page = window().view(report, handmade.PAIR, "one@42").page
    assert page.evaluate(MARKS, "regex")[-1] == "7"
    assert "1.0 thousand characters are left out in the middle" in page.locator("#viewer .alert").inner_text()


def test_texts_are_asked_for_one_file_at_a_time(window: Opener, report: Path) -> None:
    """Nothing beside the report is read before a sample is looked at, then only the files of its seed."""
    opened = window().open(report)
    assert [url for url in opened.asked if "report-data" in url] == []
    opened.page.locator("#map .grid .cell").first.click()
    opened.page.wait_for_selector("#viewer .passage")
    texts = [url for url in opened.asked if "/rs4" in url]
    assert len(texts) == 1
    assert texts[0].endswith("report-data/alder/sums/rs42-0.js")


def test_a_missing_file_is_told_and_the_rest_is_shown(window: Opener, report: Path, tmp_path: Path) -> None:
    """A report that was moved without its files says which one is not there."""
    place = shutil.copytree(report.parent, tmp_path / "moved")
    (place / "report-data/alder/sums/rs42-0.js").unlink()
    opened = window().view(place / "report.html", "alder/sums", "sums-000@42")
    alert = opened.page.locator("#viewer [role=alert]").inner_text()
    assert alert.startswith("Not all can be shown: report-data/alder/sums/rs42-0.js is not there")
    assert opened.page.locator("#viewer [data-answer=regex]").count() == 1
    opened.page.keyboard.press("ArrowRight")
    opened.page.locator('#viewer[data-shown="sums-000@43"]').wait_for()
    assert opened.counted("#viewer [role=alert]") == 0
    assert [one for one in opened.errors if "ERR_FILE_NOT_FOUND" not in one] == []
    opened.errors.clear()


def test_a_private_benchmark_shows_no_text_and_says_why(window: Opener, report: Path) -> None:
    """Ids, verdicts and stages, and one sentence where the texts would be."""
    opened = window().view(report, "alder/riddles", "riddles-002@42")
    assert "private" in opened.page.locator("#viewer .alert").inner_text()
    assert opened.counted("#viewer .passage") == 0
    assert opened.counted("#viewer .verdicts tbody tr") == 2
    assert [url for url in opened.asked if "/rs4" in url or "problems" in url] == []
