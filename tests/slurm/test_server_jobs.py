"""Servers as jobs of a real Slurm: what happens to them, and what the broker makes of it."""

import signal
import subprocess
import time
from pathlib import Path

import pytest
import yaml

from tests.serving.workplace import ROOT, Workplace, stub_server
from tests.slurm.cluster import Cluster
from tests.slurm.workplace import SlurmPlace


def key_of(place: Workplace, endpoint: dict[str, str]) -> str:
    """Return the key that guards an endpoint."""
    return (place.folder / endpoint["api_key_file"]).read_text()


def test_a_server_is_a_job_of_the_placement_and_ends_with_its_last_want(place: SlurmPlace) -> None:
    place.environment["HUB_TOKEN"] = "by name"
    place.environment["UNRELATED"] = "stays here"
    place.begin(stub_server(secrets=["HUB_TOKEN"], environment={"STUB_WORD": "a word"}), {"nodes": 2})
    endpoint = place.endpoint("m")
    job = place.server_job()
    assert job.partition == "gb200"
    assert job.name.startswith("seedbed-m-")
    told = place.cluster.run("scontrol", "show", "job", job.number)
    assert "NumNodes=2" in told
    assert "TimeLimit=00:10:00" in told
    assert "Requeue=0" in told
    seen = Path(f"/proc/{place.process('stub_model')}/environ").read_text()
    assert "HUB_TOKEN=by name" in seen
    assert "UNRELATED" not in seen
    assert "a word" in (place.folder / "logs/server/m-1-stub.log").read_text()
    assert endpoint["url"].startswith("http://127.0.0.1:")
    place.leave("m")
    place.until(lambda: "is gone" in place.log(), "the job's end", 20)
    assert place.empty() < 5
    assert 2 < place.record()["server_idle_seconds"] < 15


def test_the_real_model_serves_from_a_job(place: SlurmPlace, real_model: Path) -> None:
    (place.folder / "resources/models").mkdir(parents=True)
    (place.folder / "resources/models" / real_model.name).symlink_to(real_model)
    began = time.monotonic()
    place.begin(yaml.safe_load((ROOT / "config/servers/smollm2-local.yaml").read_text()))
    place.endpoint("m", 60)
    print(f"sbatch to first token {time.monotonic() - began:.1f} s")
    began = time.monotonic()
    place.stop()
    print(f"stop to an empty queue {time.monotonic() - began:.1f} s")
    assert place.jobs() == []


def test_a_waiting_server_says_why(place: SlurmPlace) -> None:
    blocker = place.cluster.run(
        "sbatch", "--parsable", "-p", "gb200", "-N3", "--exclusive", "--output=/dev/null", "--wrap=sleep 99"
    ).strip()
    place.begin(stub_server())
    line = "server m: PENDING (Resources), 2 seeds waiting 0 min"

    def told() -> bool:
        place.want("m", "b")
        return (place.note("m", "status.json") or {}).get("line") in (line, line.replace("Resources", "Priority"))

    place.until(told, "the status line", 20, ["m"])
    place.leave("m")
    place.until(lambda: not [job for job in place.jobs() if job.name.startswith("seedbed")], "cancelled", 60)
    place.cluster.run("scancel", blocker)


@pytest.mark.parametrize("how", ["scancel", "urgent"])
def test_a_server_that_the_cluster_takes_away_is_replaced(place: SlurmPlace, how: str) -> None:
    place.begin(stub_server(), {"nodes": 3}, max_restarts=0)
    place.endpoint("m")
    job = place.server_job()
    if how == "scancel":
        place.cluster.run("scancel", job.number)
    else:
        words = ["-p", "urgent", "-N3", "--exclusive", "--output=/dev/null", "--wrap=sleep 3"]
        urgent = place.cluster.run("sbatch", "--parsable", *words).strip()
    place.until(lambda: place.note("m", "endpoint.json") is None, "loss noticed", 30, ["m"])
    assert place.endpoint("m", 120)["generation"] == 2
    assert place.server_job().number != job.number
    ends = [start.get("state") for start in place.record()["starts"]]
    assert ends == [{"scancel": "CANCELLED", "urgent": "PREEMPTED"}[how], None]
    if how == "urgent":
        place.until(lambda: urgent not in {one.number for one in place.cluster.squeue()}, "urgent job's end", 20)


@pytest.mark.slow
def test_a_server_at_its_time_limit_is_replaced(place: SlurmPlace) -> None:
    place.begin(stub_server(), {"runtime": 1}, max_restarts=0)
    place.endpoint("m")
    place.until(lambda: (place.note("m", "endpoint.json") or {}).get("generation") == 2, "a new server", 180, ["m"])
    assert place.record()["starts"][0]["state"] == "TIMEOUT"


@pytest.mark.slow
def test_a_server_whose_node_dies_is_replaced(place: SlurmPlace) -> None:
    place.begin(stub_server(), max_restarts=0)
    place.endpoint("m")
    node = place.server_job().nodes
    place.cluster.kill(f"slurmd-{node}", signal.SIGKILL)
    try:
        place.until(lambda: (place.note("m", "endpoint.json") or {}).get("generation") == 2, "replaced", 120, ["m"])
        assert place.server_job().nodes != node
        assert place.record()["starts"][0]["state"] == "NODE_FAIL"
    finally:
        place.cluster.start_node(node)
        place.until(lambda: node in place.cluster.sinfo("idle"), "the node's return", 60)


def test_a_server_that_crashes_every_time_is_given_up_with_its_own_last_lines(place: SlurmPlace) -> None:
    place.begin(stub_server("--die-at-load", "3"), max_restarts=1)
    place.until(lambda: place.failed("m"), "given up", 60, ["m"])
    assert "cannot allocate 96 GB for the weights" in place.failed("m")
    assert "FAILED" in place.failed("m")
    assert place.log().count("want it") == 2
    place.empty()


