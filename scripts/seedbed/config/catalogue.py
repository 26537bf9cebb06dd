"""What a configuration names: benchmarks, servers and scorers, each a small file, shipped or the user's own."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from seedbed.core.environment import ROOT
from seedbed.core.errors import InputError
from seedbed.core.schema import conform, nearest, read_yaml
from seedbed.core.secrets import refuse_secrets
from seedbed.serving.spec import server_file
from seedbed.serving.spec.server_file import roles

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def shipped(kind: str) -> dict[str, Path]:
    """Return the files of config/{kind} by their names."""
    return {path.stem: path for path in sorted((ROOT / "config" / kind).glob("*.yaml"))}


def located(kind: str, named: str, bases: Sequence[Path]) -> tuple[str, Path]:
    """Return (name, file) of a shipped name or of a path, a relative one meant from one of `bases`."""
    files = shipped(kind)
    if named in files:
        return named, files[named]
    if not named.endswith((".yaml", ".yml")):
        raise InputError(f"unknown {kind.removesuffix('s')} {named!r}; {nearest(named, files)}")
    tried = [base / named for base in bases or [Path()]]
    path = next((path for path in tried if path.is_file()), None)
    if path is None:
        raise InputError(
            f"{kind.removesuffix('s')} {named!r}: there is no file {' or '.join(map(str, dict.fromkeys(tried)))}"
        )
    if not _NAME.fullmatch(path.stem):
        raise InputError(
            f"{path}: the name {path.stem!r} is found; expected letters, digits, dots, dashes, underscores"
        )
    if path.stem in files and path.resolve() != files[path.stem].resolve():
        raise InputError(
            f"{path}: the name {path.stem!r} is shipped already (config/{kind}); expected a name of its own"
        )
    return path.stem, path


def advised_scorers(benchmarks: Sequence[str], bases: Sequence[Path]) -> list[str]:
    """Return the scorers that the benchmarks' own files name, each once, in the order of the benchmarks."""
    found: dict[str, str] = {}
    for path in files_of("benchmarks", benchmarks, bases).values():
        for named in conform(read_yaml(path), "benchmark", str(path))["scorers"]:
            name, file = located("scorers", named, [path.parent])
            found.setdefault(name, name if name in shipped("scorers") else str(file.resolve()))
    return list(found.values())


def load_server(path: Path) -> dict[str, Any]:
    """Return the checked definition in a server file; raises InputError naming the file and key."""
    written = read_yaml(path)
    definition = conform(written, "server", str(path))
    refuse_secrets(definition, "", str(path))
    try:
        server_file.check_kind(written)
        roles(definition)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return definition


def files_of(kind: str, named: Iterable[str], bases: Sequence[Path]) -> dict[str, Path]:
    """Return the files of `named` by name; raises InputError when two bear one name."""
    found: dict[str, Path] = {}
    for one in named:
        name, path = located(kind, one, bases)
        if name in found:
            raise InputError(f"{kind}: the name {name!r} is listed twice; expected every name once")
        found[name] = path
    return found


_WAYS = ("server", "endpoint", "imported")
_SAMPLING = {"temperature", "top_p", "top_k", "min_p", "max_tokens", "stop"} | {
    f"{name}_penalty" for name in ("presence", "frequency", "repetition")
}
_OF_THE_RUN = {"model", "messages", "seed", "stream", "stream_options", "n"} | _SAMPLING


def check_models(models: Mapping[str, Any], source: str) -> None:
    """Raise InputError unless each model has one way to its outputs, and asks for nothing that the run itself sends."""
    for name, model in models.items():
        if len(ways := [repr(way) for way in _WAYS if way in model]) != 1:
            found = " and ".join(ways) or "none"
            raise InputError(f"{source}: models.{name} needs one of {', '.join(map(repr, _WAYS))}; found {found}")
        if taken := sorted(_OF_THE_RUN & set(model["extra_body"])):
            where = f"{source}: models.{name}.extra_body.{taken[0]}"
            raise InputError(f"{where} is set by the run itself or by `sampling`; expected another field")
