"""The whole workflow on a real Slurm: server on GPU nodes, seeds on CPU nodes, and whatever breaks."""

import json
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.slurm.cluster import Cluster
from tests.slurm.workflow_place import PROBLEMS, WorkflowPlace

SLOW = ("--token-delay", "0.4")  # an answer of four words takes a second and a half


@pytest.fixture
def flow(cluster: Cluster, tmp_path: Path) -> Iterator[WorkflowPlace]:
    """A place for a whole run; after the test nothing of it is in the queue."""
    place = WorkflowPlace(tmp_path / "work", cluster)
    yield place
    place.end()


def test_server_on_gpu_nodes_and_seeds_on_cpu_nodes_to_metrics(flow: WorkflowPlace) -> None:
    flow.write(SLOW)
    flow.snakemake()
    flow.until_asked(1)
    partitions = {job.comment or job.name.split("-")[0]: job.partition for job in flow.jobs()}
    assert partitions == {
        "server_m": "gb200",
        "rule_generate_wildcards_m_tiny_42": "cpu",
        "rule_generate_wildcards_m_tiny_43": "cpu",
    }
    assert flow.finish() == 0, flow.said()
    assert flow.complete()
    assert flow.jobs() == []
    assert flow.asked() == 2 * PROBLEMS
    assert "COMPLETE 2×3" in flow.said()
    assert flow.log().count(": start 1 as") == 1
    assert "its last seed is done" in flow.log()
    assert flow.record()["server_idle_seconds"] < 5


def test_rescoring_submits_nothing(flow: WorkflowPlace) -> None:
    flow.write()
    flow.snakemake()
    assert flow.finish() == 0, flow.said()
    before = flow.submitted()
    flow.results("metrics-regex.json").unlink()
    flow.snakemake()
    assert flow.finish() == 0, flow.said()
    assert "rule rescore" in flow.said()
    assert flow.submitted() == before


def test_one_seed_that_crashes_is_named_and_the_others_are_kept(flow: WorkflowPlace) -> None:
    flow.write()
    (flow.folder / "store/m/tiny/rs43.jsonl").mkdir(parents=True)
    flow.snakemake()
    assert flow.finish(180) != 0
    assert flow.results("output-rs42.jsonl").exists()
    assert not flow.results("output-rs43.jsonl").exists()
    assert not flow.results("metrics.json").exists()
    assert "INVALID" in flow.said()
    assert "43" in flow.said().split("INVALID")[1]
    assert flow.empty(10) < 10


def test_all_seeds_that_crash_at_start_leave_no_metrics_and_one_common_reason(flow: WorkflowPlace) -> None:
    flow.write(profile={"retries": 0})
    (flow.folder / "store").write_text("no folder")
    flow.snakemake()
    assert flow.finish(180) != 0
    assert list(flow.results("").glob("metrics*")) == []
    verdict = flow.said().split("INVALID")[1]
    assert "42" in verdict
    assert "43" in verdict
    assert flow.empty(10) < 10


def test_a_server_that_crashes_at_load_ends_the_run_with_its_own_last_lines(flow: WorkflowPlace) -> None:
    flow.write(("--die-at-load", "3"), profile={"retries": 0}, servers={"max_restarts": 1})
    flow.snakemake()
    assert flow.finish(120) != 0
    assert flow.log().count("want it") == 2
    assert not flow.results("metrics.json").exists()
    assert "cannot allocate 96 GB for the weights" in (flow.folder / "logs/generate/m/tiny-rs42.log").read_text()
    assert "cannot allocate 96 GB for the weights" in flow.said()
    assert flow.empty(10) < 10


def test_a_server_that_is_never_ready_ends_the_run(flow: WorkflowPlace) -> None:
    flow.write(("--load", "99"), profile={"retries": 0}, servers={"max_restarts": 0})
    text = (flow.files / "stub.yaml").read_text().replace("timeout: 30", "timeout: 3")
    (flow.files / "stub.yaml").write_text(text)
    flow.snakemake()
    assert flow.finish(120) != 0
    assert "not ready after 3 s" in flow.said()


def test_a_cancelled_server_is_replaced_and_no_finished_sample_is_made_again(flow: WorkflowPlace) -> None:
    flow.write(SLOW)
    flow.snakemake()
    flow.until_asked(4)
    flow.cluster.run("scancel", flow.server_job().number)
    assert flow.finish() == 0, flow.said()
    assert flow.complete()
    assert [start["state"] for start in flow.record()["starts"]] == ["CANCELLED", "COMPLETED"]
    assert 2 * PROBLEMS < flow.asked() <= 2 * PROBLEMS + 2


