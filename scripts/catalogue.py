"""What a configuration names: benchmarks, servers and scorers, each a small file, shipped or the user's own."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from scripts.errors import InputError
from scripts.schema import ROOT, conform, nearest, read_yaml
from scripts.serving.definitions import roles

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
STRUCK = "***"
_NAMED = r"api[_-]?keys?|secrets?|passwords?|passwd|access[_-]?keys?|token|credentials?|pat|auth|authorization|bearer"
_SECRET_NAME = re.compile(rf"(?:^|[_-]|(?<=[a-z])(?=[A-Z]))(?i:{_NAMED})$")
_SECRET_VALUE = re.compile(  # what stands in a group before a secret is kept where it is struck out
    r"(?<![A-Za-z0-9])(?:sk-|hf_|ghp_|nvapi-|xox[bp]-|AKIA)[A-Za-z0-9_-]{8,}"
    r"|\b(Bearer\s+)\S{8,}"
    r"|\b([Bb]asic\s+)(?=\S*(?:[0-9=]|[a-z][A-Z]))[A-Za-z0-9+/_-]{6,}={0,2}(?![A-Za-z0-9])"
    r"|(://)[^/\s:@]+:[^/\s@]+(?=@)"
    r"|([?&](?i:api[_-]?key|key|token|secret|auth|authorization)=)(?!\*)[^&\s]+"
    r"|((?<!\S)--?(?i:(?:[a-z]+-)*(?:api-?key|token|secret|password))[ =])(?!-|\{|\$|\*|\d+\b)[^\s,}'\"]+"
    rf"|([\"'](?:[A-Za-z]+[_-])*(?i:{_NAMED})[\"']\s*:\s*[\"'])[^\"'*]+"
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


def looks_secret(name: str, value: str) -> bool:
    """Return whether a text is, by the name it has or by its form, a secret; "" is none."""
    return bool(value) and (_SECRET_NAME.search(name) is not None or _SECRET_VALUE.search(value) is not None)


def struck(name: str, value: str) -> str:
    """Return a text without what looks like a secret in it."""
    if value and _SECRET_NAME.search(name):
        return STRUCK
    return _SECRET_VALUE.sub(lambda found: f"{found[found.lastindex] if found.lastindex else ''}{STRUCK}", value)


def refuse_secrets(value: Any, key: str, source: str, name: str = "") -> None:
    """Raise InputError naming the key where a configuration holds what looks like a secret; `name` is the last key."""
    if isinstance(value, Mapping):
        for inner_name, inner in value.items():
            refuse_secrets(inner, f"{key}{inner_name}.", source, str(inner_name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            flag = _SECRET_FLAG.fullmatch(inner) if isinstance(inner, str) else None
            given = flag and (flag["value"] or (value[index + 1] if index + 1 < len(value) else None))
            if isinstance(given, str) and not given.startswith(("-", "{", "$")):
                raise InputError(
                    f"{source}: {key}{index} ({str(inner).split('=')[0]}) looks like a secret; a command line is seen"
                    " by all"
                )
            refuse_secrets(inner, f"{key}{index}.", source, name)
    elif isinstance(value, str) and looks_secret(name, value):
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
