"""What a comparison or a gate speaks of: a model of this run or a stored folder, its benchmark, its scorer."""

import json
import tempfile
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from seedbed.core.errors import InputError
from seedbed.core.schema import nearest
from seedbed.records import paths
from seedbed.records.coverage import read_seed_file
from seedbed.records.outputs import changed, seed_files, seed_of
from seedbed.scoring.answers import Scored, answer_type_of
from seedbed.scoring.cohort import read_cohort
from seedbed.scoring.score_files import metrics_name, read_details, read_table, write_reports
from seedbed.scoring.staged import load_scorer


@dataclass(frozen=True)
class Side:
    """One side: `root` is results/{model} or a stored folder; benchmark and scorer are None where not given."""

    named: str
    root: Path
    model: str | None = None
    benchmark: str | None = None
    scorer: str | None = None

    @property
    def stored(self) -> bool:
        """Return whether it is a stored folder, not a model of this run."""
        return self.model is None

    @property
    def label(self) -> str:
        """Return a name that a file can bear: of a folder the last two parts of its path."""
        if self.stored:
            return ".".join(part for part in self.root.resolve().parts[-2:] if part != "/")
        return ".".join(part for part in (self.model, self.benchmark, self.scorer) if part)

    def folder(self, benchmark: str, model: str | None = None) -> Path:
        """Return the folder of a benchmark's outputs; of a stored results folder that of `model`, the other side's."""
        if not self.stored:
            return self.root / paths.EVAL_RESULTS / benchmark
        roots = [self.root, *([self.root / model, self.root / "results" / model] if model else [])]
        tried = [root / paths.EVAL_RESULTS / benchmark for root in roots]
        found = next((folder for folder in [*tried, self.root] if holds_samples(folder)), None)
        if found is None:
            raise InputError(f"{self.root}: found no outputs of {benchmark}; expected {tried[0]} or output-rs*.jsonl")
        return found


@dataclass(frozen=True)
class Samples:
    """What a scorer made of a folder: its table, its details and its block of metrics."""

    folder: Path
    rows: list[Scored]
    details: dict[str, Any]
    block: dict[str, Any]

    def of_same_outputs(self, other: "Samples") -> bool:
        """Return whether two tables were made from one and the same outputs, so that samples pair one by one."""
        outputs = self.details.get("outputs")
        return self.folder.resolve() == other.folder.resolve() or (
            bool(outputs) and outputs == other.details.get("outputs")
        )


def side(named: str, models: Collection[str], bases: Sequence[Path]) -> Side:
    """Return the side that MODEL, MODEL/BENCHMARK, MODEL/BENCHMARK/SCORER or the path of a stored folder names.

    Raises InputError if it is neither; a relative path is meant from one of `bases`.
    """
    model, *rest = named.split("/")
    if model in models and len(rest) < 3 and all(rest):
        benchmark, scorer = [*rest, None, None][:2]
        return Side(named, paths.RESULTS / model, model, benchmark, scorer)
    folder = next((path for base in bases or [Path()] if (path := base / Path(named).expanduser()).is_dir()), None)
    if folder is None:
        hint = nearest(model, models) if models else "expected a folder"
        raise InputError(f"found {named!r}: neither a model of this run nor a folder; {hint}")
    return Side(named, folder.resolve())


def matched(
    a: Side, b: Side, benchmarks: Iterable[str], scorers: Iterable[str]
) -> list[tuple[tuple[str, str], tuple[str, str]]]:
    """Return the ((benchmark, scorer) of a, (benchmark, scorer) of b) that a comparison of two sides consists of.

    What one side does not tell is as the other side has it; what neither tells is each of the run's.
    """
    chosen = [(a.benchmark or b.benchmark, b.benchmark or a.benchmark)]
    pairs = chosen if chosen[0][0] else [(name, name) for name in benchmarks]
    kinds = [(a.scorer or b.scorer, b.scorer or a.scorer)]
    kinds = kinds if kinds[0][0] else [(name, name) for name in scorers]
    return [((str(x), str(s)), (str(y), str(t))) for x, y in pairs for s, t in kinds]


