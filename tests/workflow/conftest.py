import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.stub_server import Ask, Reply, StubServer, streamed
from tests.workflow.workplace import Workplace, benchmark_file, server_file


def answer(ask: Ask) -> Reply:
    """Return an answer that differs from seed to seed: boxed for even seeds, in prose for odd ones."""
    total = int(ask.prompt.split("What is ")[1].split(" ")[0]) + 1
    seed = ask.body["seed"]
    said = f"\\boxed{{{total}}}" if seed % 2 == 0 else f"The final answer is {total}."
    return streamed(f"Seed {seed} counts one up. {said}")


@pytest.fixture
def stub() -> Iterator[StubServer]:
    """Return a stand-in for a model server that adds one."""
    with StubServer(answer) as server:
        yield server


@pytest.fixture(scope="session")
def finished_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Workplace, StubServer]]:
    """Return a finished run of 3 models, 2 benchmarks and 4 seeds, and the endpoint behind two of the models."""
    folder = tmp_path_factory.mktemp("finished")
    with StubServer(answer) as server:
        endpoint = {"endpoint": server.url, "served_name": "stub"}
        own = folder / "project" / "own"
        config = {
            "models": {
                "one": endpoint,
                "two": {**endpoint, "concurrency": 2},
                "three": {"server": str(own / "s3.yaml")},
            },
            "benchmarks": [str(own / "b1.yaml"), str(own / "b2.yaml")],
            "seeds": {"start": 42, "count": 4},
            "sampling": {"temperature": 1.0, "max_tokens": 64},
            "servers": {"lease_seconds": 12, "idle_seconds": 1},
        }
        place = Workplace.made(folder, config)
        for name in ("b1", "b2"):
            benchmark_file(own, name)
        server_file(own, "s3", "--answer", "The final answer is 2.")
        ran = place.run()
        assert ran.code == 0, ran.text
        assert ran.jobs["generate"] == 24
        assert place.run("--dry-run").jobs == {}
        yield place, server
    shutil.rmtree(folder)


@pytest.fixture
def finished(finished_once: tuple[Workplace, StubServer], tmp_path: Path) -> Workplace:
    """Return a copy, times kept, of the finished run, its own files moved along."""
    place = finished_once[0].copied(tmp_path)
    old, new = str(finished_once[0].project), str(place.project)
    place.config["benchmarks"] = [name.replace(old, new) for name in place.config["benchmarks"]]
    place.config["models"]["three"]["server"] = place.config["models"]["three"]["server"].replace(old, new)
    return place


@pytest.fixture
def endpoint(finished_once: tuple[Workplace, StubServer]) -> StubServer:
    """Return the endpoint behind models one and two of the finished run."""
    return finished_once[1]
