"""Every end of a run leaves a report, whatever came of it, and no job runs for its sake."""

import json
import shutil
from pathlib import Path
from typing import Any

from tests.client.stub_server import Ask, Reply, StubServer, refusal, streamed
from tests.workflow.conftest import answer
from tests.workflow.test_verdict import small
from tests.workflow.workplace import Workplace

BOXES_ALONE = r"""
description: Boxes alone.
part: final
match: last
grading: value
stages:
  - stage: box
    commands: [boxed]
examples:
  - {text: 'So \boxed{41}.', answer: "41"}
"""
LINE = "report: results/report.html"


def told(place: Workplace) -> dict[str, Any]:
    """Return the data in the page of a report."""
    page = (place.results / "report.html").read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
    return data


def test_a_run_that_went_well_ends_with_where_its_report_is(tmp_path: Path, stub: StubServer) -> None:
    place = small(tmp_path, stub)
    ran = place.run()
    assert ran.code == 0, ran.text
    assert ran.text.count(LINE) == 1
    data = told(place)
    (pair,) = data["pairs"]
    assert (data["state"], data["headline"]["verdict"], pair["verdict"]) == ("ENDED", "COMPLETE", "COMPLETE")
    assert pair["cells"] == {"strict": "rrrnnn", "regex": "rrrrrr"}
    assert pair["flow"]["regex"]["recovered"] == 3
    assert data["run"]["command"][-1] == "2"
    assert data["folder"] == "work"
    assert (place.results / pair["samples_file"]).is_file()
    assert place.plan() == {}


def test_a_report_that_is_gone_runs_nothing_and_comes_back(finished: Workplace) -> None:
    shutil.rmtree(finished.results / "report-data")
    (finished.results / "report.html").unlink()
    assert finished.plan() == {}
    done = finished.module("summary")
    assert done.stdout.splitlines()[-1] == LINE
    assert len(told(finished)["pairs"]) == 6
    assert len(list((finished.results / "report-data").rglob("rs*-0.js"))) == 24
    assert finished.plan() == {}


def test_another_scorer_changes_the_report_and_no_text_in_it(finished: Workplace) -> None:
    texts = {path: path.stat().st_mtime_ns for path in (finished.results / "report-data").rglob("rs*")}
    before = told(finished)["pairs"][0]["cells"]
    (finished.project / "config/scorers/regex.yaml").write_text(BOXES_ALONE)
    ran = finished.run()
    assert ran.jobs == {"rescore": 6, "tabulate": 1}, ran.text
    assert {path: path.stat().st_mtime_ns for path in (finished.results / "report-data").rglob("rs*")} == texts
    after = told(finished)["pairs"][0]["cells"]
    assert after["strict"] == before["strict"]
    assert before["regex"].count("r") == 12 > after["regex"].count("r") == 6


def test_a_failed_seed_stands_in_the_report_with_its_reason_beside_the_others(tmp_path: Path) -> None:
    def behave(ask: Ask) -> Reply:
        return refusal(400, "out of range") if ask.body["seed"] == 43 else answer(ask)

    with StubServer(behave) as stub:
        place = small(tmp_path, stub, seeds={"start": 42, "count": 3})
        ran = place.run("--keep-going")
    assert ran.code == 1
    assert LINE in ran.text
    data = told(place)
    (pair,) = data["pairs"]
    assert (data["state"], pair["verdict"], pair["status"]) == ("FAILED", "INVALID", "...mmm...")
    assert data["findings"][0]["level"] == "bad"
    assert "out of range" in data["findings"][0]["text"]
    assert "--keep-going again: what is finished is kept" in data["findings"][0]["act"]
    assert [seed for seed, chunks in pair["chunks"].items() if chunks] == ["42", "44"]


def test_a_run_whose_every_request_fails_has_a_report(tmp_path: Path) -> None:
    with StubServer(lambda _: refusal(401, "no such key")) as stub:
        place = small(tmp_path, stub)
        ran = place.run("--keep-going")
    assert ran.code == 1
    assert LINE in ran.text
    data = told(place)
    assert data["pairs"][0]["status"] == "m" * 6
    assert "no such key" in data["findings"][0]["text"]


def test_hostile_answers_change_nothing_in_the_page(tmp_path: Path) -> None:
    hostile = "</script><script>alert(1)</script>\u2028\x1b[31m {{data}} \\boxed{2}"
    with StubServer(lambda _: streamed(hostile)) as stub:
        place = small(tmp_path, stub)
        assert place.run().code == 0
    page = (place.results / "report.html").read_text(encoding="utf-8")
    assert "alert(1)" not in page
    (text,) = (place.results / "report-data/m/sums").glob("rs42-0.js")
    written = text.read_bytes()
    assert written.isascii()
    assert b"<" not in written
    assert b"alert(1)" in written


def test_a_report_that_cannot_be_written_leaves_the_run_as_good_as_it_was(finished: Workplace) -> None:
    (finished.results / "report.html").unlink()
    (finished.results / "report.html").mkdir()
    done = finished.module("summary")
    assert done.returncode == 0
    last = done.stdout.splitlines()[-1]
    assert last.startswith("report: results/report.html could not be written: ")
    assert "Traceback" not in done.stderr


def test_a_run_that_goes_on_can_be_looked_at(tmp_path: Path) -> None:
    waiting: list[Workplace] = []
    seen: list[dict[str, Any]] = []

    def behave(ask: Ask) -> Reply:
        if ask.body["seed"] == 43 and not seen:
            done = waiting[0].module("summary")
            assert done.stdout.splitlines()[-2:] == ["a run goes on in this folder", LINE], done.stdout + done.stderr
            seen.append(told(waiting[0]))
        return answer(ask)

    with StubServer(behave) as stub:
        place = small(tmp_path, stub)
        waiting.append(place)
        ran = place.run("--cores", "1")
    assert ran.code == 0, ran.text
    (data,) = seen
    assert (data["state"], data["going_on"]) == ("RUNNING", True)
    assert {finding["level"] for finding in data["findings"]} == {"note"}
    assert data["headline"]["verdict"] == "RUNNING"
    assert "a run goes on" in data["headline"]["text"]
    assert told(place)["state"] == "ENDED"