@pytest.mark.parametrize("how", ["ctrl-c", "sigterm", "kill driver", "kill broker", "kill both"])
def test_an_interrupted_run_leaves_nothing_in_the_queue_and_the_next_goes_on(flow: WorkflowPlace, how: str) -> None:
    flow.write(SLOW)
    run = flow.snakemake()
    flow.until_asked(4)
    broker = flow.broker()
    if how in ("ctrl-c", "sigterm"):
        os.kill(run.pid, signal.SIGINT if how == "ctrl-c" else signal.SIGTERM)
    if how in ("kill driver", "kill both"):
        os.kill(run.pid, signal.SIGKILL)
    if how in ("kill broker", "kill both"):
        os.kill(broker, signal.SIGKILL)
    left = flow.empty(30)
    assert flow.finish(60) != 0
    print(f"{how}: an empty queue after {left:.1f} s")
    asked = flow.asked()
    flow.snakemake()
    assert flow.finish() == 0, flow.said()
    assert flow.complete()
    assert flow.asked() - asked < 2 * PROBLEMS


def test_a_second_driver_is_refused(flow: WorkflowPlace) -> None:
    flow.write(SLOW)
    first = flow.snakemake()
    flow.until_asked(1)
    first_output = flow.output
    flow.output = flow.files / "second.log"
    flow.snakemake()
    assert flow.finish(60) != 0
    assert "another run holds this folder" in flow.said()
    flow.run, flow.output = first, first_output
    assert flow.finish() == 0, flow.said()


def test_a_restart_of_slurmctld_in_the_middle_is_survived(flow: WorkflowPlace) -> None:
    flow.write(SLOW)
    flow.snakemake()
    flow.until_asked(2)
    flow.cluster.kill("slurmctld")
    time.sleep(5)
    flow.cluster.start_controller()
    assert flow.finish(180) == 0, flow.said()
    assert flow.complete()


@pytest.mark.parametrize("jobs", ["1", "20"])
def test_two_models_and_one_server_are_exactly_two_starts(flow: WorkflowPlace, jobs: str) -> None:
    flow.write(models=("first", "second"))
    flow.snakemake("--jobs", jobs)
    assert flow.finish(240) == 0, flow.said()
    starts = [line for line in flow.log().splitlines() if ": start " in line]
    assert len(starts) == 2, flow.log()
    assert " first: " in starts[0]
    assert " second: " in starts[1]
    assert flow.results("metrics.json", "second").exists()


@pytest.mark.parametrize("where", ["server", "local"])
def test_seeds_without_a_partition_of_their_own(flow: WorkflowPlace, where: str) -> None:
    flow.write(SLOW, seeds={"placement": where}, profile={"local-cores": 4})
    flow.snakemake()
    flow.until_asked(1)
    assert [job.partition for job in flow.jobs()] == ["gb200"]
    job = flow.server_job().number
    steps = flow.cluster.run("squeue", "--steps", "--noheader", "--format=%i %j").splitlines()
    seeds = [line for line in steps if line.startswith(f"{job}.") and line.endswith("seed")]
    assert len(seeds) == (2 if where == "server" else 0), steps
    assert flow.finish() == 0, flow.said()
    assert flow.complete()
    assert flow.jobs() == []


def test_a_seed_in_the_servers_allocation_goes_on_in_the_next_one(flow: WorkflowPlace) -> None:
    flow.write(SLOW, seeds={"placement": "server"}, profile={"local-cores": 4})
    flow.snakemake()
    flow.until_asked(4)
    flow.cluster.run("scancel", flow.server_job().number)
    assert flow.finish() == 0, flow.said()
    assert flow.complete()
    assert flow.asked() <= 2 * PROBLEMS + 4


def test_a_config_edited_meanwhile_changes_nothing_or_stops_the_run(flow: WorkflowPlace) -> None:
    flow.write(SLOW)
    flow.snakemake()
    flow.until(lambda: (flow.folder / "run/m/client.json").exists(), "the snapshot", 30)
    text = (flow.files / "config.yaml").read_text()
    (flow.files / "config.yaml").write_text(text.replace("temperature: 1.0", "temperature: 0.5"))
    code = flow.finish(180)
    logs = "".join(log.read_text() for log in (flow.folder / "logs/generate/m").glob("*.log"))
    if code == 0:
        record = json.loads(flow.results("output-rs42.jsonl").read_text().splitlines()[0])
        assert record["seedbed"]["status"] == "ok"
        assert "temperature: 1.0" in (flow.folder / "results/config.yaml").read_text()
    else:
        assert "config changed during the run" in logs + flow.said()
        assert not flow.results("metrics.json").exists()


@pytest.mark.slow
def test_a_seed_at_its_time_limit_is_submitted_again_and_goes_on_from_its_store(flow: WorkflowPlace) -> None:
    resources = {"slurm_partition": "cpu", "runtime": 1, "mem_mb": 100}
    flow.write(("--token-delay", "5"), profile={"default-resources": resources}, seeds={"count": 1})
    flow.concurrency(1)
    flow.snakemake()
    assert flow.finish(280) == 0, flow.said()
    assert "TIMEOUT" in flow.said()
    assert flow.asked() <= 2 * PROBLEMS
    assert flow.results("metrics.json").exists()