@pytest.mark.parametrize("killed", [["driver"], ["broker"], ["driver", "broker"]])
@pytest.mark.parametrize("state", ["RUNNING", "PENDING"])
def test_nothing_is_left_in_the_queue_when_driver_or_broker_are_killed(
    place: SlurmPlace, killed: list[str], state: str
) -> None:
    if state == "PENDING":
        words = ["-p", "gb200", "-N3", "--exclusive", "--output=/dev/null", "--wrap=sleep 99"]
        blocker = place.cluster.run("sbatch", "--parsable", *words).strip()
        place.until(lambda: len(place.cluster.sinfo("alloc")) == 3, "full nodes", 20)
        place.begin(stub_server())
        place.until(lambda: [job for job in place.jobs() if job.state == "PENDING"], "a waiting job", 20, ["m"])
    else:
        place.begin(stub_server())
        place.endpoint("m")
    assert place.driver is not None
    pids = {"driver": place.driver.pid, "broker": place.process("serving.broker.broker")}
    seed = place.cluster.run(
        "sbatch",
        "--parsable",
        "-D",
        str(place.folder),
        "--comment=rule_generate_wildcards_m",
        "--output=/dev/null",
        "--wrap=sleep 99",
    ).strip()
    assert seed in {job.number for job in place.jobs()}
    place.kill(*(pids[name] for name in killed))
    assert place.empty(30) < 30
    if state == "PENDING":
        place.cluster.run("scancel", blocker)


def test_the_lease_ends_a_server_that_no_guard_can_cancel(place: SlurmPlace) -> None:
    place.begin(stub_server())
    place.endpoint("m")
    assert place.driver is not None
    place.kill(place.process("serving.broker.guard"), place.process("serving.broker.broker"), place.driver.pid)
    assert 5 < place.empty(30) < 30
    assert "driver and broker are gone" in (place.folder / "logs/server/m-1.log").read_text()


def test_a_restart_of_slurmctld_changes_nothing(place: SlurmPlace) -> None:
    place.begin(stub_server())
    place.endpoint("m")
    place.cluster.kill("slurmctld")
    back = time.monotonic() + 8
    place.until(lambda: time.monotonic() > back, "eight seconds without it", 30, ["m"])
    place.cluster.start_controller()
    place.until(lambda: place.cluster.sinfo("mix") or place.cluster.sinfo("alloc"), "slurmctld", 30, ["m"])
    assert place.endpoint("m")["generation"] == 1
    place.stop()
    place.empty(30)


def test_a_server_wanted_while_slurmctld_is_down_starts_when_it_is_back(place: SlurmPlace) -> None:
    place.begin(stub_server())
    place.cluster.kill("slurmctld")
    try:
        place.until(lambda: "start refused" in place.log(), "a word", 60, ["m"])
        assert "slurm" in place.log()
        assert place.failed("m") == ""
    finally:
        place.cluster.start_controller()
    assert place.endpoint("m", 90)["generation"] == 1


def test_a_partition_that_is_down_is_waited_for_with_the_reason(place: SlurmPlace) -> None:
    place.cluster.run("scontrol", "update", "partition=gb200", "state=down")
    try:
        place.begin(stub_server())
        place.until(lambda: "PartitionDown" in str(place.note("m", "status.json")), "the reason", 30, ["m"])
    finally:
        place.cluster.run("scontrol", "update", "partition=gb200", "state=up")
    assert place.endpoint("m", 60)["generation"] == 1


def test_an_inactive_partition_is_waited_for_with_the_reason(place: SlurmPlace) -> None:
    place.cluster.run("scontrol", "update", "partition=gb200", "state=inactive")
    try:
        place.begin(stub_server())
        place.until(lambda: "inactive or drain" in str(place.note("m", "status.json")), "the reason", 30, ["m"])
        assert place.failed("m") == ""
    finally:
        place.cluster.run("scontrol", "update", "partition=gb200", "state=up")


def test_a_partition_that_is_none_is_told_and_not_tried_again(place: SlurmPlace) -> None:
    place.begin(stub_server(), {"slurm_partition": "gb999"})
    place.until(lambda: "invalid partition specified: gb999" in place.failed("m"), "the reason", 30, ["m"])
    assert place.log().count("start refused") == 1


def test_more_nodes_than_the_partition_has_stay_pending_with_the_reason(place: SlurmPlace) -> None:
    place.begin(stub_server(), {"nodes": 9})
    place.until(lambda: "PartitionNodeLimit" in str(place.note("m", "status.json")), "the reason", 30, ["m"])
    place.stop()
    place.empty(5)


@pytest.mark.xdist_group("accounting")  # one cluster with slurmdbd for all of them
@pytest.mark.slow
def test_a_wrong_account_is_told_and_not_tried_again(accounting_cluster: Cluster, tmp_path: Path) -> None:
    place = SlurmPlace(tmp_path / "work", accounting_cluster)
    try:
        place.begin(stub_server(), {"slurm_account": "nobody"})
        place.until(lambda: place.failed("m"), "refusal", 30, ["m"])
        assert "Invalid account" in place.failed("m")
        place.stop()
        place.begin(stub_server(), {"slurm_account": "evals"})
        assert place.endpoint("m", 30)["generation"] == 1
        subprocess.run(["scancel", place.server_job().number], env=accounting_cluster.environment, check=True)
        place.until(lambda: (place.note("m", "endpoint.json") or {}).get("generation") == 2, "replaced", 60, ["m"])
        assert place.record()["starts"][0]["state"] == "CANCELLED"
    finally:
        place.end()
