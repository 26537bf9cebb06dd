"""A run ended at any moment, by whatever: no process is left, and the next run goes on from the finished samples."""

import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.client.stub_server import Ask, Reply, StubServer
from tests.serving.conftest import real_model
from tests.workflow.conftest import answer
from tests.workflow.workplace import Workplace, benchmark_file, kill_group, server_file

__all__ = ["real_model"]
LEASE = 6


def until(true: Callable[[], bool], seconds: float, what: str) -> None:
    """Wait for something to happen; fails the test if it does not."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"waited {seconds} s in vain for {what}"
        time.sleep(0.05)


def with_llama(folder: Path, model: Path, rows: int = 8) -> Workplace:
    """Return a workplace with the real small model behind a real llama.cpp, two seeds of `rows` problems."""
    config = {
        "models": {"m": {"server": "smollm2-local", "concurrency": 2}},
        "benchmarks": [str(benchmark_file(folder / "own", "sums", rows))],
        "seeds": {"start": 42, "count": 2},
        "sampling": {"temperature": 0.7, "max_tokens": 24},
        "servers": {"lease_seconds": LEASE, "idle_seconds": 1},
    }
    place = Workplace.made(folder / "place", config)
    weights = place.work / "resources" / "models" / model.name
    weights.parent.mkdir(parents=True)
    os.link(model, weights)
    return place


def stored(place: Workplace) -> int:
    """Return how many samples are in the store."""
    return sum(len(path.read_bytes().splitlines()) for path in (place.work / "store").rglob("*.jsonl"))


def named(place: Workplace, words: str) -> list[int]:
    """Return the processes of a workplace whose command line holds `words`."""
    found = []
    for pid in place.processes():
        try:
            line = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if words in line:
            found.append(pid)
    return found


def interrupt(place: Workplace, driver: subprocess.Popen[str]) -> None:
    """Press Ctrl-C: the terminal tells the driver and its jobs, not the broker, which has a session of its own."""
    os.killpg(driver.pid, signal.SIGINT)


def terminate(place: Workplace, driver: subprocess.Popen[str]) -> None:
    """Ask the driver to end."""
    driver.terminate()


def kill_driver(place: Workplace, driver: subprocess.Popen[str]) -> None:
    """Kill the driver alone."""
    driver.kill()


def kill_broker(place: Workplace, driver: subprocess.Popen[str]) -> None:
    """Kill the broker alone."""
    for pid in named(place, "seedbed.serving.broker.broker"):
        os.kill(pid, signal.SIGKILL)


def kill_seed(place: Workplace, driver: subprocess.Popen[str]) -> None:
    """Kill one seed."""
    os.kill(named(place, "-m seedbed generate")[-1], signal.SIGKILL)


def kill_both(place: Workplace, driver: subprocess.Popen[str]) -> None:
    """Kill the driver with its jobs, and the broker."""
    kill_broker(place, driver)
    os.killpg(driver.pid, signal.SIGKILL)


def kill_all(place: Workplace, driver: subprocess.Popen[str]) -> None:
    """Kill every process there is."""
    for pid in place.processes():
        os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize(
    "event",
    [interrupt, terminate, kill_driver, kill_broker, kill_seed, kill_both, kill_all],
    ids=lambda event: event.__name__,
)
def test_nothing_is_left_and_the_next_run_goes_on(tmp_path: Path, real_model: Path, event: Callable[..., None]) -> None:
    place = with_llama(tmp_path, real_model)
    driver = place.start()
    until(lambda: stored(place) >= 3, 60, "three samples")
    event(place, driver)
    code = driver.wait(timeout=60)
    until(lambda: not place.processes(), 4 * LEASE, "every process to end")
    assert code != 0
    kept = stored(place)
    assert kept >= 3
    told = place.module("summary")
    assert told.returncode == 1
    left = "INVALID"
    assert f"sums / m: {left}" in told.stdout
    again = place.run()
    assert again.code == 0, again.text
    assert "sums / m: COMPLETE 2×8" in again.text
    for seed in (42, 43):
        lines = (place.outputs("m", "sums") / f"output-rs{seed}.jsonl").read_text().splitlines()
        assert [json.loads(line)["id"] for line in lines] == [f"sums-{i}" for i in range(8)]
    assert stored(place) == 16
    assert not place.processes()


def test_twenty_kills_of_everything_lose_and_double_nothing(tmp_path: Path) -> None:
    rows = 40

    def behave(ask: Ask) -> Reply:
        return Reply([step for token in answer(ask).steps for step in (token, 0.02)])

    chance = random.Random(7)
    with StubServer(behave) as stub:
        config = {
            "models": {"m": {"endpoint": stub.url, "served_name": "stub", "concurrency": 4}},
            "benchmarks": [str(benchmark_file(tmp_path / "own", "sums", rows))],
            "seeds": {"start": 42, "count": 2},
            "servers": {"lease_seconds": LEASE},
        }
        place = Workplace.made(tmp_path / "place", config)
        for _ in range(20):
            driver = place.start()
            wanted = len(stub.samples) + chance.randrange(1, 6)
            until(lambda: len(stub.samples) >= wanted or driver.poll() is not None, 30, "a sample")  # noqa: B023
            time.sleep(chance.random() * 0.3)
            kill_all(place, driver)
            driver.wait()
        ran = place.run()
    assert ran.code == 0, ran.text
    for seed in (42, 43):
        lines = (place.outputs("m", "sums") / f"output-rs{seed}.jsonl").read_text().splitlines()
        assert [json.loads(line)["id"] for line in lines] == [f"sums-{i}" for i in range(rows)]
    files = (place.work / "store").rglob("*.jsonl")
    keys = [json.loads(line)["key"] for path in files for line in path.read_text().splitlines()]
    assert len(keys) == len(set(keys)) == 2 * rows


def test_a_second_driver_on_the_same_folder_is_refused(tmp_path: Path) -> None:
    own = tmp_path / "own"
    config = {
        "models": {"m": {"server": str(server_file(own, "slow", "--token-delay", "0.5"))}},
        "benchmarks": [str(benchmark_file(own, "sums"))],
        "seeds": {"count": 1},
        "servers": {"lease_seconds": LEASE, "idle_seconds": 1},
    }
    place = Workplace.made(tmp_path / "place", config)
    driver = place.start()
    try:
        until(lambda: named(place, "-m seedbed generate") != [], 30, "a seed")
        before = (place.work / "run" / "m" / "client.json").read_bytes()
        place.config["sampling"] = {"temperature": 0.1}
        second = place.run(timeout=120)
        assert second.code == 1
        assert "another run holds this folder" in second.text
        assert (place.work / "run" / "m" / "client.json").read_bytes() == before
    finally:
        kill_group(driver)
    until(lambda: not place.processes(), 4 * LEASE, "every process to end")


def test_several_runs_in_folders_of_their_own_do_not_meet(tmp_path: Path, stub: StubServer) -> None:
    places = []
    for name in ("left", "right"):
        benchmark = benchmark_file(tmp_path / name / "own", "sums")
        config = {"models": {"m": {"endpoint": stub.url, "served_name": "stub"}}, "benchmarks": [str(benchmark)]}
        places.append(Workplace.made(tmp_path / name / "place", config | {"seeds": {"count": 1}}))
    drivers = [place.start() for place in places]
    assert [driver.wait(timeout=60) for driver in drivers] == [0, 0]
    assert all((place.outputs("m", "sums") / "metrics.json").is_file() for place in places)
