"""One role of a server as a process: its command line and environment, its log, and why it ended."""

import contextlib
import ctypes
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from seedbed.core import files
from seedbed.core.errors import InputError, RunError
from seedbed.core.secrets import strike
from seedbed.records import paths
from seedbed.serving.spec.plan import Plan, ServerPlan
from seedbed.serving.spec.server_file import KEY_VARIABLES, Role
from seedbed.serving.spec.site import Site, has_gres, has_pyxis

OURS = ("PYTHONPATH", "PYTHONSAFEPATH")  # where this project's modules are: nothing for an engine's Python
_PLACEHOLDER = re.compile(r"(?<![{$])\{([A-Za-z_][A-Za-z0-9_-]*)\}")


@dataclass(frozen=True)
class Slot:
    """Where one process of a role runs: its node, the step's node list, and what its placeholders stand for."""

    role: Role
    index: int
    rank: int
    node: str
    values: Mapping[str, str]

    @property
    def label(self) -> str:
        """Return the name of the process in logs: the role, with its number and rank where there are several."""
        parts = [self.role.name]
        if self.role.count > 1:
            parts.append(str(self.index))
        if self.role.nodes > 1:
            parts.append(f"node{self.rank}")
        return "-".join(parts)


def fill(words: Iterable[str], values: Mapping[str, str], where: str) -> list[str]:
    """Return `words` with each bare `{name}` replaced; an unknown name raises InputError.

    Braces of JSON, `{{name}}` and `${name}` pass as they are.
    """

    def value(found: re.Match[str]) -> str:
        if found[1] not in values:
            raise InputError(f"{where}: unknown placeholder {{{found[1]}}}; known are {', '.join(sorted(values))}")
        return values[found[1]]

    return [_PLACEHOLDER.sub(value, word) for word in words]


def local_command(slot: Slot) -> list[str]:
    """Return the words of a role that runs as a child process on this machine."""
    return fill(slot.role.command, slot.values, f"role {slot.role.name}: command")


def slurm_command(slot: Slot, job: str, site: Site, pyxis: bool, gres: bool = True) -> list[str]:
    """Return the words of a role that runs as an overlapping step of the server's own allocation.

    Without pyxis it runs bare; where the site knows images all the same, an alias that is none of them is an error.
    Without `gres`, where Slurm does not count GPUs, no flag speaks of them. Values of variables never stand
    here: srun hands on its own environment.
    """
    role = slot.role
    words = ["srun", "--overlap", f"--jobid={job}", f"--nodelist={slot.node}", "--nodes=1", "--ntasks=1"]
    words += ["--kill-on-bad-exit=1", "--export=ALL", f"--job-name={slot.label}"]
    if gres:
        words.append(f"--gpus-per-node={role.gpus}" if role.gpus else "--gres=none")
    if role.container is not None and (pyxis or site.containers):
        image(role, site)
    if role.container is not None and pyxis:
        words += container_flags(slot, site)
    elif role.workdir is not None:
        words.append(f"--chdir={role.workdir}")
    return [*words, *local_command(slot)]


def image(role: Role, site: Site) -> str:
    """Return the image of a role; raises InputError for an alias that the site does not know."""
    found = site.containers.get(role.container or "")
    if found is None:
        known = ", ".join(sorted(site.containers)) or "none"
        raise InputError(
            f"role {role.name}: container {role.container!r} is not in site.yaml; known are {known}; "
            f"expected its image there: containers: {{{role.container}: IMAGE}}"
        )
    return found


def container_flags(slot: Slot, site: Site) -> list[str]:
    """Return pyxis' flags for the image, mounts and working directory of a role; the run's folder is always mounted."""
    role = slot.role
    flags = [f"--container-image={image(role, site)}"]
    own = [f"{folder}:{folder}" for folder in (slot.values.get("run_dir"),) if folder is not None]
    mounts = [*own, *site.mounts, *role.mounts]
    if mounts:
        flags.append(f"--container-mounts={','.join(mounts)}")
    if role.workdir is not None:
        flags.append(f"--container-workdir={role.workdir}")
    if role.environment:
        flags.append(f"--container-env={','.join(sorted(role.environment))}")
    return flags


def environment(
    slot: Slot, inherited: Mapping[str, str], secrets: Sequence[str], given: Mapping[str, str]
) -> dict[str, str]:
    """Return what a role's process sees: what is inherited, less the secrets it does not name, plus its own variables.

    The way to this project's modules is for those that run by its Python, `{python}`.
    `secrets` are the names that any role of the server asks for, `given` what the run adds (the key's file, the lease).
    """
    role = slot.role
    missing = [name for name in role.secrets if name not in inherited]
    if missing:
        raise InputError(f"role {role.name}: secret {missing[0]} is not set in the environment of this run")
    kept = {name: value for name, value in inherited.items() if name not in secrets or name in role.secrets}
    if not any("{python}" in word for word in role.command):
        kept = {name: value for name, value in kept.items() if name not in OURS}
    own = fill(role.environment.values(), slot.values, f"role {role.name}: environment")
    return {**kept, **given, **dict(zip(role.environment, own, strict=True))}


GRACE = 8.0  # seconds between SIGTERM and SIGKILL, below Slurm's usual KillWait of 30 s
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


