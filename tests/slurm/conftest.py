"""A Slurm for each worker of the test run, and a place to work in on it."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.serving.conftest import real_model
from tests.slurm.cluster import CannotStart, Cluster
from tests.slurm.workflow_place import WorkflowPlace
from tests.slurm.workplace import SlurmPlace

__all__ = ["real_model"]


def pytest_configure(config: pytest.Config) -> None:
    """Name the marker of the tests that wait for Slurm's own limits."""
    config.addinivalue_line("markers", "slow: waits a minute or more for a limit of the cluster")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin the tests that wait longest first, so that they run beside the others."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


AnyCluster = TypeVar("AnyCluster", bound=Cluster)


def started(kind: type[AnyCluster], **wanted: Any) -> Iterator[AnyCluster]:
    """Yield a running cluster in a short path (its sockets need one), or skip with the reason."""
    base = Path(tempfile.mkdtemp(prefix="sb-", dir="/tmp"))
    cluster = kind(base, **wanted)
    try:
        try:
            cluster.start()
        except CannotStart as error:
            if os.environ.get("SEEDBED_NEEDS_SLURM"):
                raise
            pytest.skip(f"no Slurm here: {error}")
        yield cluster
    finally:
        cluster.stop()
        shutil.rmtree(base, ignore_errors=True)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A cluster without accounting: three nodes with fake GPUs, two without."""
    yield from started(Cluster)


@pytest.fixture(scope="session")
def accounting_cluster() -> Iterator[Cluster]:
    """A cluster with slurmdbd that knows one account, `evals`."""
    yield from started(Cluster, accounting=True, gpu_nodes=1, cpu_nodes=1)


@pytest.fixture
def place(cluster: Cluster, tmp_path: Path) -> Iterator[SlurmPlace]:
    """A working directory on the cluster; after the test nothing of it is in the queue."""
    workplace = SlurmPlace(tmp_path / "work", cluster)
    yield workplace
    workplace.end()


@pytest.fixture
def flow(cluster: Cluster, tmp_path: Path) -> Iterator[WorkflowPlace]:
    """A place for a whole run; after the test nothing of it is in the queue."""
    workplace = WorkflowPlace(tmp_path / "work", cluster)
    yield workplace
    workplace.end()
