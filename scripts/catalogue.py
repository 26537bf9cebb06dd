"""What a configuration names: benchmarks, servers and scorers, each a small file, shipped or the user's own."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from scripts.errors import InputError
from scripts.schema import ROOT, conform, nearest, read_yaml
from scripts.serving.definitions import roles

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_SECRET_NAME = re.compile(
    r"(?i)(?:^|[_-])(?:api[_-]?keys?|secrets?|password|passwd|access[_-]?keys?|token|credentials?|pat)$"
)
_SECRET_VALUE = re.compile(
    r"(?<![A-Za-z0-9])(?:sk-|hf_|ghp_|nvapi-|xox[bp]-|AKIA)[A-Za-z0-9_-]{8,}|\bBearer\s+\S{8,}|://[^/\s:@]+:[^/\s@]+@"
    r"|[?&](?:api[_-]?key|key|token|secret)=[^&\s]+"
)
_SECRET_FLAG = re.compile(r"(?i)--?(?:[a-z]+-)*(?:api-?key|token|secret|password)(?:=(?P<value>.+))?")


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


def refuse_secrets(value: Any, key: str, source: str) -> None:
    """Raise InputError naming the key where a configuration holds what looks like a secret."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if isinstance(inner, str) and inner and _SECRET_NAME.search(str(name)):
                raise InputError(f"{source}: {key}{name} looks like a secret; expected its environment variable's name")
            refuse_secrets(inner, f"{key}{name}.", source)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            refuse_secrets(inner, f"{key}{index}.", source)
            flag = _SECRET_FLAG.fullmatch(inner) if isinstance(inner, str) else None
            given = flag and (flag["value"] or (value[index + 1] if index + 1 < len(value) else None))
            if isinstance(given, str) and not given.startswith(("-", "{", "$")):
                raise InputError(
                    f"{source}: {key}{index} ({inner.split('=')[0]}) looks like a secret; a command line is seen by all"
                )
    elif isinstance(value, str) and _SECRET_VALUE.search(value):
        raise InputError(f"{source}: {key.rstrip('.')} looks like a secret; expected its environment variable's name")


_NEEDED = {
    "llama-cpp": ("context", "model"),
    "roles": ("roles",),
    "command": ("command",),
    "vllm": ("model",),
    "sglang": ("model",),
    "dynamo-sglang": ("workers", "model"),
}


def load_server(path: Path) -> dict[str, Any]:
    """Return the checked definition in a server file; raises InputError naming the file and key."""
    definition = conform(read_yaml(path), "server", str(path))
    refuse_secrets(definition, "", str(path))
    if missing := [key for key in _NEEDED[definition["kind"]] if key not in definition]:
        raise InputError(f"{path}: the key {missing[0]!r} is missing; kind {definition['kind']} needs it")
    try:
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
            raise InputError(f"{kind}: the name {name!r} stands twice; expected every name once")
        found[name] = path
    return found
