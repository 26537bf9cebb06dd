"""The files of existing outputs: which there are in a folder, of which benchmark, of which seed."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from seedbed.core.errors import InputError
from seedbed.core.schema import conform, schema
from seedbed.records.outputs import changed

NEMO_SKILLS, SGL_EVAL, SIMPLE = FORMATS = ("nemo-skills", "sgl-eval", "simple")
_ENDING = r"\.jsonl(?:\.gz|\.zst)?"
_SEED = re.compile(rf"output-rs([0-9]+)({_ENDING})(-async)?")
_ALONE = re.compile(rf"output({_ENDING})(-async)?")
_CHUNK = re.compile(rf"output.*_chunk_\d+{_ENDING}(?:-async)?")
_PLAIN = re.compile(rf".+{_ENDING}|.+\.ndjson")
_RANGE = re.compile(r"([0-9]{1,18})(?:-([0-9]{1,18}))?")
_SEEDS = 100_000  # of a benchmark, far more than anybody asks for
_STAMP = re.compile(r"sgl_eval_(.+)_\d{8}-\d{6}")


@dataclass(frozen=True)
class Source:
    """One file; `seed` is None where the file does not tell it; `partial`: it may end in the middle of a line."""

    path: Path
    seed: int | None
    partial: bool = False


@dataclass(frozen=True)
class Folder:
    """The files of one model and benchmark, and the names that the folder gives; `remarks` for people."""

    files: list[Source]
    benchmark: str | None
    model: str | None
    metrics: Path | None = None
    sampling: Mapping[str, Any] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()


def folders(root: Path, form: str) -> list[Folder]:
    """Return what there is to import below `root`, a benchmark at a time; raises InputError if there is nothing."""
    if not root.exists():
        raise InputError(f"{root}: there is no such folder; expected one with outputs")
    if form == SIMPLE:
        return [_simple(root)]
    if root.is_file():
        raise InputError(f"{root}: found a file; expected the folder with output-rs*.jsonl")
    candidates = [root, *sorted(path for path in [*root.glob("*"), *root.glob("eval-results/*")] if path.is_dir())]
    found = [_of_seeds(path, form) for path in candidates if _named(path, _SEED) or _named(path, _ALONE)]
    if not found:
        chunks = [path for candidate in candidates for path in _named(candidate, _CHUNK)]
        if chunks:
            raise InputError(f"{chunks[0]}: a chunk of a seed; expected whole seeds: let NeMo-Skills merge its chunks")
        raise InputError(f"{root}: found no output-rs*.jsonl, here or in eval-results/*; expected outputs of {form}")
    return found


def _named(folder: Path, pattern: "re.Pattern[str]") -> list[Path]:
    """Return the files of a folder with names like this, in order."""
    return sorted(path for path in folder.iterdir() if pattern.fullmatch(path.name) and path.is_file())


def _of_seeds(folder: Path, form: str) -> Folder:
    """Return the seed files of a folder; of a seed both finished and partial the finished file counts."""
    found: dict[int, Source] = {}
    remarks = []
    for path in _named(folder, _SEED):
        match = _SEED.fullmatch(path.name)
        assert match is not None
        seed, partial = int(match[1]), bool(match[3])
        if fault := changed(path):
            raise InputError(fault)
        if (other := found.get(seed)) is None:
            found[seed] = Source(path, seed, partial or form == SGL_EVAL)
        elif partial:
            remarks.append(f"{path.name} is left out: {other.path.name} is finished")
        else:
            raise InputError(f"{path}: seed {seed} is in {other.path.name} too: expected one file a seed")
    if chunks := _named(folder, _CHUNK):
        raise InputError(f"{chunks[0]}: a chunk of a seed; expected whole seeds: let NeMo-Skills merge its chunks")
    for path in _named(folder, _ALONE):
        if found:
            remarks.append(f"{path.name} is left out: its name has no seed")
        else:
            found[0] = Source(path, 0, path.name.endswith("-async") or form == SGL_EVAL)
            remarks.append(f"{path.name} has no seed in its name; it is imported as seed 0")
    for path in _named(folder, _PLAIN):
        if not _SEED.fullmatch(path.name) and not _ALONE.fullmatch(path.name):
            remarks.append(f"{path.name} is left out: it is no output of a seed, though NeMo-Skills counts it as one")
    document = _json(folder / "metrics.json") if form == SGL_EVAL else {}
    stamp = _STAMP.fullmatch(folder.resolve().name)
    benchmark = document.get("name") or (stamp[1] if stamp else folder.resolve().name)
    model = document.get("model")
    if model is None and folder.resolve().parent.name == "eval-results":
        model = folder.resolve().parents[1].name
    metrics = folder / "metrics.json"
    return Folder(
        list(found.values()),
        str(benchmark),
        None if model is None else str(model),
        metrics if metrics.is_file() else None,
        _sampling(document.get("gen"), folder / "metrics.json"),
        tuple(remarks),
    )


def _sampling(value: object, path: Path) -> dict[str, Any]:
    """Return what of sgl-eval's parameters a configuration has a word for, what is null left out; raises InputError."""
    known = schema("config")["$defs"]["sampling"]["properties"]
    found = value if isinstance(value, dict) else {}
    taken = {name: value for name, value in found.items() if name in known and value is not None}
    try:
        conform({"models": {"m": {"imported": True}}, "benchmarks": ["aime25"], "sampling": taken}, "config", str(path))
    except InputError as error:
        raise InputError(str(error).replace(": sampling.", ": gen.")) from None
    return taken


