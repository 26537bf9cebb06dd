"""The exact command line and environment of one role on one node, with or without Slurm."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from scripts.errors import InputError
from scripts.serving.definitions import Role
from scripts.serving.sites import Site

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


def slurm_command(slot: Slot, job: str, site: Site, pyxis: bool) -> list[str]:
    """Return the words of a role that runs as an overlapping step of the server's own allocation.

    Without pyxis it runs bare; where the site knows images all the same, an alias that is none of them is an error.
    Values of variables never stand here: srun hands on its own environment.
    """
    role = slot.role
    words = ["srun", "--overlap", f"--jobid={job}", f"--nodelist={slot.node}", "--nodes=1", "--ntasks=1"]
    words += ["--kill-on-bad-exit=1", "--export=ALL", f"--job-name={slot.label}"]
    if role.gpus:
        words.append(f"--gpus-per-node={role.gpus}")
    else:
        words.append("--gres=none")
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
