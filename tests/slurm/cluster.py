"""A real Slurm on the loopback interface, in a folder of its own, started in a second and stopped by process id."""

import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

COMMANDS = ("sbatch", "srun", "squeue", "scancel", "scontrol", "sinfo", "sacct", "sacctmgr")
NEEDED = ("slurmctld", "slurmd", "munged")
GPUS = 4
ROOT_LOGIN = "--auth-root-authentication-method=normal"
COMMON = """\
ClusterName=loop
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
AuthType=auth/munge
AuthInfo=socket={base}/munge/sock
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={base}/state
SlurmdSpoolDir={base}/spool/%n
SlurmctldPidFile={base}/slurmctld.pid
SlurmdPidFile={base}/slurmd-%n.pid
SlurmctldLogFile={base}/log/slurmctld.log
SlurmdLogFile={base}/log/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=2,bf_interval=2,sched_min_interval=100000,batch_sched_delay=0,defer
ReturnToService=2
SlurmdTimeout=20
SlurmctldTimeout=10
InactiveLimit=0
KillWait=5
MinJobAge={job_age}
MaxJobCount={max_jobs}
Waittime=0
RebootProgram=/bin/true
SlurmdParameters=config_overrides
GresTypes=gpu
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
JobRequeue=1
"""
WITHOUT_ACCOUNTING = "AccountingStorageType=accounting_storage/none\nJobCompType=jobcomp/none\n"
WITH_ACCOUNTING = """\
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={dbd_port}
AccountingStoragePass={base}/munge/sock
AccountingStorageEnforce=associations
JobCompType=jobcomp/none
"""
SLURMDBD = """\
AuthType=auth/munge
AuthInfo=socket={base}/munge/sock
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort={dbd_port}
SlurmUser=root
LogFile={base}/log/slurmdbd.log
PidFile={base}/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={sql_port}
StorageUser=slurm
StoragePass=x
StorageLoc=slurm_acct
CommunicationParameters=NoInAddrAny
"""


class CannotStart(Exception):
    """Slurm cannot be started here; the message says why."""


@dataclass(frozen=True)
class Job:
    """A line of squeue."""

    number: str
    name: str
    state: str
    partition: str
    comment: str
    nodes: str


