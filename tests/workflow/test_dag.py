"""`python -m seedbed dag` on real runs: states and reasons are Snakemake's, and the committed page is up to date."""

import re
import shlex
from pathlib import Path

import yaml

from tests.workflow.workplace import ROOT, Workplace


def box(page: str, pair: str, name: str) -> str:
    """Return the state of a box in the group of a pair."""
    group = re.split(r'subgraph \w+\["' + pair + r'"\]', page)[1]
    found = re.search(rf'\["{re.escape(name)}[^<]*<br/>([^"]*)"\]', group.split("end\n")[0])
    assert found, group
    return found[1]


def test_the_graph_says_what_is_done_what_would_run_and_why(finished: Workplace) -> None:
    finished.command()  # writes the configuration of this copy
    config = str(finished.work.parent / "config.yaml")
    drawn = finished.module("dag", "--configfile", config)
    assert drawn.returncode == 0, drawn.stderr
    assert drawn.stdout.startswith("43 jobs: 43 done, 0 to run\n")
    (finished.outputs("one", "b1") / "output-rs44.jsonl").unlink()
    drawn = finished.module("dag", "--configfile", config, "--config", "seeds={count: 6}")
    assert drawn.returncode == 0, drawn.stderr
    page = (finished.results / "dag.md").read_text()
    assert box(page, "one × b1", "generate: 6 seeds") == "3 done, 3 to run: output missing"
    assert box(page, "two × b2", "generate: 6 seeds") == "4 done, 2 to run: output missing"
    assert box(page, "two × b2", "score") == "to run: its input is generated again"
    assert page.count("prepare_dataset<br/>b1<br/>done") == 1
    picture = (finished.results / "dag.svg").read_text()
    assert "3 done, 3 to run: output missing" in picture


def test_a_changed_parameter_is_the_reason_that_the_graph_gives(finished: Workplace, tmp_path: Path) -> None:
    finished.config["sampling"]["temperature"] = 0.5
    finished.command()
    drawn = finished.module(
        "dag", "--configfile", str(finished.work.parent / "config.yaml"), "--out", str(tmp_path / "o")
    )
    assert drawn.returncode == 0, drawn.stderr
    page = (tmp_path / "o" / "dag.md").read_text()
    assert box(page, "two × b1", "generate: 4 seeds") == "all to run: parameters changed"


def test_without_a_configuration_the_last_runs_is_drawn(finished: Workplace) -> None:
    drawn = finished.module("dag")
    assert drawn.returncode == 0, drawn.stderr
    assert drawn.stdout.startswith("43 jobs: ")
    assert finished.module("report").returncode == 0
    assert "data:image/svg+xml;base64," in (finished.results / "report.html").read_text()


def test_the_committed_page_of_the_rules_is_what_the_command_draws(tmp_path: Path) -> None:
    place = Workplace.made(tmp_path / "place", yaml.safe_load((ROOT / "config" / "config.yaml").read_text()))
    example = next(line for line in (ROOT / "Makefile").read_text().splitlines() if line.startswith("DAG_EXAMPLE = "))
    drawn = place.module("dag", "--rules", "docs/dag.md", "--config", *shlex.split(example.partition(" = ")[2]))
    assert drawn.returncode == 0, drawn.stderr
    for name in ("dag.md", "pictures/rules.svg"):
        assert (place.work / "docs" / name).read_text() == (ROOT / "docs" / name).read_text(), (
            "make dag draws them anew"
        )


def test_what_snakemake_refuses_is_told_in_its_words(tmp_path: Path) -> None:
    place = Workplace.made(tmp_path / "place", {})
    drawn = place.module("dag", "--config", "seeds={count: -1}")
    assert drawn.returncode == 1
    assert "error: snakemake --dry-run failed: " in drawn.stderr
    assert "seeds.count" in drawn.stderr
