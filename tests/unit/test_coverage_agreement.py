"""The summary and the gate judge one coverage of a pair, however odd its folder is."""

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from seedbed.config.settings import load
from seedbed.core.schema import read_yaml
from seedbed.records import paths, run_record
from seedbed.results import gates, overview
from tests.reportplace import Size, lay

FOLDER = paths.outputs_folder("alder", "sums")
REQUIRED = ["verdict = COMPLETE", "missing = 0", "errors = 0", "truncated = 0", "loops = 0"]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a complete run of one model on one benchmark with three seeds."""
    folder = tmp_path_factory.mktemp("sound") / "run"
    return lay(folder, Size(models=1, benchmarks=1, seeds=3, problems=6, characters=200, wanting=False))


def _foreign_id() -> None:
    record = json.loads((FOLDER / "output-rs43.jsonl").read_text().splitlines()[0])
    with (FOLDER / "output-rs43.jsonl").open("a") as file:
        file.write(json.dumps(record | {"id": "nobody-0"}) + "\n")


def _seed_twice() -> None:
    (FOLDER / "output-rs43.jsonl.gz").write_bytes(gzip.compress((FOLDER / "output-rs43.jsonl").read_bytes()))


def _other_fingerprint() -> None:
    path = FOLDER / "output-rs44.jsonl"
    path.write_text(path.read_text().replace('"fingerprint": "made"', '"fingerprint": "another"'))


def _seed_missing() -> None:
    (FOLDER / "output-rs42.jsonl").unlink()


def _foreign_file() -> None:
    (FOLDER / "notes.jsonl").write_text("{}\n")


def _no_dataset() -> None:
    paths.dataset("sums").unlink()


def _broken_import_record() -> None:
    (FOLDER / "imported.json").write_text("{}")


def _nothing() -> None:
    pass


@pytest.mark.parametrize("recorded", [True, False])
@pytest.mark.parametrize(
    ("change", "verdict", "faults"),
    [
        (_nothing, "COMPLETE", 0),
        (_foreign_id, "INVALID", 1),
        (_seed_twice, "INVALID", 1),
        (_other_fingerprint, "INVALID", 1),
        (_seed_missing, "INVALID", 0),
        (_foreign_file, "INVALID", 1),
        (_no_dataset, "INVALID", 1),
        (_broken_import_record, "INVALID", 1),
    ],
)
def test_the_gate_and_the_summary_agree_on_an_odd_folder(
    change: Callable[[], None],
    verdict: str,
    faults: int,
    recorded: bool,
    sound: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shutil.copytree(sound, tmp_path / "run")
    monkeypatch.chdir(tmp_path / "run")
    config = read_yaml(paths.CONFIG) | {"gates": REQUIRED}
    paths.CONFIG.write_text(yaml.safe_dump(config))
    settings = load(config, str(paths.CONFIG), [paths.CONFIG.parent])
    if not recorded:  # the fingerprint then is that of the configuration
        paths.RUN_RECORD.unlink()
        for path in FOLDER.glob("output-rs*.jsonl"):
            made_of = settings.answer_fingerprint("alder", "sums")
            path.write_text(path.read_text().replace('"fingerprint": "made"', f'"fingerprint": "{made_of}"'))
        if change is _other_fingerprint:
            path = FOLDER / "output-rs44.jsonl"
            path.write_text(path.read_text().replace(str(settings.answer_fingerprint("alder", "sums")), "another"))
    change()
    found = overview.collect(settings, run_record.read(), ended=False)
    coverage = found.coverages["alder", "sums"]
    assert coverage == json.loads((FOLDER / "coverage.json").read_text())
    assert (coverage["verdict"], len(coverage["faults"])) == (verdict, faults)
    by_itself, after_the_summary = gates.judge_run(settings, {}), gates.judge_run(settings, found.coverages)
    assert by_itself == after_the_summary
    assert by_itself["criteria"][0]["found"] == verdict
    assert by_itself["criteria"][0]["result"] == ("pass" if verdict == "COMPLETE" else "fail")
    assert len(by_itself["criteria"]) == 5
