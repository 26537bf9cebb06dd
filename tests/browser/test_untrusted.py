"""Whatever a run says stays text: nothing of it runs, turns the page or freezes it."""

from pathlib import Path

import pytest

from tests.browser import handmade
from tests.browser.conftest import Opener

HOSTILE = (
    "<script>globalThis.hostile = 1</script>",
    '<img src="x" onerror="globalThis.hostile = 2">',
    "</script><svg onload=globalThis.hostile=3>",
    "javascript:globalThis.hostile=4",
    "half \ud800 a pair",
    "\u202egnirts\u2066",
    "\x1b[31mred\x1b[0m \x00 \x07",
    "{{data}} ${globalThis.hostile=5} %{x}",
    "__proto__",
    "a/b@7&filter=wrong#",
)
MATHML = (
    '<math><mi>x</mi><script>globalThis.hostile=6</script><mi href="javascript:globalThis.hostile=7" '
    'onclick="globalThis.hostile=8">y</mi><style>*{display:none}</style></math>'
)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """Return a report in which every text that a run can shape is hostile."""
    everything = " ".join(HOSTILE)
    texts = [{"text": f"$x$ {text}", "reasoning": text, "maths": [[0, 3, MATHML]]} for text in HOSTILE]
    links = [["answers", everything], ["comparison", "javascript:globalThis.hostile=9"]]
    many = len(HOSTILE)
    whole = {
        "prompt": everything, "line": everything, "faults": [everything], "remarks": [everything], "part": everything,
        "reasons": [everything], "status": "e" * many, "files": dict(links),
        "not_ok": [{"id": name, "seed": handmade.SEED, "status": "error", "reason": name} for name in HOSTILE],
        "curves": {"regex": {"pass@k": [[1, 50, 40, 60], [2, 60, 50, 70]]}},
        "tokens": {"edges": [0, 9], "by_outcome": {"right": [many]}},
        "time": {"seed": [[42, 1_790_000_000, 1_790_000_100, 9]]},
        "measures": [{"name": everything, "cells": {"regex": everything}}],
    }  # fmt: skip
    return handmade.write(
        tmp_path / "hostile", HOSTILE, texts,
        pair=whole,
        answers={name: list(HOSTILE) for name in ("strict", "regex")},
        flags={name: list(HOSTILE) for name in ("strict", "regex")},
        expected=list(HOSTILE),
        title=" ".join(HOSTILE[:4]),
        headline={"verdict": everything, "text": everything},
        findings=[
            {"level": "bad", "pair": handmade.PAIR, "text": name, "act": name, "filter": {"name": name, "scorer": name}}
            for name in HOSTILE
        ],
        gates=[{"gate": name, "outcome": name, "text": name} for name in HOSTILE],
        servers=[{
            "model": everything, "engine": everything, "commands": [{"role": "x", "node": "y", "command": HOSTILE}],
            "attempts": [{"started": 1, "ended": 2, "reason": everything, "state": everything}],
        }],
        comparisons=[{
            "name": name, "a": name, "b": name, "text": name, "file": name, "moved": [[name, 1.0]], "difference": 1.0,
            "intervals": {"across_problems": [0.0, 2.0], "across_seeds": [0.0, 2.0]},
        } for name in HOSTILE],
        run={"commit": everything, "hosts": HOSTILE, "versions": {everything: everything}, "config_file": HOSTILE[3]},
    )  # fmt: skip


def test_nothing_of_it_runs(window: Opener, hostile: Path) -> None:
    """On the page, in its charts, in the list and in the viewer; no address leads out of the folder."""
    opened = window().open(hostile).scrolled()
    page = opened.page
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    page.locator("#samples td.number").first.wait_for()
    for plot in page.locator(".plot").all():
        plot.hover()
    page.locator("#map .grid .cell").first.click()
    page.wait_for_selector("#viewer .facts-list")
    for _ in HOSTILE:
        page.keyboard.press("r")
        page.keyboard.press("j")
        page.wait_for_timeout(60)
    assert page.evaluate("globalThis.hostile") is None
    assert page.evaluate("document.querySelectorAll('body img, body svg[onload], main style, main script').length") == 0
    assert page.evaluate("[...document.querySelectorAll('[href]')].every((one) => !/^javascript:/i.test(one.href))")
    assert page.evaluate("({}).hostile") is None


