"""What the cluster takes away is replaced, through Snakemake: servers, the nodes and the time of seeds, slurmctld."""

import signal
import time

import pytest

from tests.slurm.workflow_place import PROBLEMS, SLOW, WorkflowPlace


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "pause"), [("TIMEOUT", "6"), ("NODE_FAIL", "6"), ("PREEMPTED", "2"), ("CANCELLED", "0.4")]
)
def test_a_lost_server_is_replaced_and_no_finished_sample_is_made_again(
    flow: WorkflowPlace, how: str, pause: str
) -> None:
    limit = {"runtime": 1} if how == "TIMEOUT" else {}
    flow.write(("--token-delay", pause), placement=limit, servers={"max_restarts": 0})
    flow.snakemake()
    flow.until_asked(2 * 2, 120)  # the first two samples are in the store
    lost = flow.server_job()
    if how == "CANCELLED":
        flow.cluster.run("scancel", lost.number)
    elif how == "PREEMPTED":
        words = ["-p", "urgent", "-N3", "--exclusive", "--output=/dev/null", "--wrap=sleep 3"]
        flow.cluster.run("sbatch", *words)
    elif how == "NODE_FAIL":
        flow.cluster.kill(f"slurmd-{lost.nodes}", signal.SIGKILL)
    try:
        assert flow.finish(280) == 0, flow.said()
    finally:
        if how == "NODE_FAIL":
            flow.cluster.start_node(lost.nodes)
            flow.until(lambda: lost.nodes in flow.cluster.sinfo("idle"), "the node's return", 60)
    assert flow.complete()
    assert [start["state"] for start in flow.record()["starts"]] == [how, "COMPLETED"]
    assert flow.again() <= 2  # what was under way in each of the two seeds
    idle = flow.record()["server_idle_seconds"]
    print(f"{how}: {flow.again()} samples asked again, server_idle_seconds {idle}")
    assert idle < 10


def test_a_restart_of_slurmctld_in_the_middle_is_survived(flow: WorkflowPlace) -> None:
    flow.write(SLOW)
    flow.snakemake()
    flow.until_asked(2)
    flow.cluster.kill("slurmctld")
    time.sleep(5)
    flow.cluster.start_controller()
    assert flow.finish(180) == 0, flow.said()
    assert flow.complete()
    print(f"slurmctld restarted: server_idle_seconds {flow.record()['server_idle_seconds']}")


def test_a_seed_in_the_servers_allocation_goes_on_in_the_next_one(flow: WorkflowPlace) -> None:
    flow.write(SLOW, seeds={"placement": "server"}, profile={"local-cores": 4})
    flow.snakemake()
    flow.until_asked(4)
    flow.cluster.run("scancel", flow.server_job().number)
    assert flow.finish() == 0, flow.said()
    assert flow.complete()
    assert flow.asked() <= 2 * PROBLEMS + 4


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
    print(f"a seed's limit: server_idle_seconds {flow.record()['server_idle_seconds']}")


@pytest.mark.slow
def test_a_seed_whose_node_dies_is_submitted_again_and_goes_on_from_its_store(flow: WorkflowPlace) -> None:
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
    assert flow.again() <= 2
    assert flow.results("metrics.json").exists()
    print(f"a seed's node: server_idle_seconds {flow.record()['server_idle_seconds']}")


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
    log = flow.folder / "logs/generate/m/tiny-rs42.log"
    flow.until(lambda: "waiting for the server (server m: PENDING (" in log.read_text(), "what it waits for", 30)
    assert flow.finish(290) == 0, flow.said()
    number = flow.said().split("submitted with SLURM jobid ")[1].split()[0]
    assert "Restarts=1" in flow.cluster.run("scontrol", "show", "job", number)
    assert "Error in rule" not in flow.said()
    assert flow.results("metrics.json").exists()
