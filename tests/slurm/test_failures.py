"""What fails or is killed, through Snakemake: the run says so, keeps what is finished and leaves nothing behind."""

import os
import signal

import pytest

from tests.slurm.workflow_place import PROBLEMS, SLOW, WorkflowPlace


@pytest.mark.parametrize("where", ["partition", "server"])
def test_one_seed_that_crashes_is_named_and_the_others_are_kept(flow: WorkflowPlace, where: str) -> None:
    flow.write(seeds={"placement": where}, profile={"local-cores": 4})
    (flow.folder / "store/m/tiny/rs43.jsonl").mkdir(parents=True)
    flow.snakemake()
    assert flow.finish(180) != 0
    assert flow.results("output-rs42.jsonl").exists()
    assert not flow.results("output-rs43.jsonl").exists()
    assert not flow.results("metrics.json").exists()
    assert "INVALID" in flow.said()
    assert "43" in flow.said().split("INVALID")[1]
    print(f"one seed crashes: server_idle_seconds {flow.record()['server_idle_seconds']}")
    assert flow.empty(10) < 10


def test_all_seeds_that_crash_at_start_leave_no_metrics_and_one_common_reason(flow: WorkflowPlace) -> None:
    flow.write(profile={"retries": 0})
    (flow.folder / "store").write_text("no folder")
    flow.snakemake()
    assert flow.finish(180) != 0
    assert list(flow.results("").glob("metrics*")) == []
    assert "INVALID: seeds 42, 43 missing: logs/generate/m/tiny-rs42.log: " in flow.said(), flow.said()[-2000:]
    assert flow.said().split("INVALID")[1].count("store") == 1
    assert flow.empty(10) < 10


@pytest.mark.parametrize(
    ("words", "said", "where"),
    [
        (("--die-at-load", "3"), "cannot allocate 96 GB for the weights", "partition"),
        (("--die-after", "1", "--token-delay", "9"), "worker fell over", "local"),
    ],
)
def test_a_server_that_crashes_every_time_ends_the_run_with_its_own_last_lines(
    flow: WorkflowPlace, words: tuple[str, ...], said: str, where: str
) -> None:
    flow.write(words, profile={"retries": 0}, servers={"max_restarts": 1}, seeds={"placement": where})
    flow.snakemake()
    assert flow.finish(120) != 0
    assert flow.log().count("want it") == 2
    assert not flow.results("metrics.json").exists()
    assert said in (flow.folder / "logs/generate/m/tiny-rs42.log").read_text()
    assert said in flow.said()
    assert flow.empty(10) < 10


def test_a_server_that_is_never_ready_ends_the_run(flow: WorkflowPlace) -> None:
    flow.write(("--load", "99"), profile={"retries": 0}, servers={"max_restarts": 0})
    text = (flow.files / "stub.yaml").read_text().replace("timeout: 30", "timeout: 3")
    (flow.files / "stub.yaml").write_text(text)
    flow.snakemake()
    assert flow.finish(120) != 0
    assert "not ready after 3 s" in flow.said()


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
