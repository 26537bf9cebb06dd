"""Files of a run that are cut, edited or of another version: the report is written, and shows what is whole."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from seedbed.core.environment import SOURCES
from tests.reportplace import Size, lay
from tests.unit.test_report_data import data_of, pair_of

SUMS = Path("results/alder/eval-results/sums")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a small run in which nothing is wanting."""
    return lay(tmp_path_factory.mktemp("run") / "myrun", Size(2, 1, 2, 3, 100, wanting=False))


@pytest.fixture
def copy(place: Path, tmp_path: Path) -> Path:
    """Return a copy of that folder, to be broken."""
    return Path(shutil.copytree(place, tmp_path / "myrun"))


# Both kinds of the report by one process: starting Python twice would take longer than writing them.
BOTH = """
import sys
from seedbed.commands.report import main
for arguments in ([], ["--single-file"]):
    sys.argv[1:] = arguments
    assert main() == 0
"""


def shown(folder: Path) -> dict[str, Any]:
    """Return the data of the report that is written, in one file too."""
    environment = os.environ | {"PYTHONPATH": str(SOURCES)}
    done = subprocess.run(
        [sys.executable, "-c", BOTH], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stderr) == (0, "")
    return data_of(folder)


@pytest.fixture(scope="module")
def before(place: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the data of the report of the unbroken run."""
    return shown(Path(shutil.copytree(place, tmp_path_factory.mktemp("before") / "myrun")))


@pytest.mark.parametrize("text", ["{", "[]", '{"scorers": "x"}', '{"scorers": {"regex": 1}}', '{"scorers": null}'])
def test_statistics_that_cannot_be_read_are_missed_and_the_samples_shown(copy: Path, text: str) -> None:
    (copy / SUMS / "statistics.json").write_text(text)
    data = shown(copy)
    pair = pair_of(data)
    assert (pair["figures"], pair["verdict"], set(pair["cells"])) == ({}, "COMPLETE", {"strict", "regex"})
    (found,) = [one for one in data["findings"] if one["text"].startswith("statistics.json")]
    assert (found["pair"], found["act"]) == ("alder/sums", f"remove {SUMS}/statistics.json and run snakemake")
    assert pair_of(data, "birch/sums")["figures"]["regex"]["pass@1"]["value"] > 0


@pytest.mark.parametrize("text", ["{", "[]", '{"regex": 3}', '{"regex": {"table": []}}'])
def test_a_ledger_that_cannot_be_read_is_counted_again(copy: Path, before: dict[str, Any], text: str) -> None:
    (copy / SUMS / "scorers.json").write_text(text)
    assert pair_of(shown(copy))["flow"]["regex"] == pair_of(before)["flow"]["regex"] | {"changed": None}


@pytest.mark.parametrize(
    "part",
    [
        *(
            {name: odd}
            for name in ("pairs", "asked", "provenance", "outputs", "servers", "started")
            for odd in ("x", [3])
        ),
        {"asked": {"alder/sums": {}}, "pairs": [{"model": "alder"}]},
        {"provenance": {"code": 1, "host": None, "models": []}, "outputs": {"alder/sums": {}}, "servers": {"alder": 1}},
        {"of_a_later_version": {"a": [1]}},
    ],
    ids=str,
)
def test_a_record_of_another_version_is_read_as_far_as_it_goes(copy: Path, part: dict[str, Any]) -> None:
    path = copy / "results/run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | part))
    assert [pair["name"] for pair in shown(copy)["pairs"]] == ["alder/sums", "birch/sums"]


@pytest.mark.parametrize("text", ['{"attempts": [{"st', '{"attempts": null}', '{"attempts": [null, {"nodes": 1}]}'])
def test_half_a_record_of_a_server_is_no_fault(copy: Path, text: str) -> None:
    (copy / "results/alder/server_runs.json").write_text(text)
    assert [server["model"] for server in shown(copy)["servers"]] == ["alder", "birch"]


@pytest.mark.parametrize("text", ['{"criteria": 3}', '{"criteria": [{}, 1]}'])
def test_gates_of_another_version_are_left_out(copy: Path, text: str) -> None:
    (copy / "results/gate.json").write_text(text)
    assert shown(copy)["gates"] == []


def without_dataset(folder: Path) -> None:
    """Cut the dataset."""
    (folder / "resources/sums/test.jsonl").write_text('{"id": "a"')


def without_source(folder: Path) -> None:
    """Write what tells where imported outputs came from as nobody does."""
    (folder / SUMS / "imported.json").write_text('{"files": []}')


@pytest.mark.parametrize("spoil", [without_dataset, without_source])
def test_what_spoils_a_pair_is_told_in_the_report(copy: Path, spoil: Callable[[Path], None]) -> None:
    spoil(copy)
    data = shown(copy)
    assert (pair_of(data)["verdict"], data["headline"]["verdict"]) == ("INVALID", "INVALID")
    assert pair_of(data)["faults"]
