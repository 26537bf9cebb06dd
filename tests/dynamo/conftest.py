"""A Slurm with two nodes for the workers, and places to work in whose servers are a real Dynamo."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.dynamo import PYTHON
from tests.dynamo.place import DynamoFlow, DynamoPlace
from tests.slurm.cluster import CannotStart, Cluster


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs Dynamo where no interpreter has it."""
    for item in items:
        if PYTHON is None and "tests/dynamo" in item.path.as_posix():
            item.add_marker(pytest.mark.skip(reason="DYNAMO_PYTHON names no interpreter that has Dynamo"))


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A cluster of two nodes with fake GPUs and one without, in a short path: its sockets need one."""
    base = Path(tempfile.mkdtemp(prefix="sd-", dir="/tmp"))
    cluster = Cluster(base, gpu_nodes=2, cpu_nodes=1)
    try:
        try:
            cluster.start()
        except CannotStart as error:
            pytest.skip(f"no Slurm here: {error}")
        yield cluster
    finally:
        cluster.stop()
        shutil.rmtree(base, ignore_errors=True)


@pytest.fixture
def flow(cluster: Cluster, tmp_path: Path) -> Iterator[DynamoFlow]:
    """A place for a whole run on the cluster; after the test nothing of it is in the queue."""
    place = DynamoFlow(tmp_path / "work", cluster)
    yield place
    place.end()


@pytest.fixture
def place(tmp_path: Path) -> Iterator[DynamoPlace]:
    """A place for a broker whose servers are processes of this machine."""
    found = DynamoPlace(tmp_path / "work")
    yield found
    found.end()
