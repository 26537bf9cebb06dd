import json
from pathlib import Path
from typing import Any

import pytest

from seedbed.results.usage import of_run, stages

ROLE = {"command": ["serve"], "gpus": 4}
SERVER = {
    "kind": "roles",
    "roles": [ROLE | {"name": "prefill", "frontend": True}, ROLE | {"name": "decode", "nodes": 2}],
}


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a working folder with the records of a run that began at second 1000."""
    monkeypatch.chdir(tmp_path)
    jobs = [("old", 900, 950, 1), ("generate", 1000, 1060, 2), ("generate", 1010, 1100, 3), ("score", 1100, 1101, 4)]
    for number, (rule, start, end, job) in enumerate([*jobs, jobs[1]]):
        told = {"rule": rule, "starttime": start, "endtime": end, "job_hash": job}
        write(tmp_path / ".snakemake" / "metadata" / str(number), told)
    (tmp_path / ".snakemake" / "metadata" / "torn").write_text("{")
    seconds = {"queued": 500.0, "loading": 600.0, "busy": 3000.0, "idle": 0.0}
    record = {f"server_{name}_seconds": value for name, value in seconds.items()} | {"starts": [{"started": 1001.0}]}
    write(tmp_path / "run" / "m" / "server_usage.json", record)
    return tmp_path


def write(path: Path, value: Any) -> None:
    """Write a JSON file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


def test_times_of_each_stage_since_the_run_began(work: Path) -> None:
    assert stages(1000.0) == {
        "generate": {"jobs": 2, "seconds": 100, "job_seconds": 150},
        "score": {"jobs": 1, "seconds": 1, "job_seconds": 1},
    }


def test_gpu_hours_count_all_gpus_while_the_server_holds_them(work: Path) -> None:
    told = of_run({"started": 1000.0, "provenance": {"models": {"m": {"server": SERVER}}}}, [])
    assert told["servers"]["m"]["gpus"] == 12
    assert told["gpu_hours"] == 12.0


def test_a_server_of_an_earlier_run_is_not_counted_again(work: Path) -> None:
    told = of_run({"started": 2000.0, "provenance": {"models": {"m": {"server": SERVER}}}}, [])
    assert told["gpu_hours"] is None
    assert told["stages"] == {}


def test_tokens_and_traces_of_the_outputs_that_count(work: Path) -> None:
    outputs = {f"output-rs{seed}.jsonl": {"samples": 3, "tokens": 10 * seed, "trace": "t"} for seed in (1, 2)}
    told = of_run({}, [{"model": "m", "benchmark": "b", "outputs": outputs}])
    assert told["outputs"]["m/b"] == {
        "samples": 6,
        "tokens": 30,
        "traces": {"output-rs1.jsonl": "t", "output-rs2.jsonl": "t"},
    }
