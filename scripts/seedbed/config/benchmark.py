"""A benchmark as its file describes it, checked, with its prompt and the part of it that is asked for."""

import functools
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from seedbed.config.catalogue import located
from seedbed.core.digests import sha256
from seedbed.core.environment import ROOT
from seedbed.core.errors import InputError
from seedbed.core.schema import conform, nearest, read_yaml
from seedbed.datasets.rows import check, fields
from seedbed.datasets.sources import kind_of

PROMPTS = ROOT / "config" / "prompts"
_NEEDED = {"file": (), "https": ("sha256",), "huggingface": ("revision", "path"), "wheel": ("sha256", "member")}
_SHAPING = ("columns", "keep", "ids", "options", "row", "part")


@dataclass(frozen=True)
class Benchmark:
    """A benchmark file: `definition` is its checked content, files made absolute and the prompt a text."""

    name: str
    path: Path
    definition: dict[str, Any] = field(hash=False)

    @property
    def prompt(self) -> str:
        """Return what a configuration calls its prompt: a name in config/prompts, or the absolute path of a file."""
        source = self.definition["prompt_source"]
        return str(source.get("name") or source["file"])

    def shapes_rows(self) -> dict[str, Any]:
        """Return what its prepared rows depend on, free of every path: the only cause to prepare it again."""
        source = self.definition["source"]
        if "file" in source:
            origin = {"sha256": _digest(Path(source["file"]))}
        else:
            pins = ("sha256",) if "sha256" in source else ("huggingface", "revision", "path")
            origin = {key: source[key] for key in pins}
        origin |= {key: source[key] for key in ("member", "members", "header", "format") if key in source}
        shaping = {key: self.definition[key] for key in _SHAPING if self.definition.get(key) is not None}
        return {"format": 1, "source": origin, **shaping}


def load_benchmark(
    named: str, bases: Sequence[Path], prompt: str | None = None, part: Mapping[str, Any] | None = None
) -> Benchmark:
    """Return the benchmark of a shipped name or a path; raises InputError naming the file and key.

    `prompt`, a shipped prompt's name or a file, stands before its own; `part` narrows its rows.
    """
    name, path = located("benchmarks", named, bases)
    definition = conform(read_yaml(path), "benchmark", str(path))
    try:
        _check_source(definition["source"], path.parent)
        for key, spec in definition["columns"].items():
            check(spec, f"columns.{key}")
        if definition["row"] != "in_order" and "options" not in definition:
            raise InputError(f"row: {definition['row']!r} puts options together; found no options")
        asked = definition["prompt"] if prompt is None else _prompt_named(prompt, bases)
        text, prompt_source = _prompt(asked, path.parent)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    if "problem" not in fields(text):
        source = f"{path}: prompt" if prompt is None else f"prompts.{name}"
        raise InputError(f"{source}: found no {{problem}}; expected it where the problem is inserted")
    shaped = {
        "name": name,
        **definition,
        "prompt": text,
        "prompt_source": prompt_source,
        "part": dict(part) if part else None,
    }
    return Benchmark(name, path, shaped)


def _check_source(source: dict[str, Any], folder: Path) -> None:
    """Make a file's path absolute; raises InputError when what a kind of source needs is missing."""
    kind = kind_of(source)
    if missing := [key for key in _NEEDED[kind] if key not in source]:
        raise InputError(f"source.{missing[0]} is missing; {kind!r} needs {' and '.join(_NEEDED[kind])}")
    if kind == "huggingface" and not {"sha256", "rows"} & set(source):
        raise InputError("source.rows is missing; 'huggingface' needs sha256 or rows beside its revision")
    if kind == "file":
        source["file"] = str((folder / source["file"]).resolve())
        if not Path(source["file"]).is_file():
            raise InputError(f"source.file: there is no file {source['file']}")


def _prompt_named(named: str, bases: Sequence[Path]) -> dict[str, str]:
    """Return what a configuration's prompt means: a shipped name, or a file relative to one of `bases`."""
    if (PROMPTS / f"{named}.txt").is_file():
        return {"name": named}
    tried = [base / named for base in bases or [Path()]]
    found = next((path for path in tried if path.is_file()), None)
    if found is None and "." not in named and "/" not in named:
        return {"name": named}
    return {"file": str((found or tried[0]).resolve())}


def _prompt(asked: str | Mapping[str, str], folder: Path) -> tuple[str, dict[str, str]]:
    """Return (a prompt's text, where it is and its SHA-256)."""
    if isinstance(asked, str):
        return asked, {"sha256": hashlib.sha256(asked.encode()).hexdigest()}
    if len(asked) != 1:
        raise InputError(f"prompt needs one of 'name' and 'file'; found {sorted(asked) or 'neither'}")
    if "name" in asked:
        path = PROMPTS / f"{asked['name']}.txt"
        if not path.is_file():
            known = [prompt.stem for prompt in PROMPTS.glob("*.txt")]
            raise InputError(f"prompt.name: unknown prompt {asked['name']!r}; {nearest(asked['name'], known)}")
    else:
        path = folder / asked["file"]
    try:
        text = path.read_text(encoding="utf-8").rstrip("\n")
    except OSError as error:
        raise InputError(f"prompt.file: {path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"prompt.file: {path}: byte {error.start} is not UTF-8; expected UTF-8 text") from None
    return text, {**asked, "sha256": hashlib.sha256(text.encode()).hexdigest()}


def _digest(path: Path) -> str:
    """Return the SHA-256 of a file, computed once for each time it was written."""
    stat = path.stat()
    return _digest_of(path, stat.st_mtime_ns, stat.st_size)


@functools.lru_cache(maxsize=64)
def _digest_of(path: Path, written: int, size: int) -> str:
    """Return the SHA-256 of a file that was written at a time."""
    return sha256(path)