class ServerEnded(RunError):
    """A server that ended by itself: one sentence why, and the last lines of its logs."""

    def __init__(self, reason: str, details: str) -> None:
        """Keep the sentence and the lines apart."""
        super().__init__(reason)
        self.details = details


@dataclass
class RoleProcess:
    """One process of a role."""

    slot: Slot
    process: subprocess.Popen[bytes]
    log: Path
    words: list[str]
    environment: dict[str, str]
    secrets: tuple[str, ...] = ()  # what must not be shown of it

    @classmethod
    def start(cls, slot: Slot, plan: Plan, server: ServerPlan, attempt: int) -> "RoleProcess":
        """Start the process of `slot`, its output appended to logs/server/{model}-{attempt}-{role}.log."""
        folder = paths.run_folder(server.model)
        given = {
            "SEEDBED_RUN": plan.run,
            "SEEDBED_LEASE": str((folder / "lease").absolute()),
            "SEEDBED_LEASE_SECONDS": str(plan.lease_seconds),
            "SEEDBED_CLOCK": str((folder / f".clock-{attempt}-{slot.label}").absolute()),
        }
        if slot.role.frontend or len(server.roles) == 1:
            given["SEEDBED_API_KEY_FILE"] = str((folder / "key").absolute())
            if name := server.definition.get("api_key_env") or KEY_VARIABLES.get(str(server.definition.get("kind"))):
                given[name] = (folder / "key").read_text(encoding="utf-8")
        secrets = [name for role in server.roles for name in role.secrets]
        seen = environment(slot, os.environ, secrets, given)
        words = command(slot, plan)
        hidden = (*(seen[name] for name in slot.role.secrets), (folder / "key").read_text(encoding="utf-8").strip())
        log = paths.server_log(server.model, attempt, slot.label)
        log.parent.mkdir(parents=True, exist_ok=True)
        workdir = slot.role.workdir if plan.launcher == "local" else None
        with open(log, "ab") as output:
            output.write(f"{time.strftime('%FT%T%z')} on {slot.node}: {' '.join(strike(words, hidden))}\n".encode())
            output.flush()
            try:
                process = subprocess.Popen(
                    words,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    env=seen,
                    cwd=workdir,
                    start_new_session=True,
                    preexec_fn=_end_with_parent,
                )
            except OSError as error:
                raise RunError(f"role {slot.label}: cannot start {words[0]}: {error.strerror}") from error
        return cls(slot, process, log, words, seen, hidden)

    def code(self) -> int | None:
        """Return the exit code, negative for a signal, or None while the process runs."""
        return self.process.poll()

    def account(self) -> str:
        """Return the name of the log and its last lines."""
        return f"{self.log}:\n{strike(files.last_lines(self.log), self.secrets)}"

    def death(self) -> "ServerEnded":
        """Return the error that says how this process ended, with its own last words."""
        code = self.code() or 0
        how = f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        last = strike(last_reason(files.last_lines(self.log, 40).splitlines()), self.secrets)
        return ServerEnded(f"role {self.slot.label} ended ({how}), its last line: {last}", self.account())

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the whole process group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)


def command(slot: Slot, plan: Plan) -> list[str]:
    """Return the words by which the process of `slot` is started here: a step of this job, or a child process."""
    if plan.launcher != "slurm":
        return local_command(slot)
    pyxis = slot.role.container is not None and has_pyxis(plan.site)
    return slurm_command(slot, os.environ["SLURM_JOB_ID"], plan.site, pyxis, has_gres(plan.site))


def end_all(running: Iterable[RoleProcess]) -> None:
    """End every process, the last started first: SIGTERM, and SIGKILL to what is left after the grace."""
    order = list(running)[::-1]
    for process in order:
        process.signal(signal.SIGTERM)
    deadline = time.monotonic() + GRACE
    for process in order:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.process.wait(max(0.0, deadline - time.monotonic()))
        process.signal(signal.SIGKILL)
        process.process.wait()


def _end_with_parent() -> None:
    """Ask the kernel, in the child before exec, to end it when its parent is killed (Linux only)."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


_SLURM = re.compile(r"(?:srun|slurmstepd(?:-[\w.-]+)?): ")
_SLURM_END = re.compile(  # what Slurm says of the end itself: no reason
    r"task \d+: |Terminating StepId|Force Terminated|Job step aborted|Sending SIGCONT|\*\*\* STEP .* CANCELLED|"
    r"Job \d+ step creation|launch/slurm: _?(?:step_signal|launch_handle)"
)
_FIRST_LINE = re.compile(r"\d{4}-\d\d-\d\dT\S+ on \S+: ")  # our own: time, node and command


def last_reason(lines: Iterable[str]) -> str:
    """Return the line of a role's log that says best why it ended.

    That is the role's own last line. Where it said nothing, it is the last error of pyxis, slurmstepd or srun: a
    container that does not start leaves no other word. Never the line in which this project wrote the command.
    """
    said = [line.strip() for line in lines if line.strip() and not _FIRST_LINE.match(line)]
    own = [line for line in said if not _SLURM.match(line)]
    errors = [line for line in said if _SLURM.match(line) and not _SLURM_END.search(line)]
    oom = [line for line in errors if "oom" in line.lower() or "out of memory" in line.lower()]
    return (oom or own or [line for line in errors if "error: " in line] or errors or said or ["it said nothing"])[-1]
