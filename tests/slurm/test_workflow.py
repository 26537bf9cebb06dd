"""The whole workflow on a real Slurm: server on GPU nodes, seeds on CPU nodes, from one command to metrics.

The failure matrix, each row through `snakemake` with a Slurm profile (test_server_jobs.py holds what the broker alone
makes of it, test_odd_clusters.py what clusters may do besides):

| event | test_… of losses, failures, refusals and this file |
|---|---|
| one seed crashes | one_seed_that_crashes_is_named_… |
| all seeds crash at start | all_seeds_that_crash_at_start_leave_no_metrics_… |
| server crashes at load, crashes every time | a_server_that_crashes_every_time_… |
| server never becomes ready | a_server_that_is_never_ready_ends_the_run |
| server preempted, at its limit, node dead, scancel | a_lost_server_is_replaced_… |
| a seed's node dies | a_seed_whose_node_dies_is_submitted_again_… |
| a seed at its time limit | a_seed_at_its_time_limit_is_submitted_again_… |
| a seed nears its limit while it waits | a_seed_that_nears_its_limit_while_it_waits_… |
| Ctrl-C, SIGTERM, kill -9 of driver, broker, both | an_interrupted_run_leaves_nothing_in_the_queue_… |
| slurmctld restarted | a_restart_of_slurmctld_in_the_middle_is_survived |
| submit refused: wrong account, with slurmdbd | a_wrong_account_ends_the_run_with_slurms_words |
| submit refused: partition down, MaxJobCount | a_partition_that_is_down_…, a_full_queue_… |
| config edited while running | a_config_edited_meanwhile_… |
| only rescoring changed | rescoring_submits_nothing |
| 2 models, max_servers 1, --jobs 1 and 20 | two_models_and_one_server_are_exactly_two_starts |
"""

import json
import shutil

import pytest

from tests.slurm.workflow_place import PROBLEMS, SLOW, WorkflowPlace


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
    record = flow.record()
    told = [json.loads(path.read_text()) for path in (flow.folder / "run/m/progress").glob("*.json")]
    last = max(one["updated"] for one in told)
    print(f"sbatch to first token {record['starts'][0]['ready'] - record['starts'][0]['started']:.1f} s")
    print(f"last output to the server's end {record['starts'][0]['ended'] - last:.1f} s")
    print(f"no event: server_idle_seconds {record['server_idle_seconds']}")
    assert record["server_idle_seconds"] < 5


def test_rescoring_submits_nothing(flow: WorkflowPlace) -> None:
    flow.write()
    flow.snakemake()
    assert flow.finish() == 0, flow.said()
    before = flow.submitted()
    flow.results("metrics-regex.json").unlink()
    flow.snakemake(cwd=flow.files)
    assert flow.finish() == 0, flow.said()
    assert "rule rescore" in flow.said()
    assert flow.submitted() == before


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
