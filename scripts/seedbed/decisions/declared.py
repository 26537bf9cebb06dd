"""The `comparisons` and `gates` of a configuration: checked before anything runs, and what each depends on.

Besides the files of the run, they depend on their wording and on the content of stored references.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seedbed.core.errors import InputError
from seedbed.core.schema import conform, nearest, read_yaml
from seedbed.decisions.criteria import Criterion, criterion
from seedbed.decisions.scored_folder import Side, folders_with_samples, outputs_in, side
from seedbed.records import import_record, paths
from seedbed.scoring.score_files import STRICT


@dataclass(frozen=True)
class Case:
    """What one gate asks of one model, benchmark and scorer; `models` are the names a reference may use."""

    model: str
    benchmark: str
    scorer: str
    folder: Path
    criteria: tuple[Criterion, ...]
    models: tuple[str, ...]


def resolve(config: dict[str, Any], names: dict[str, list[str]], bases: Sequence[Path]) -> None:
    """Check `comparisons` and `gates` of a configuration in place, and make the paths of stored folders absolute.

    `names` are those of the run's benchmarks and scorers. Raises InputError that names the key.
    """
    names = {"models": list(config["models"]), **names}
    labels: list[str] = []
    for index, pair in enumerate(config["comparisons"]):
        sides = [_side(pair, key, f"comparisons.{index}.{key}", names, bases) for key in ("a", "b")]
        label = f"{sides[0].label}-vs-{sides[1].label}"
        if _same(*sides):
            raise InputError(f"comparisons.{index}: {label} is one and the same; expected two sides that differ")
        if label in labels:
            raise InputError(f"comparisons.{index}: {label} is listed twice; expected every pair once")
        labels.append(label)
    for index, gate in enumerate(config["gates"]):
        asked = {"require": gate} if isinstance(gate, str) else dict(gate)
        require = asked["require"]
        asked["require"] = [require] if isinstance(require, str) else require
        config["gates"][index] = _gate(asked, f"gates.{index}", names, bases)
        if not any(True for _ in _cases(config["gates"][index], names)):
            raise InputError(f"gates.{index}: what is judged is its own reference; expected another model or folder")


def read_config(path: Path) -> dict[str, Any]:
    """Return a run's configuration, checked and resolved: results/config.yaml, or one written by hand."""
    config = conform(read_yaml(path), "config", str(path))
    config.setdefault("scorers", [STRICT])
    names = {"benchmarks": stems(config, "benchmarks"), "scorers": stems(config, "scorers")}
    try:
        resolve(config, names, [path.resolve().parent, Path.cwd()])
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return config


def labels(config: dict[str, Any]) -> list[str]:
    """Return the names of the files in results/comparisons of a resolved configuration."""
    return ["-vs-".join(found.label for found in sides_of(config, pair)) for pair in config["comparisons"]]


def sides_of(config: dict[str, Any], pair: dict[str, str]) -> tuple[Side, Side]:
    """Return the two sides of one of the configuration's comparisons."""
    return side(pair["a"], config["models"], [Path()]), side(pair["b"], config["models"], [Path()])


def _same(a: Side, b: Side) -> bool:
    """Return whether two sides are one; what one does not tell is as the other has it."""
    return a.root.resolve() == b.root.resolve() and all(
        not one or not other or one == other for one, other in ((a.benchmark, b.benchmark), (a.scorer, b.scorer))
    )


def cases(config: dict[str, Any]) -> list[Case]:
    """Return what the gates ask, model by model and benchmark by benchmark.

    Nothing is asked against itself, nor of an imported model on a benchmark that it has no outputs of.
    """
    names = {"models": list(config["models"]), **{key: stems(config, key) for key in ("benchmarks", "scorers")}}
    found = [case for gate in config["gates"] for case in _cases(gate, names)]
    return [case for case in found if not import_record.lacks(config["models"].get(case.model, {}), case.folder)]


def _cases(gate: dict[str, Any], names: dict[str, list[str]]) -> Iterator[Case]:
    """Yield what one gate asks."""
    criteria = tuple(map(criterion, gate["require"]))
    for model in gate.get("models") or names["models"]:
        for benchmark in gate.get("benchmarks") or names["benchmarks"]:
            folder = paths.outputs_folder(model, benchmark)
            for scorer in gate.get("scorers") or names["scorers"][:1]:
                asked = tuple(one for one in criteria if not _itself(one.reference, folder, scorer))
                if asked:
                    yield Case(model, benchmark, scorer, folder, asked, tuple(names["models"]))


