"""Clusters that answer oddly. Where a real Slurm cannot be made to, a stand-in on PATH does: each test says so."""

import time
from pathlib import Path

import pytest

from tests.serving.workplace import stub_server
from tests.slurm.workflow_place import PROBLEMS, SLOW, WorkflowPlace
from tests.slurm.workplace import PLACEMENT, SlurmPlace


def test_an_sbatch_that_says_more_and_a_squeue_that_fails_for_a_while_are_survived(flow: WorkflowPlace) -> None:
    """Stand-ins for both commands: sbatch greets, squeue fails while a file is there."""
    silent = flow.files / "silent"
    flow.stand_in("sbatch", 'echo "sbatch: see the notes of the site"; echo "hello" >&2; exec $REAL "$@"')
    flow.stand_in("squeue", f'if [ -e {silent} ]; then echo "Socket timed out" >&2; exit 1; fi; exec $REAL "$@"')
    flow.write(SLOW)
    flow.snakemake()
    flow.until_asked(2)
    silent.touch()
    flow.until(lambda: "does not answer" in flow.told() or flow.asked() == 2 * PROBLEMS, "the silence", 30)
    time.sleep(8)  # several looks, all in vain
    silent.unlink()
    assert flow.finish(120) == 0, flow.said()
    assert flow.complete()
    assert flow.log().count(": start ") == 1


def test_a_failed_seed_that_slurm_calls_completed_is_no_success(flow: WorkflowPlace) -> None:
    """A stand-in for squeue tells COMPLETED where Slurm says FAILED."""
    flow.stand_in("squeue", """$REAL "$@" | sed 's/|FAILED/|COMPLETED/'""")
    flow.write(profile={"retries": 0, "latency-wait": 2})
    (flow.folder / "store/m/tiny/rs43.jsonl").mkdir(parents=True)
    flow.snakemake()
    assert flow.finish(120) != 0
    assert "seed 43 missing" in flow.said()
    assert not flow.results("metrics.json").exists()


@pytest.mark.parametrize("slow", ["sbatch", "squeue"])
def test_nothing_is_left_when_all_are_killed_while_slurm_is_slow(place: SlurmPlace, slow: str) -> None:
    """Stand-ins: an sbatch that takes five seconds, or a squeue that fails for the first ten."""
    gone = place.folder.parent / "gone"
    if slow == "sbatch":
        place.stand_in("sbatch", f'touch {gone}; sleep 5; exec $REAL "$@"')
    else:
        place.stand_in("squeue", f'if [ -e {gone} ]; then echo "Socket timed out" >&2; exit 1; fi; exec $REAL "$@"')
    place.begin(stub_server())
    if slow == "sbatch":
        place.until(gone.exists, "a submission", 20, ["m"])
    else:
        place.endpoint("m")
        words = ["sbatch", "-D", str(place.folder), "--comment=rule_generate_wildcards_m", "--output=/dev/null"]
        place.cluster.run(*words, "--wrap=sleep 99")
        gone.touch()
    assert place.driver is not None
    place.kill(place.driver.pid, place.process("serving.broker.broker"))
    began = time.monotonic()
    place.until(lambda: time.monotonic() - began > 10, "ten seconds")
    gone.unlink()
    assert place.empty(30) < 30
    place.until(lambda: place.family() == [], "the guard's end", 30)
    assert place.jobs() == []


def test_seeds_as_a_job_array_wait_their_turn(flow: WorkflowPlace) -> None:
    resources = {"server": PLACEMENT, "generate": {"cpus_per_task": 40}}  # one a node: the third waits for the others
    profile = {"slurm-array-jobs": "all", "set-resources": resources, "retries": 0}
    flow.write(("--token-delay", "1.2"), seeds={"count": 3}, profile=profile)
    flow.snakemake()
    assert flow.finish(180) == 0, flow.said()
    assert "array" in flow.said()
    assert flow.again() == 0
    assert flow.results("metrics.json").exists()


def test_names_with_odd_characters_and_a_neighbour_on_the_same_cluster(place: SlurmPlace, tmp_path: Path) -> None:
    odd = SlurmPlace(tmp_path / "it's a & new", place.cluster)
    try:
        place.begin(stub_server())
        odd.begin(
            stub_server(), {"slurm_extra": "--requeue --job-name=mine '--comment=a|b c'", "slurm_partition": "gb200"}
        )
        names = ["sbatch", "--output=/dev/null", "--job-name=a|b\nc|rule_x", "--wrap=sleep 60"]
        stranger = place.cluster.run(names[0], "--parsable", *names[1:]).strip()
        place.endpoint("m")
        odd.endpoint("m")
        assert (odd.folder / "logs/server/m-1.log").exists()
        assert odd.server_job().comment == "server_m"
        assert "Requeue=0" in place.cluster.run("scontrol", "show", "job", odd.server_job().number)
        assert odd.driver is not None
        odd.kill(odd.driver.pid, odd.process("serving.broker.broker"))
        assert odd.empty(30) < 30
        assert place.server_job().state == "RUNNING"
        assert place.cluster.run("squeue", "--noheader", f"--jobs={stranger}", "--format=%T").strip() == "RUNNING"
        place.cluster.run("scancel", stranger)
    finally:
        odd.end()


def test_a_server_script_that_cannot_be_written_is_tried_again(place: SlurmPlace) -> None:
    place.begin(stub_server())
    script = place.folder / "run/m/attempt-1.sbatch"
    script.mkdir()
    place.until(lambda: "start refused: run/m/attempt-1.sbatch: Is a directory" in place.log(), "the reason", 20, ["m"])
    script.rmdir()
    assert place.endpoint("m", 60)["generation"] == 1
