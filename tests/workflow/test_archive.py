"""`snakemake --report`: one file without network, with captions and categories, that makes nothing run again."""

import re
from pathlib import Path

import pytest

from tests.workflow.workplace import ROOT, Workplace

MARK = re.compile(r"report\(\s*(\"results/[^\"]+\"),[^()]*?\)", re.DOTALL)


@pytest.fixture
def decided(finished: Workplace) -> Workplace:
    """Return a finished run that was compared and judged as well."""
    finished.config["comparisons"] = [{"a": "one/b1", "b": "two/b1"}]
    finished.config["gates"] = [
        "verdict = COMPLETE",
        {"require": ["pass@1 >= 0", "truncated <= 10 %"], "models": ["one"]},
    ]
    ran = finished.run()
    assert ran.code == 0, ran.text
    return finished


def test_a_finished_run_is_archived_in_one_file_with_captions_and_categories(decided: Workplace) -> None:
    out = decided.work / "archive.html"
    ran = decided.run("--report", str(out), http_proxy="http://127.0.0.1:9", https_proxy="http://127.0.0.1:9")
    assert ran.code == 0, ran.text
    text = out.read_text(encoding="utf-8")
    assert re.findall(r"(?:src|href)=\"https?:", text) == []
    for category in ("Summary", "Metrics", "Decisions"):
        assert f'"{category}"' in text
    for name in ("summary.csv", "metrics.json", "metrics-regex.json", "one.b1-vs-two.b1.json", "gate.passed"):
        assert f"Adding {name}" in ran.text
    assert ran.text.count("Adding metrics.json") == 6
    for words in (
        "b1 by three, scorer strict",
        "b2 by one, scorer regex",
        "differences in points",
        "recovered",
        "pass@1",
    ):
        assert words in text
    assert "truncated &lt;= 10 %" in text or "truncated <= 10 %" in text
    assert "{{" not in "".join(re.findall(r'"caption": "[^"]*"', text))
    assert decided.plan() == {}


def test_marks_and_captions_of_the_archive_run_nothing(finished: Workplace) -> None:
    rules = finished.project / "rules"
    for path in sorted((rules / "captions").glob("*.rst")):
        path.write_text(path.read_text() + "\nAnother word.\n")
    assert finished.plan() == {}
    marks = 0
    for path in rules.glob("*.smk"):
        text, count = MARK.subn(r"\1", path.read_text())
        path.write_text(text)
        marks += count
    assert marks == 5
    assert finished.plan() == {}


def test_a_run_whose_gate_failed_is_archived_by_naming_its_table(decided: Workplace) -> None:
    decided.config["gates"] = ["truncated >= 50 %"]
    assert decided.run().code == 1
    ran = decided.run("--report", str(decided.work / "archive.html"), "results/summary.csv")
    assert ran.code == 0, ran.text
    assert "Adding summary.csv" in ran.text


def test_every_caption_belongs_to_a_rule() -> None:
    named = {name for path in [ROOT / "Snakefile", *(ROOT / "rules").glob("*.smk")]
             for name in re.findall(r"captions/([a-z]+\.rst)", path.read_text())}  # fmt: skip
    assert {path.name for path in Path(ROOT / "rules" / "captions").iterdir()} == named