def test_it_is_shown_as_it_stands(window: Opener, hostile: Path) -> None:
    """Markup as text; what would turn, ring or colour the page in a box with its number, each name by itself."""
    page = window().open(hostile).page
    cells = page.locator("#map .row:not(.head) .id")
    shown = [cells.nth(at).evaluate("(cell) => cell.textContent") for at in range(len(HOSTILE))]
    assert shown[:4] == list(HOSTILE[:4])
    assert shown[4] == "half U+D800 a pair"
    assert shown[5] == "U+202EgnirtsU+2066"
    assert shown[6] == "U+001B[31mredU+001B[0m U+0000 U+0007"
    assert shown[7:] == list(HOSTILE[7:])
    assert page.locator("#map .row:not(.head) .id bdi").count() == len(HOSTILE)


@pytest.mark.parametrize("at", range(len(HOSTILE)))
def test_each_can_be_linked_to_and_searched_for(window: Opener, hostile: Path, at: int) -> None:
    """The address of a sample leads back to it whatever its id is."""
    opened = window().open(hostile)
    page = opened.page
    page.locator("#map .grid .cell").nth(at).click()
    page.wait_for_selector("#viewer .passage")
    title = page.locator("#viewer-title").evaluate("(title) => title.textContent")
    place = page.evaluate("location.hash")
    again = window().open(hostile, place)
    again.page.wait_for_selector("#viewer .passage")
    assert again.page.locator("#viewer-title").evaluate("(title) => title.textContent") == title


def test_formulas_keep_only_what_is_mathml(window: Opener, hostile: Path) -> None:
    """A script, a link or a handler inside MathML becomes its text or goes."""
    page = window().view(hostile, handmade.PAIR, "__proto__@42").page
    formula = page.locator("#viewer .passage math").first
    assert formula.locator("mi").count() == 2
    assert formula.evaluate("(math) => math.querySelectorAll('script, style').length") == 0
    assert formula.evaluate("(math) => [...math.querySelectorAll('*')].every((one) => one.attributes.length === 0)")


@pytest.mark.parametrize("kind", ["x", "word ", "🎲"])
def test_one_line_of_more_than_a_megabyte_is_laid_out_in_parts(window: Opener, tmp_path: Path, kind: str) -> None:
    """All of it is there, in parts that the browser lays out one by one, the answer's mark at its very end."""
    line = kind * (1_600_000 // len(kind))
    text = f"{line}7"
    spans = {"strict": [None], "regex": [[len(text) - 1, len(text)]]}
    report = handmade.write(tmp_path / "long", ["one"], [{"text": text, "reasoning": line}], spans=spans)
    page = window().view(report, handmade.PAIR, "one@42").page
    parts = page.locator("#viewer section:last-child .part")
    units = len(text.encode("utf-16-le")) // 2
    assert parts.count() > 200
    assert page.evaluate("document.querySelector('#viewer section:last-child .passage').textContent.length") == units
    longest = "Math.max(...[...document.querySelectorAll('#viewer .part')].map((one) => one.textContent.length))"
    assert page.evaluate(longest) <= 6001
    assert page.locator("#viewer mark[data-scorers='regex']").text_content() == "7"
    page.keyboard.press("a")
    page.wait_for_function("document.querySelector('#viewer mark[data-scorers]').checkVisibility()")
    assert page.locator("#viewer .viewer-body").evaluate("(body) => body.scrollTop") > 10_000
    assert page.locator("#viewer .reasoning .part").count() == 0
    page.keyboard.press("r")
    page.locator("#viewer .reasoning .part").first.wait_for()
    assert page.evaluate("document.querySelector('.reasoning .passage').textContent.length") == units - 1
