"""config/site.yaml: what a cluster knows and a server file does not."""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from seedbed.core.environment import ROOT
from seedbed.core.errors import InputError

DEFAULT = ROOT / "config" / "site.yaml"
KEYS: dict[str, type | tuple[type, ...]] = {
    "containers": dict,
    "gres": (bool, str),
    "mounts": list,
    "network": (str, type(None)),
    "pass_environment": list,
    "programs": dict,
    "python": (str, type(None)),
    "pyxis": (bool, str),
}
PROGRAMS = {"dynamo_python": "python3"}  # placeholders of commands, where the site says nothing


@dataclass(frozen=True)
class Site:
    """What a cluster has: images behind aliases, mounts, a network, programs, the nodes' Python, pyxis, GRES."""

    containers: Mapping[str, str] = field(default_factory=dict)
    mounts: tuple[str, ...] = ()
    pass_environment: tuple[str, ...] = ()
    programs: Mapping[str, str] = field(default_factory=lambda: dict(PROGRAMS))
    python: str | None = None  # None: the interpreter of the submit host
    pyxis: bool | None = None  # None: ask srun
    network: str | None = None  # an interface or a network; None: the route to the other nodes
    gres: bool | None = None  # whether GPUs are counted by Slurm; None: ask scontrol


def read_site(named: Path | None = None) -> dict[str, Any]:
    """Return the content of the site file: `named`, that of SEEDBED_SITE, else config/site.yaml, which may be missing.

    Raises InputError where a file that is named does not exist.
    """
    given = named or Path(os.environ.get("SEEDBED_SITE") or DEFAULT)
    if given != DEFAULT and not given.exists():
        raise InputError(f"{given}: there is no such file; expected the site's (--site, SEEDBED_SITE)")
    return read(given)


def read(path: Path) -> dict[str, Any]:
    """Return the content of a site file, empty if there is none; raises InputError naming the file and key."""
    import yaml

    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise InputError(f"{path}: found {type(found).__name__}, expected a map")
    for key, value in found.items():
        if key not in KEYS:
            raise InputError(f"{path}: unknown key {key!r}; expected one of {', '.join(sorted(KEYS))}")
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        texts = all(isinstance(one, str) and one for one in inner)
        if (
            not isinstance(value, KEYS[key])
            or not texts
            or (key in ("pyxis", "gres") and value not in (True, False, "auto"))
        ):
            raise InputError(f"{path}: {key}: found {value!r}, expected {_expected(key)}")
    return found


def site(found: Mapping[str, Any]) -> Site:
    """Return the site that the content of a site file describes."""
    pyxis = found.get("pyxis", "auto")
    return Site(
        containers=dict(found.get("containers") or {}),
        mounts=tuple(found.get("mounts") or ()),
        pass_environment=tuple(found.get("pass_environment") or ()),
        programs={**PROGRAMS, **(found.get("programs") or {})},
        python=found.get("python") or None,
        pyxis=pyxis if isinstance(pyxis, bool) else None,
        network=found.get("network") or None,
        gres=gres if isinstance(gres := found.get("gres"), bool) else None,
    )


def has_pyxis(known: Site) -> bool:
    """Return whether srun takes --container-image here: as the site says, else as srun's own help does."""
    if known.pyxis is not None:
        return known.pyxis
    try:
        told = subprocess.run(["srun", "--help"], capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return "--container-image" in told.stdout


def has_gres(known: Site) -> bool:
    """Return whether Slurm counts GPUs here (GRES): as the site says, else as Slurm's configuration does."""
    if known.gres is not None:
        return known.gres
    try:
        shown = subprocess.run(["scontrol", "show", "config"], capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return True
    lines = [line.partition("=")[2].strip() for line in shown.stdout.splitlines() if line.startswith("GresTypes")]
    return not lines or lines[0] not in ("", "(null)")


def _expected(key: str) -> str:
    """Return in words what a key takes."""
    return {
        "containers": "a map of aliases to images",
        "programs": "a map of names to paths",
        "python": "a path or a name on PATH",
        "pyxis": "true, false or auto",
        "gres": "true, false or auto",
        "network": "the name of an interface such as ib0, or a network such as 10.0.0.0/8",
    }.get(key, "a list of texts")