def _itself(reference: str, folder: Path, scorer: str) -> bool:
    """Return whether a reference is what is judged: by name all or part of MODEL/BENCHMARK/SCORER, or its folder."""
    names = [folder.parts[-3], folder.name, scorer]
    parts = reference.split("/")
    return bool(reference) and (
        parts == names[: len(parts)] or Path(reference).resolve() in (folder.resolve(), folder.parents[1].resolve())
    )


def markers(config: dict[str, Any]) -> list[str]:
    """Return the marker that a run must end with, none where nothing is asked of it."""
    return [str(paths.GATE_PASSED)] if config["gates"] else []


def _gate(asked: dict[str, Any], where: str, names: dict[str, list[str]], bases: Sequence[Path]) -> dict[str, Any]:
    """Return a gate with the paths of its references absolute; raises InputError."""
    for kind in ("models", "benchmarks", "scorers"):
        for name in asked.get(kind, ()):
            _known(name, names[kind], f"{where}.{kind}")
    sentences = []
    for text in asked["require"]:
        try:
            found = criterion(text)
        except InputError as error:
            raise InputError(f"{where}.require: {error}") from None
        if found.reference:
            pair = {"reference": found.reference}
            _side(pair, "reference", f"{where}.require", names, bases)
            text = f"not worse than {pair['reference']} by {found.limit:g} points"
        sentences.append(text)
    return asked | {"require": sentences}


def _side(pair: dict[str, str], key: str, where: str, names: dict[str, list[str]], bases: Sequence[Path]) -> Side:
    """Return the side that `pair[key]` names, made absolute there if it is a folder; raises InputError."""
    try:
        found = side(pair[key], names["models"], bases)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    if found.stored:
        pair[key] = str(found.root)
        if not folders_with_samples(found.root):
            raise InputError(f"{where}: {found.root}: found no outputs; expected eval-results/*/output-rs*.jsonl")
    if found.benchmark:
        _known(found.benchmark, names["benchmarks"], where)
    if found.scorer:
        _known(found.scorer, names["scorers"], where)
    return found


def _known(name: str, known: Iterable[str], where: str) -> None:
    """Raise InputError unless the run has what is named."""
    if name not in known:
        raise InputError(f"{where}: found {name!r}, which is not in this run; {nearest(name, known)}")


def stems(config: dict[str, Any], key: str) -> list[str]:
    """Return the names of the benchmarks or scorers of a configuration, of which some are given as files."""
    return [Path(name).stem if name.endswith((".yaml", ".yml")) else name for name in config[key]]


_READ = 1 << 16  # bytes of each end of a stored file that its digest is made of


def of_pair(config: dict[str, Any], label: str) -> list[str]:
    """Return what a comparison depends on beside the run's own files: its two sides, a stored one by its content."""
    found = dict(zip(labels(config), config["comparisons"], strict=True))[label]
    return [_mark(one) for one in sides_of(config, found)]


def of_gates(config: dict[str, Any]) -> dict[str, Any]:
    """Return what the gates depend on beside the run's own files: their wording, a stored reference by its content."""
    gates = []
    for gate in config["gates"]:
        require = []
        for text in gate["require"]:
            named = criterion(text).reference
            require.append(text.replace(named, _mark(side(named, config["models"], [Path()]))) if named else text)
        gates.append(gate | {"require": require})
    return {"gates": gates, "max_fraction": config["errors"]["max_failed_fraction"]}


def _mark(found: Side) -> str:
    """Return a side's name, or the digest of a stored folder: a reference that has moved is the same reference."""
    return _digest(found.root) if found.stored else found.named


def _digest(root: Path) -> str:
    """Return a digest of a stored folder's tables and outputs: names, sizes and both ends, but no path and no time."""
    content = hashlib.sha256()
    for folder in folders_with_samples(root):
        for path in sorted([*folder.glob("samples-*.csv"), *outputs_in(folder)]):
            size = path.stat().st_size
            content.update(f"{path.relative_to(root)}\t{size}\n".encode())
            with path.open("rb") as file:
                content.update(file.read(_READ))
                file.seek(max(0, size - _READ))
                content.update(file.read())
    return content.hexdigest()