def benchmarks_of(found: Side) -> list[str]:
    """Return the benchmarks that a side has outputs of; raises InputError if none."""
    if found.benchmark:
        return [found.benchmark]
    names = sorted(folder.name for folder in (found.root / paths.EVAL_RESULTS).glob("*") if holds_samples(folder))
    if not names and holds_samples(found.root):
        names = [found.root.resolve().name]
    if not names:
        raise InputError(
            f"{found.root}: found no outputs; expected eval-results/*/output-rs*.jsonl or output-rs*.jsonl"
        )
    return names


def with_parts(found: Side, benchmark: str | None, scorer: str | None) -> Side:
    """Return the side with what was told beside it, where it does not tell itself."""
    return replace(found, benchmark=found.benchmark or benchmark, scorer=found.scorer or scorer)


def folders_with_samples(root: Path) -> list[Path]:
    """Return the folders of a stored folder that hold outputs or tables, in the layouts that `Side.folder` knows."""
    layouts = (".", "eval-results/*", "*/eval-results/*", "results/*/eval-results/*")
    found = {folder for layout in layouts for folder in ([root] if layout == "." else root.glob(layout))}
    return sorted(filter(holds_samples, found))


def holds_samples(folder: Path) -> bool:
    """Return whether a folder has tables of a scorer or outputs that can be scored."""
    return folder.is_dir() and (next(folder.glob("samples-*.csv"), None) is not None or bool(outputs_in(folder)))


def outputs_in(folder: Path) -> list[Path]:
    """Return the finished outputs of a folder, by name; neither their marks nor what is still being generated."""
    return sorted(path for end in ("", ".gz", ".zst") for path in folder.glob(f"{paths.OUTPUTS}{end}"))


def read(folder: Path, scorer: str, answer_type: str | None = None, finished: bool = False) -> Samples:
    """Return a scorer's samples of a folder, from its table, or scored now where the outputs are there without one.

    Raises InputError if there is neither, or the table was not made from the outputs beside it as they are now; if
    they must be `finished`, also where some seed would be left out. Nothing is written into the folder. A table of an
    older version, which cannot be checked, is no table.
    """
    if (folder / f"samples-{scorer}.csv").is_file() and (_checkable(folder, scorer) or not outputs_in(folder)):
        found = _stored(folder, scorer, folder)
        _check_made_from(found, scorer)
        return found
    files = seed_files(folder)
    if going_on := sorted(folder.glob("output-rs*.jsonl-async")) if finished else []:
        raise InputError(f"{going_on[0]}: is still being generated; expected a folder whose seeds are all finished")
    kind = answer_type or answer_type_of(files[0])
    extractor = load_scorer(scorer)
    cohort = read_cohort(files, [extractor], kind)
    with tempfile.TemporaryDirectory() as scratch:
        write_reports(cohort, extractor.name, folder.name, kind, Path(scratch))
        return _stored(Path(scratch), extractor.name, folder)


def _checkable(folder: Path, scorer: str) -> bool:
    """Return whether the details beside a table tell how it was written."""
    try:
        return "written" in json.loads((folder / f"details-{scorer}.json").read_bytes())
    except (OSError, ValueError, TypeError):
        return False


def _check_made_from(found: Samples, scorer: str) -> None:
    """Raise InputError unless the outputs that a table was made from are as they were, as far as they are there.

    New generations have another trace; a text that was edited no longer fits the mark of its finished output.
    """
    made_from = {seed_of(Path(name)): trace for name, trace in (found.details.get("outputs") or {}).items()}
    there = seed_files(found.folder) if outputs_in(found.folder) else []
    for path in there:
        if (seed := seed_of(path)) in made_from:
            if fault := changed(path):
                raise InputError(fault)
            output = read_seed_file(path)
            if output.fault:
                raise InputError(output.fault)
            if output.trace != made_from[seed]:
                raise InputError(
                    f"{path} is not what samples-{scorer}.csv was made from: score it again (snakemake, or remove that"
                    " table and it is scored on the way)"
                )


def _stored(where: Path, scorer: str, folder: Path) -> Samples:
    """Return the samples of a scorer whose files are in `where`; raises InputError if they are not as written."""
    details = read_details(where, scorer)
    try:
        block = json.loads((where / metrics_name(scorer)).read_text(encoding="utf-8"))[details["benchmark"]]
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"{where / metrics_name(scorer)}: expected what {scorer} measured ({error})") from None
    return Samples(folder, read_table(where / f"samples-{scorer}.csv"), details, block)
