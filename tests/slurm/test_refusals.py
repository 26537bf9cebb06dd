"""What Slurm refuses or puts off, through Snakemake: the run waits or says why, and never hangs."""

import shutil
import tempfile
import time
from pathlib import Path

import pytest

from tests.slurm.cluster import Cluster
from tests.slurm.workflow_place import PROFILE, WorkflowPlace


def test_a_failing_submission_of_seeds_says_why(flow: WorkflowPlace) -> None:
    flow.write(profile={"default-resources": {"slurm_partition": "nowhere", "runtime": 5, "mem_mb": 100}, "retries": 0})
    flow.snakemake()
    assert flow.finish(60) != 0
    assert "invalid partition specified: nowhere" in flow.said()
    assert flow.log().count(": start ") == 0


@pytest.mark.parametrize("partition", ["cpu", "gb200"])
def test_a_partition_that_is_down_is_waited_for(flow: WorkflowPlace, partition: str) -> None:
    flow.write(seeds={"count": 1})
    flow.cluster.run("scontrol", "update", f"partition={partition}", "state=down")
    try:
        flow.snakemake()
        flow.until(lambda: [job for job in flow.jobs() if job.partition == partition], "a job that waits", 60)
        if partition == "gb200":
            flow.until(lambda: "server m: PENDING (PartitionDown), 1 seed" in flow.told(), "the reason", 30)
        time.sleep(2)
        assert {job.state for job in flow.jobs() if job.partition == partition} == {"PENDING"}
    finally:
        flow.cluster.run("scontrol", "update", f"partition={partition}", "state=up")
    assert flow.finish() == 0, flow.said()
    assert flow.results("metrics.json").exists()


@pytest.mark.xdist_group("accounting")  # one cluster with slurmdbd for all of them
@pytest.mark.slow
@pytest.mark.parametrize("whose", ["server", "seeds"])
def test_a_wrong_account_ends_the_run_with_slurms_words(
    accounting_cluster: Cluster, tmp_path: Path, whose: str
) -> None:
    flow = WorkflowPlace(tmp_path / "work", accounting_cluster)
    accounts = {"server": "evals", "seeds": "evals", whose: "no such account"}
    resources = {**PROFILE["default-resources"], "slurm_account": accounts["seeds"]}
    profile = {"retries": 0, "slurm-no-account": False, "default-resources": resources}
    flow.write(profile=profile, placement={"slurm_account": accounts["server"]}, seeds={"count": 1})
    try:
        flow.snakemake()
        assert flow.finish(120) != 0
        assert ("Invalid account" if whose == "server" else "The given account") in flow.said(), flow.said()
        assert not flow.results("metrics.json").exists()
        assert flow.log().count(": start ") == (whose == "server")
        if whose == "server":  # and with the right one, its state asked of sacct
            flow.write(profile=profile, placement={"slurm_account": "evals"}, seeds={"count": 1})
            flow.snakemake()
            assert flow.finish(120) == 0, flow.said()
            assert flow.results("metrics.json").exists()
    finally:
        flow.end()


@pytest.mark.slow
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


def test_a_slurm_that_forgets_jobs_too_soon_is_told_before_any_job(flow: WorkflowPlace) -> None:
    flow.write(profile={"slurm-init-seconds-before-status-checks": 101})
    flow.snakemake()
    assert flow.finish(60) != 0
    assert "found 101, expected at most 100: this Slurm keeps no accounts and forgets jobs 300 s" in flow.said()
    assert flow.jobs() == []


def test_a_placement_that_sbatch_cannot_take_is_told_before_any_job(flow: WorkflowPlace) -> None:
    flow.write(placement={"slurm_extra": "--comment='x"})
    flow.snakemake()
    assert flow.finish(60) != 0
    assert 'resources of server: slurm_extra: found "--comment=\'x" (No closing quotation)' in flow.said()
    assert "Traceback" not in flow.said()
    assert flow.jobs() == []