class Cluster:
    """slurmctld and one slurmd a node: `gpu_nodes` gb1.. with four fake GPUs each, `cpu_nodes` cpu1.. without."""

    slurmdbd = SLURMDBD  # what slurmdbd.conf is made of

    def __init__(
        self,
        base: Path,
        gpu_nodes: int = 3,
        cpu_nodes: int = 2,
        accounting: bool = False,
        max_jobs: int = 10000,
        job_age: int = 300,
    ) -> None:
        """Prepare a cluster below `base`; nothing runs yet."""
        self.base, self.accounting = base, accounting
        self.gpu_nodes = [f"gb{i}" for i in range(1, gpu_nodes + 1)]
        self.cpu_nodes = [f"cpu{i}" for i in range(1, cpu_nodes + 1)]
        self.host = socket.gethostname().split(".")[0]
        ports = _free_ports(3 + gpu_nodes + cpu_nodes)
        self.port, self.dbd_port, self.sql_port = ports[:3]
        self.node_ports = dict(zip([*self.gpu_nodes, *self.cpu_nodes], ports[3:], strict=True))
        self.limits = {"max_jobs": max_jobs, "job_age": job_age}
        self.conf = base / "etc" / "slurm.conf"
        self.database: subprocess.Popen[bytes] | None = None

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment for users: wrappers on PATH name the configuration, as its default place would."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("SLURM")}
        return {**inherited, "PATH": f"{self.base}/bin:{os.environ['PATH']}"}

    def start(self) -> None:
        """Start every daemon and wait until all nodes are idle; raises CannotStart with the reason."""
        needed = [*NEEDED, *(("slurmdbd", "mariadbd", "mariadb-install-db") if self.accounting else ())]
        missing = [name for name in needed if shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin") is None]
        if missing:
            raise CannotStart(f"not installed: {', '.join(missing)}")
        if os.geteuid() != 0:
            raise CannotStart("the daemons must run as root")
        for name in ("etc", "state", "spool", "log", "gpu", "munge", "bin", "db"):
            (self.base / name).mkdir(parents=True, exist_ok=True)
        for folder in (self.base, self.base / "munge"):
            folder.chmod(0o711)
        self._configure()
        self._munge()
        if self.accounting:
            self._database()
        self.start_controller()
        for node in self.node_ports:
            self.start_node(node)
        self._wait("all nodes idle", lambda: len(self.sinfo("idle")) == len(self.node_ports))

    def _configure(self) -> None:
        """Write slurm.conf, gres.conf and the wrappers."""
        values = {"base": self.base, "host": self.host, "port": self.port, "dbd_port": self.dbd_port}
        lines = COMMON.format(**values, **self.limits)
        lines += (WITH_ACCOUNTING if self.accounting else WITHOUT_ACCOUNTING).format(**values)
        for node, port in self.node_ports.items():
            size = (
                f"CPUs=8 RealMemory=16000 Gres=gpu:gb200:{GPUS}"
                if node.startswith("gb")
                else "CPUs=64 RealMemory=16000"
            )
            lines += f"NodeName={node} NodeHostname={self.host} NodeAddr=127.0.0.1 Port={port} {size} State=UNKNOWN\n"
            (self.base / "spool" / node).mkdir(exist_ok=True)
        gb, cpu = ",".join(self.gpu_nodes), ",".join(self.cpu_nodes)
        lines += f"PartitionName=cpu Nodes={cpu} Default=YES MaxTime=INFINITE DefaultTime=60 State=UP\n"
        lines += f"PartitionName=gb200 Nodes={gb} MaxTime=08:00:00 DefaultTime=60 State=UP PriorityTier=1\n"
        lines += f"PartitionName=urgent Nodes={gb} MaxTime=08:00:00 State=UP PriorityTier=10 PreemptMode=OFF\n"
        self.conf.write_text(lines)
        for number in range(GPUS):
            (self.base / "gpu" / f"gb{number}").touch()
        (self.base / "etc" / "gres.conf").write_text(
            f"NodeName={gb} Name=gpu Type=gb200 File={self.base}/gpu/gb[0-{GPUS - 1}]\n"
        )
        for name in COMMANDS:
            wrapper = self.base / "bin" / name
            if real := shutil.which(name):
                wrapper.write_text(f'#!/bin/sh\nSLURM_CONF={self.conf} exec {real} "$@"\n')
                wrapper.chmod(0o755)

    def _munge(self) -> None:
        """Start munged with a key of our own."""
        folder = self.base / "munge"
        (folder / "key").write_bytes(secrets.token_bytes(1024))
        (folder / "key").chmod(0o400)
        words = ["munged", "--force", "-S", f"{folder}/sock", f"--key-file={folder}/key", f"--pid-file={folder}/pid"]
        self._daemon([*words, f"--log-file={folder}/log", f"--seed-file={folder}/seed"])

    def _database(self) -> None:
        """Start MariaDB and slurmdbd."""
        data, sock = self.base / "db", self.base / "db.sock"
        scratch = self.base / "db-scratch"  # two databases that share /tmp remove each other's temporary tables
        scratch.mkdir(exist_ok=True)
        words = ["env", f"TMPDIR={scratch}", "mariadb-install-db", "--no-defaults", "--user=root"]
        self._daemon([*words, f"--datadir={data}", "--skip-test-db", ROOT_LOGIN])
        words = ["mariadbd", "--no-defaults", "--user=root", f"--datadir={data}", f"--socket={sock}"]
        words.append(f"--tmpdir={scratch}")
        words += [f"--port={self.sql_port}", "--bind-address=127.0.0.1", f"--pid-file={self.base}/mariadb.pid"]
        with open(self.base / "log" / "mariadb.log", "ab") as log:
            words.append("--innodb-buffer-pool-size=64M")
            self.database = subprocess.Popen(self.on_host(words), stdout=log, stderr=log, start_new_session=True)
        client = ["mariadb", "--no-defaults", "-S", str(sock), "-e"]
        self._wait("MariaDB", lambda: subprocess.run([*client, "select 1"], capture_output=True).returncode == 0)
        grants = "create database if not exists slurm_acct;"
        for host in ("localhost", "127.0.0.1"):
            grants += f"create user if not exists slurm@'{host}' identified by 'x';"
            grants += f"grant all on slurm_acct.* to slurm@'{host}';"
        subprocess.run([*client, grants], check=True, capture_output=True)
        file = self.base / "etc" / "slurmdbd.conf"
        file.write_text(self.slurmdbd.format(base=self.base, dbd_port=self.dbd_port, sql_port=self.sql_port))
        file.chmod(0o600)
        self._daemon(["slurmdbd"])
        self._wait("slurmdbd", lambda: self.listening(self.dbd_port))
        for words in (["cluster", "loop"], ["account", "evals"], ["user", "root", "account=evals"]):
            self.run("sacctmgr", "-i", "add", *words)

    def on_host(self, words: list[str]) -> list[str]:
        """Return the command that runs `words` on the host of the controller: this machine."""
        return words

    def listening(self, port: int) -> bool:
        """Return whether something accepts connections on a loopback port of the controller's host."""
        probe = f"import socket; raise SystemExit(socket.socket().connect_ex(('127.0.0.1', {port})))"
        return subprocess.run(self.on_host([sys.executable, "-c", probe])).returncode == 0

    def start_controller(self) -> None:
        """Start slurmctld."""
        self._daemon(["slurmctld", "-f", str(self.conf)])

    def start_node(self, node: str) -> None:
        """Start the slurmd of `node`."""
        self._daemon(["slurmd", "-N", node, "-f", str(self.conf)])

    def kill(self, daemon: str, number: signal.Signals = signal.SIGTERM) -> None:
        """End a daemon by the id in its own file (`slurmctld`, `slurmd-gb1`), and wait until it is gone."""
        pid = int((self.base / f"{daemon}.pid").read_text())
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
        self._wait(f"end of {daemon}", partial(_ended, pid))

    def stop(self) -> None:
        """Cancel every job, then end every daemon by its id, whatever fails on the way."""
        with contextlib.suppress(subprocess.SubprocessError, CannotStart):
            self.run("scancel", "--user=root")
            self._wait("an empty queue", lambda: not self.squeue(), 30)
        files = [*self.base.glob("slurmd-*.pid"), *(self.base / name for name in ("slurmctld.pid", "slurmdbd.pid"))]
        for file in [*files, self.base / "mariadb.pid", self.base / "munge" / "pid"]:
            with contextlib.suppress(OSError, ValueError, CannotStart):
                pid = int(file.read_text())
                os.kill(pid, signal.SIGTERM)
                self._wait(f"end of {file.name}", partial(_ended, pid), 20)
        if self.database is not None:
            self.database.wait(30)

    def run(self, *words: str) -> str:
        """Return what a command of Slurm prints; raises CalledProcessError when it fails."""
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True, timeout=60)
        if done.returncode:
            raise subprocess.CalledProcessError(done.returncode, words, done.stdout, done.stderr)
        return done.stdout

    def squeue(self, *words: str) -> list[Job]:
        """Return the jobs that wait or run, but for those with a name that holds a line end or a bar."""
        lines = self.run("squeue", "--noheader", "--format=%i|%j|%T|%P|%k|%N", *words).splitlines()
        return [Job(*fields) for line in lines if len(fields := line.split("|")) == len(Job.__dataclass_fields__)]

    def sinfo(self, state: str) -> list[str]:
        """Return the names of the nodes in `state`."""
        with contextlib.suppress(subprocess.CalledProcessError):
            return sorted(set(self.run("sinfo", "--noheader", "--Node", "--states", state, "--format=%N").split()))
        return []

    def _daemon(self, words: list[str]) -> None:
        """Run a command that puts itself into the background."""
        path = f"{os.environ['PATH']}:/usr/sbin"
        environment = {**self.environment, "PATH": path, "SLURM_CONF": str(self.conf)}
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120)
        if done.returncode:
            raise CannotStart(f"{' '.join(words)}: {done.stderr.strip() or done.stdout.strip()}")

    def _wait(self, what: str, there: Callable[[], bool], seconds: float = 40) -> None:
        """Return when `there()` holds; raises CannotStart after `seconds`."""
        deadline = time.monotonic() + seconds
        while not there():
            if time.monotonic() > deadline:
                raise CannotStart(f"{what}: not within {seconds:g} s")
            time.sleep(0.1)


def _free_ports(count: int) -> list[int]:
    """Return ports that nothing listens on now."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [int(one.getsockname()[1]) for one in sockets]


def _ended(pid: int) -> bool:
    """Return whether a process is gone, or a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def environment_of(pid: int) -> Mapping[str, str]:
    """Return the environment a running process was started with."""
    pairs = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
    return dict(pair.split("=", 1) for pair in pairs if "=" in pair)