def _simple(root: Path) -> Folder:
    """Return the jsonl files at a place: a seed each, as their names or their column of seeds tell."""
    if root.is_file():
        return Folder([Source(root, _seed_in(root))], None, None)
    files = _named(root, _PLAIN)
    if not files:
        raise InputError(f"{root}: found no .jsonl file (nor .jsonl.gz, .jsonl.zst); expected one or more")
    return Folder([Source(path, _seed_in(path)) for path in files], root.resolve().name, None)


def _seed_in(path: Path) -> int | None:
    """Return the seed in a name like output-rs42.jsonl, None in any other."""
    match = _SEED.fullmatch(path.name)
    return int(match[1]) if match else None


def without_gaps(seeds: Sequence[int], wanted: Sequence[int] | None, where: Path) -> list[int]:
    """Return the seeds to import: those `wanted`, else all; raises InputError where one is missing."""
    if wanted is not None:
        if missing := sorted(set(wanted) - set(seeds)):
            raise InputError(f"{where}: seed {missing[0]} is missing; found {_span(seeds)}")
        return sorted(set(wanted))
    found = sorted(seeds)
    for before, after in pairwise(found):
        if after > before + 1:
            raise InputError(
                f"{where}: seed {before + 1} is missing between {found[0]} and {found[-1]}: say --seeds {_span(seeds)}"
                " to import the others without it"
            )
    return found


def numbers(text: str | None) -> list[int] | None:
    """Return the seeds that 42,43 or 42-57 names, None without a text; raises InputError."""
    if text is None:
        return None
    found: list[int] = []
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        seeds = range(int(match[1]), int(match[2] or match[1]) + 1) if match else range(0)
        if not 0 < len(seeds) <= _SEEDS:
            known = f"such as 42,43 or 42-57, of {_SEEDS:,} seeds at most"
            raise InputError(f"--seeds: found {part!r}; expected numbers and ranges, {known}")
        found += seeds
    return found


def _span(seeds: Sequence[int]) -> str:
    """Return seeds as --seeds takes them."""
    return ",".join(map(str, sorted(seeds)))


def _json(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file, {} where there is none; raises InputError if the file is something else."""
    try:
        document = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {error}; expected the metrics of these outputs") from None
    return document if isinstance(document, dict) else {}
