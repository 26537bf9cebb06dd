"""imported.json beside imported outputs: where they came from, which seeds there are, and what is not known of them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from seedbed.core.errors import InputError
from seedbed.records import paths
from seedbed.records.outputs import changed

NAME = "imported.json"
COMMAND = "python -m seedbed import_outputs"


def read(folder: Path) -> dict[str, Any] | None:
    """Return the record of imported outputs, None where none were imported; raises InputError if it is none of ours."""
    path = folder / NAME
    try:
        record: dict[str, Any] = json.loads(path.read_bytes())
        [int(file["seed"]) for file in record["files"]]
        record["from"], record["source"]
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: {type(error).__name__}: expected what {COMMAND} writes") from None
    return record


def lacks(model: Mapping[str, Any], folder: Path) -> bool:
    """Return whether a model of a configuration is imported, and this folder of outputs not."""
    return "imported" in model and not (folder / NAME).is_file()


def seeds(model: str, benchmark: str) -> list[int]:
    """Return the seeds that were imported, in order; raises InputError where none were."""
    record = read(paths.outputs_folder(model, benchmark))
    if record is None:
        raise InputError(
            f"{paths.outputs_folder(model, benchmark)}: {model!r} is imported, and has no outputs of {benchmark!r}"
        )
    return sorted(int(file["seed"]) for file in record["files"])


def check_generated(model: str, benchmarks: Iterable[str], seeds: Sequence[int]) -> None:
    """Raise InputError where a finished output has changed its size, or rows are not those that the model is asked."""
    for benchmark in benchmarks:
        if rows_of_outputs(benchmark):
            reason = (
                f"resources/{benchmark} holds the problems of imported outputs, not those of the benchmark's source"
            )
            raise InputError(f"{reason}: remove it, and it is prepared for {model!r}")
        for seed in seeds:
            if fault := changed(paths.outputs_folder(model, benchmark) / paths.output_name(seed), by_content=False):
                raise InputError(fault)


def check(model: str, benchmarks: Sequence[str]) -> None:
    """Raise InputError unless every output that was imported is there still: nothing is generated in its place."""
    for benchmark in benchmarks:
        for seed in seeds(model, benchmark):
            path = paths.outputs_folder(model, benchmark) / paths.output_name(seed)
            if not path.is_file():
                raise InputError(f"{path}: no such file, and nothing is generated for {model!r}: import it again")
            if fault := changed(path, by_content=False):
                raise InputError(fault)
    if not benchmarks:
        folder = paths.outputs_folder(model, "BENCHMARK")
        raise InputError(f"models.{model}: no outputs of these benchmarks were imported; expected {folder}/{NAME}")


def rows_of_outputs(benchmark: str) -> bool:
    """Return whether the prepared rows of a shipped benchmark were taken out of imported outputs."""
    try:
        record = json.loads(paths.dataset_source(benchmark).read_bytes())
        return "imported" in record["source"]
    except (OSError, ValueError, KeyError, TypeError):
        return False
