"""The heartbeat of a job, and what it hears on it."""

import json
import os
import time
from pathlib import Path

import pytest

from seedbed.client.endpoint import Demand, Endpoint
from seedbed.core.errors import RunError


def demand(folder: Path, lease_seconds: float = 60.0, brokered: bool = True) -> Demand:
    """Return the demand of one job of a model with concurrency 8."""
    return Demand(folder, "b-rs42", 8, lease_seconds, brokered)


def test_a_want_stands_while_the_job_runs_and_no_longer(tmp_path: Path) -> None:
    with demand(tmp_path) as wanted:
        assert [path.name for path in (tmp_path / "want").iterdir()] == [wanted.want.name]
        assert wanted.want.name.startswith("b-rs42.")
    assert list((tmp_path / "want").iterdir()) == []


def test_the_want_is_touched_several_times_within_its_life(tmp_path: Path) -> None:
    with demand(tmp_path, lease_seconds=0.6) as wanted:
        before = wanted.want.stat().st_mtime_ns
        time.sleep(0.4)
        assert wanted.want.stat().st_mtime_ns > before


@pytest.mark.parametrize(
    ("told", "share"), [('{"streams": 3}', 3), ('{"streams": 99}', 8), ('{"streams": 0}', 1), ("{", 8)]
)
def test_the_share_is_the_brokers_within_one_and_the_concurrency(tmp_path: Path, told: str, share: int) -> None:
    (tmp_path / "share.json").write_text(told)
    with demand(tmp_path) as wanted:
        assert wanted.share == share


def test_without_a_broker_the_jobs_count_each_other(tmp_path: Path) -> None:
    want = tmp_path / "want"
    want.mkdir()
    for name in ("b-rs43.x.1", "b-rs44.x.2"):
        (want / name).touch()
    (want / "b-rs45.x.3").touch()
    os.utime(want / "b-rs45.x.3", (0, 0))
    with demand(tmp_path, brokered=False) as wanted:
        assert wanted.share == 8 // 3


def test_the_endpoint_is_what_the_broker_published_with_the_key_of_its_file(tmp_path: Path) -> None:
    wanted = demand(tmp_path)
    assert wanted.published() is None
    told = {"url": "http://127.0.0.1:1/v1/", "api_key_file": str(tmp_path / "key"), "generation": 2}
    (tmp_path / "endpoint.json").write_text(json.dumps(told))
    assert wanted.published() is None
    (tmp_path / "key").write_text("secret\n")
    assert wanted.published() == Endpoint("http://127.0.0.1:1/v1", "secret", 2)


def test_a_failure_for_good_is_told_in_the_servers_words(tmp_path: Path) -> None:
    wanted = demand(tmp_path)
    wanted.check()
    (tmp_path / "failed").write_text("no GPU\n")
    with pytest.raises(RunError, match="the server has failed for good: no GPU"):
        wanted.check()
    demand(tmp_path, brokered=False).check()


def test_a_lease_is_stale_when_it_stops_changing_whatever_its_time_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    lease = tmp_path / "lease"
    lease.touch()
    (tmp_path / "want").mkdir()
    wanted = demand(tmp_path, lease_seconds=12.0)
    for seconds in (2.5e9, 3e8, 2.5e9, 3e8):  # far ahead, far behind
        os.utime(lease, (seconds, seconds))
        now[0] += 10
        wanted.beat()
        wanted.check()
    now[0] += 13
    wanted.beat()
    with pytest.raises(RunError, match="lease: unchanged for 12 s: the driver of this run is gone"):
        wanted.check()


def test_a_job_stops_when_another_run_takes_the_folder(tmp_path: Path) -> None:
    lease = tmp_path / "lease"
    lease.write_text("run one")
    with demand(tmp_path) as wanted:
        lease.touch()
        wanted.beat()
        wanted.check()
        lease.write_text("run two")
        wanted.beat()
        with pytest.raises(RunError, match="lease: another run has taken this folder"):
            wanted.check()


def test_what_is_waited_for_is_told_in_the_brokers_words(tmp_path: Path) -> None:
    assert demand(tmp_path).awaited() == "no server has been published"
    line = "server m: PENDING (Resources), 3 seeds waiting 12 min"
    (tmp_path / "status.json").write_text(json.dumps({"line": line}))
    assert demand(tmp_path).awaited() == line
    (tmp_path / "status.json").write_text(json.dumps({"line": ""}))
    assert demand(tmp_path).awaited() == "no server has been published"


def test_what_all_jobs_of_the_model_have_received_is_summed(tmp_path: Path) -> None:
    (tmp_path / "progress").mkdir()
    for seed, tokens in ((42, 5), (43, 7)):
        (tmp_path / f"progress/b-rs{seed}.json").write_text(json.dumps({"tokens": tokens}))
    (tmp_path / "progress/b-rs44.json").write_text("{")
    with demand(tmp_path) as wanted:
        assert wanted.answered == 12
