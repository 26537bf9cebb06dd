"""A cluster as real ones are: nodes with names and two networks, no GRES, accounts, limits, variables in the shell."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.slurm.conftest import started
from tests.slurm.named_cluster import LOGIN, NamedCluster
from tests.slurm.workflow_place import PROFILE, WorkflowPlace

pytestmark = pytest.mark.xdist_group("named")  # one cluster for all of them
SERVER = {"slurm_partition": "gpu", "slurm_account": "evals", "nodes": 1, "gres": "", "runtime": 10, "mem_mb": 100}
SEEDS = {"slurm_partition": "batch", "slurm_account": "evals", "runtime": 10, "mem_mb": 100}
SHELL = {  # what a user's shell may hold; each would send the server's job elsewhere
    "SBATCH_PARTITION": "batch",
    "SBATCH_TIMELIMIT": "1",
    "SBATCH_JOB_NAME": "mine",
    "SBATCH_ACCOUNT": "nobody",
    "SQUEUE_FORMAT": "%i",
    "SLURM_JOB_ID": "999999",
}


@pytest.fixture(scope="module")
def named_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NamedCluster]:
    """A running cluster in network namespaces."""
    yield from started(NamedCluster)


class NamedFlow(WorkflowPlace):
    """A run on the login host of a named cluster."""

    cluster: NamedCluster

    def lay_out(self, site: dict[str, Any], placement: dict[str, Any] | None = None, **config: Any) -> None:
        """Write the run and its site file."""
        self.write(
            profile={**PROFILE, "slurm-no-account": False, "default-resources": SEEDS, "set-resources": {}},
            seeds={"count": 2},
            **config,
        )
        profile = self.files / "profile" / "config.yaml"
        written = yaml.safe_load(profile.read_text())
        written["set-resources"] = {"server": {**SERVER, **(placement or {})}}
        profile.write_text(yaml.safe_dump(written))
        (self.files / "site.yaml").write_text(yaml.safe_dump(site))
        self.environment["SEEDBED_SITE"] = str(self.files / "site.yaml")


@pytest.fixture
def flow(named_cluster: NamedCluster, tmp_path: Path) -> Iterator[NamedFlow]:
    """A place for a whole run on the named cluster; after the test nothing of it is in the queue."""
    place = NamedFlow(tmp_path / "work", named_cluster)
    yield place
    place.end()


def url_of_server(flow: NamedFlow) -> str:
    """Return the address at which the run's server answered."""
    (note,) = (json.loads(path.read_text()) for path in flow.folder.glob("run/m/attempt-1.json"))
    return str(note["url"])


@pytest.mark.parametrize(("network", "interface"), [(None, "eth0"), ("ib0", "ib0"), ("10.78.0.0/16", "ib0")])
def test_a_server_on_named_nodes_answers_at_an_ip_address_of_its_node(
    flow: NamedFlow, network: str | None, interface: str
) -> None:
    assert "NodeAddr=gpu-1 " in flow.cluster.run("scontrol", "--oneliner", "show", "node", "gpu-1")
    flow.environment.update(SHELL)
    flow.lay_out({"network": network})
    flow.snakemake()
    assert flow.finish(180) == 0, flow.said() + flow.log()
    assert flow.complete()
    addresses = [flow.cluster.address(node, interface) for node in flow.cluster.gpu_nodes]
    match = re.fullmatch(r"http://([\d.]+):\d+/v1", url_of_server(flow))
    assert match is not None
    assert match[1] in addresses


def test_a_network_that_no_node_has_ends_the_run_in_one_line_that_lists_what_there_is(flow: NamedFlow) -> None:
    flow.lay_out({"network": "ib7"})
    flow.snakemake()
    assert flow.finish(180) != 0
    reason = r"network: found 'ib7', but node gpu-\d has no address there: eth0 10\.77\.0\.\d, ib0 10\.78\.0\.\d"
    assert re.search(reason, flow.said()), flow.said() + flow.log()
    assert flow.log().count(": start ") == 1


def test_a_job_limit_that_passes_is_waited_for_with_its_name_in_the_status(flow: NamedFlow) -> None:
    words = ["--parsable", "--partition=gpu", "--qos=one", "--time=5", "--output=/dev/null", "--wrap=sleep 99"]
    blocker = flow.cluster.run("sbatch", *words).strip()
    flow.lay_out({}, {"qos": "one"})
    flow.snakemake()
    flow.until(lambda: "QOSMaxSubmitJobPerUserLimit" in flow.told(), "the limit's name", 60)
    flow.cluster.run("scancel", blocker)
    assert flow.finish(180) == 0, flow.said() + flow.log()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("placement", "reason"), [({"runtime": 300}, "PartitionTimeLimit"), ({"nodes": 9}, "PartitionNodeLimit")]
)
def test_a_reason_that_never_passes_ends_the_run_after_a_grace(
    flow: NamedFlow, placement: dict[str, Any], reason: str
) -> None:
    flow.lay_out({}, placement)
    flow.snakemake()
    flow.until(lambda: f"PENDING ({reason})" in flow.told(), "the reason", 40)
    assert flow.finish(180) != 0
    assert f"its job waits for a reason that does not pass by itself: {reason}" in flow.said()
    assert flow.empty(20) < 20


def test_the_login_host_and_the_nodes_have_hosts_files_of_their_own(named_cluster: NamedCluster) -> None:
    for host in (LOGIN, "gpu-1"):
        found = named_cluster.run("srun", "--partition=gpu", "--nodelist=gpu-1", "--time=1", "getent", "hosts", host)
        assert found.split()[0] == ("127.0.1.1" if host == "gpu-1" else named_cluster.address(LOGIN))
