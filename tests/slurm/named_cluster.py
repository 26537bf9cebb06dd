"""A Slurm as real sites have it: nodes with names and networks of their own, no GRES, accounts and limits.

Every node, and the login host with the controller, is a network namespace with its own /etc/hosts. A node's own name
resolves to 127.0.1.1 there, as Debian's installer writes it; the name of every other node resolves to its address on
the management network `eth0`. A second, faster network is `ib0`. Nothing outside the namespaces is changed.
"""

import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from tests.slurm.cluster import SLURMDBD, CannotStart, Cluster

LOGIN = "login"
NETWORKS = {"eth0": "10.77.0", "ib0": "10.78.0"}
# What differs from the tidy cluster: addresses by name on every interface, and enforced accounts, QOS and limits.
TIDY_ADDRESSES = "CommunicationParameters=NoCtldInAddrAny,NoInAddrAny\n"
LIMITS = "AccountingStorageEnforce=associations,limits,qos\n"
ACCOUNT = "evals"


class NamedCluster(Cluster):
    """A cluster in network namespaces: `login`, `gpu_nodes` gpu-1.. without GRES, and `cpu_nodes` cpu-1...

    `interface(name, node)` gives an address; `words(...)` runs a command on the login host. QOS: `normal` without
    limits, `short` with MaxWall of 30 minutes, `two` with two jobs a user, `one` with one submitted job a user.
    """

    slurmdbd = SLURMDBD.replace("CommunicationParameters=NoInAddrAny\n", "")

    def __init__(self, base: Path, gpu_nodes: int = 2, cpu_nodes: int = 1) -> None:
        """Prepare the cluster below `base`; nothing runs yet."""
        super().__init__(base, gpu_nodes, cpu_nodes, accounting=True)
        names = [f"gpu-{i}" for i in range(1, gpu_nodes + 1)], [f"cpu-{i}" for i in range(1, cpu_nodes + 1)]
        self.gpu_nodes, self.cpu_nodes = names
        self.node_ports = dict(zip([*self.gpu_nodes, *self.cpu_nodes], self.node_ports.values(), strict=True))
        self.host = LOGIN
        self.hosts = [LOGIN, *self.node_ports]

    def namespace(self, host: str) -> str:
        """Return the name of a host's network namespace, unique on this machine."""
        return f"{self.base.name}-{host}"

    def address(self, host: str, interface: str = "eth0") -> str:
        """Return the address of a host on one of the two networks."""
        return f"{NETWORKS[interface]}.{self.hosts.index(host) + 1}"

    def on(self, host: str, *words: str) -> list[str]:
        """Return the command that runs `words` on a host of the cluster."""
        enter = 'mount --bind "$1" /etc/hosts && hostname "$0" && shift && exec "$@"'
        hosts = str(self.base / "etc" / f"hosts-{host}")
        space = f"--net=/run/netns/{self.namespace(host)}"
        return ["nsenter", space, "unshare", "--mount", "--uts", "sh", "-c", enter, host, hosts, *words]

    def on_host(self, words: list[str]) -> list[str]:
        """Return the command that runs `words` on the login host."""
        return self.on(LOGIN, *words)

    def start(self) -> None:
        """Build the networks, then start every daemon on its host; raises CannotStart with the reason."""
        if os.geteuid() != 0 or shutil.which("ip") is None:
            raise CannotStart("network namespaces need root and the command `ip`")
        (self.base / "etc").mkdir(parents=True, exist_ok=True)
        self._networks()
        super().start()

    def stop(self) -> None:
        """End every daemon, then remove the namespaces."""
        super().stop()
        for host in self.hosts:
            subprocess.run(["ip", "netns", "delete", self.namespace(host)], capture_output=True)

    def _networks(self) -> None:
        """Create a namespace for each host, its /etc/hosts, and both networks as bridges on the login host."""
        for host in self.hosts:
            lines = ["127.0.0.1 localhost", f"127.0.1.1 {host}"]
            lines += [f"{self.address(other)} {other}" for other in self.hosts if other != host]
            (self.base / "etc" / f"hosts-{host}").write_text("\n".join(lines) + "\n")
            _ip("netns", "add", self.namespace(host))
            _ip("-n", self.namespace(host), "link", "set", "lo", "up")
        login = self.namespace(LOGIN)
        for interface in NETWORKS:
            bridge = "eth0" if interface == "eth0" else "ib0"
            _ip("-n", login, "link", "add", bridge, "type", "bridge")
            _ip("-n", login, "address", "add", f"{self.address(LOGIN, interface)}/24", "dev", bridge)
            _ip("-n", login, "link", "set", bridge, "up")
            for number, node in enumerate(self.node_ports):
                port, space = f"{interface}p{number}", self.namespace(node)
                _ip("-n", login, "link", "add", port, "type", "veth", "peer", "name", interface, "netns", space)
                _ip("-n", login, "link", "set", port, "master", bridge, "up")
                _ip("-n", space, "address", "add", f"{self.address(node, interface)}/24", "dev", interface)
                _ip("-n", space, "link", "set", interface, "up")

    def _configure(self) -> None:
        """Write slurm.conf as a plain site has it: names, no addresses, no GRES, two partitions with a time limit."""
        super()._configure()
        lines = self.conf.read_text().replace(f"{self.host}(127.0.0.1)", self.host).replace(TIDY_ADDRESSES, "")
        lines = lines.replace("GresTypes=gpu\n", "").replace("AccountingStorageEnforce=associations\n", LIMITS)
        kept = [line for line in lines.splitlines() if not line.startswith(("NodeName=", "PartitionName="))]
        for node, port in self.node_ports.items():
            kept.append(f"NodeName={node} Port={port} CPUs=8 RealMemory=16000 State=UNKNOWN")
        kept.append(f"PartitionName=batch Nodes={','.join(self.cpu_nodes)} Default=YES MaxTime=12:00:00 State=UP")
        kept.append(f"PartitionName=gpu Nodes={','.join(self.gpu_nodes)} MaxTime=04:00:00 DefaultTime=60 State=UP")
        self.conf.write_text("\n".join(kept) + "\n")
        (self.base / "etc" / "gres.conf").unlink()

    def start_controller(self) -> None:
        """Add the QOS, then start slurmctld on the login host."""
        for name, limit in (("short", "MaxWall=30"), ("two", "MaxJobsPerUser=2"), ("one", "MaxSubmitJobsPerUser=1")):
            self.run("sacctmgr", "-i", "add", "qos", name)
            self.run("sacctmgr", "-i", "modify", "qos", name, "set", limit)
        self.run("sacctmgr", "-i", "modify", "user", "root", "set", "qos=normal,short,two,one", "defaultqos=normal")
        self._daemon(["slurmctld", "-f", str(self.conf)])

    def start_node(self, node: str) -> None:
        """Start the slurmd of `node` in its namespace."""
        self._daemon(["slurmd", "-N", node, "-f", str(self.conf)], node)

    def run(self, *words: str) -> str:
        """Return what a command of Slurm prints on the login host; raises CalledProcessError when it fails."""
        return super().run(*self.on(LOGIN, *words))

    def _daemon(self, words: list[str], host: str = LOGIN) -> None:
        """Run a command that puts itself into the background, on a host of the cluster."""
        super()._daemon(self.on(host, *words))


def _ip(*words: str) -> None:
    """Run `ip`; raises CannotStart with what it says."""
    done = subprocess.run(["ip", *words], capture_output=True, text=True)
    if done.returncode:
        raise CannotStart(f"ip {' '.join(words)}: {done.stderr.strip()}")


def reserve(cluster: NamedCluster, name: str, nodes: Iterable[str]) -> None:
    """Reserve nodes for root's jobs that name the reservation, from now on."""
    words = ["create", "reservation", f"reservationname={name}", "starttime=now", "duration=120", "users=root"]
    cluster.run("scontrol", *words, f"nodes={','.join(nodes)}")