@pytest.mark.slow
def test_a_seed_whose_node_dies_is_submitted_again(flow: WorkflowPlace) -> None:
    flow.write(("--token-delay", "3"), seeds={"count": 1})
    flow.snakemake()
    flow.until_asked(1)
    node = next(job.nodes for job in flow.jobs() if job.comment.startswith("rule_generate"))
    flow.cluster.kill(f"slurmd-{node}", signal.SIGKILL)
    try:
        assert flow.finish(280) == 0, flow.said()
    finally:
        flow.cluster.start_node(node)
        flow.until(lambda: node in flow.cluster.sinfo("idle"), "the node's return", 60)
    assert flow.results("metrics.json").exists()


@pytest.mark.slow
def test_a_seed_that_nears_its_limit_while_it_waits_goes_back_into_the_queue(flow: WorkflowPlace) -> None:
    resources = {"slurm_partition": "cpu", "runtime": 1, "mem_mb": 100}
    flow.write(profile={"default-resources": resources, "retries": 0}, seeds={"count": 1})
    words = ["-p", "gb200", "-N3", "--exclusive", "--output=/dev/null", "--wrap=sleep 60"]
    flow.cluster.run("sbatch", *words)
    flow.snakemake()
    flow.until(lambda: "PENDING (" in str(flow.note("m", "status.json")), "a waiting server", 40)
    status = flow.note("m", "status.json")
    assert status is not None
    assert status["line"] in [f"server m: PENDING ({why}), 1 seed waiting 0 min" for why in ("Resources", "Priority")]
    assert flow.finish(290) == 0, flow.said()
    number = flow.said().split("submitted with SLURM jobid ")[1].split()[0]
    assert "Restarts=1" in flow.cluster.run("scontrol", "show", "job", number)
    assert "Error in rule" not in flow.said()
    assert flow.results("metrics.json").exists()


def test_a_failing_submission_of_seeds_says_why(flow: WorkflowPlace) -> None:
    flow.write(profile={"default-resources": {"slurm_partition": "nowhere", "runtime": 5, "mem_mb": 100}, "retries": 0})
    flow.snakemake()
    assert flow.finish(60) != 0
    assert "invalid partition specified: nowhere" in flow.said()
    assert flow.log().count(": start ") == 0


def test_the_placement_is_read_from_the_profile_and_a_change_of_it_runs_nothing(flow: WorkflowPlace) -> None:
    flow.write()
    flow.snakemake()
    assert flow.finish() == 0, flow.said()
    flow.write(placement={"nodes": 2, "runtime": 30})
    before = flow.submitted()
    flow.snakemake()
    assert flow.finish() == 0, flow.said()
    assert flow.submitted() == before
    shutil.rmtree(flow.folder / "store")
    flow.results("output-rs42.jsonl").unlink()
    flow.snakemake()
    flow.until(lambda: any(job.partition == "gb200" for job in flow.jobs()), "the server's job", 30)
    told = flow.cluster.run("scontrol", "show", "job", flow.server_job().number)
    assert "NumNodes=2" in told
    assert "TimeLimit=00:30:00" in told
    assert flow.finish() == 0, flow.said()


def test_the_real_model_from_its_wheel_to_metrics(flow: WorkflowPlace) -> None:
    flow.write(seeds={"count": 1}, sampling={"temperature": 0.7, "max_tokens": 8})
    config = flow.files / "config.yaml"
    config.write_text(config.read_text().replace(str(flow.files / "stub.yaml"), "smollm2-local"))
    flow.snakemake()
    assert flow.finish(240) == 0, flow.said()
    rows = [json.loads(line) for line in flow.results("output-rs42.jsonl").read_text().splitlines()]
    assert len(rows) == PROBLEMS
    assert all(0 < row["num_generated_tokens"] <= 8 for row in rows)
    start = flow.record()["starts"][0]
    print(f"sbatch to first token {start['ready'] - start['started']:.1f} s")
    assert start["ready"] - start["started"] < 60


def test_a_full_queue_is_waited_for_or_told(tmp_path: Path) -> None:
    base = Path(tempfile.mkdtemp(prefix="sb-", dir="/tmp"))
    small = Cluster(base, gpu_nodes=1, cpu_nodes=1, max_jobs=4, job_age=60)
    flow = WorkflowPlace(tmp_path / "work", small)
    try:
        small.start()
        for _ in range(3):
            small.run("sbatch", "--output=/dev/null", "--wrap=sleep 25")
        flow.write(profile={"retries": 0})
        flow.snakemake()
        code = flow.finish(280)
        assert (code == 0) == flow.results("metrics.json").exists()
        assert code == 0 or "temporarily unable to accept job" in flow.said()
        flow.end()
    finally:
        small.stop()
        shutil.rmtree(base, ignore_errors=True)
