"""The line of a whole run: what its seeds wait for."""

import json
from pathlib import Path

from seedbed.workflow import progress


def seed(run: Path, model: str, number: int, waits_for: str) -> None:
    """Write the progress of a seed."""
    path = run / model / "progress" / f"b-rs{number}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"done": 0, "total": 4, "state": "waiting for the server", "waits_for": waits_for}))


def shown(run: Path) -> str:
    """Return the line of a run of two seeds."""
    seeds = progress.read(run)
    return progress.line(seeds, 2, progress.notes(run, seeds))


def test_an_endpoint_that_does_not_answer_is_told_with_the_reason(tmp_path: Path) -> None:
    for number in (42, 43):
        seed(tmp_path, "far", number, "http://127.0.0.1:9/v1/models: Connection refused")
    assert shown(tmp_path) == (
        "seeds 0/2 · samples 0/8 · far: 2 seeds waiting for http://127.0.0.1:9/v1/models: Connection refused"
    )
    seed(tmp_path, "far", 42, "")
    seed(tmp_path, "far", 43, "")
    assert shown(tmp_path) == "seeds 0/2 · samples 0/8"


def test_of_a_server_of_the_run_the_broker_speaks_alone(tmp_path: Path) -> None:
    seed(tmp_path, "near", 42, "server near: starting")
    status = {"state": "starting", "line": "server near: starting, 1 seed waiting 2 min"}
    (tmp_path / "near" / "status.json").write_text(json.dumps(status))
    assert shown(tmp_path) == "seeds 0/2 · samples 0/8 · server near: starting, 1 seed waiting 2 min"
