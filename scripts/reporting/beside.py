"""The files beside the report, results/report-data: which there are, and that no others stay."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from scripts import whole
from scripts.evals.fingerprints import digest
from scripts.reporting.blocks import block, call
from scripts.reporting.pairs import Pair
from scripts.reporting.samples import samples

DATA = Path("results/report-data")
_OURS = re.compile(r"rs\d+(?:-\d+\.js|\.json)|(?:samples|problems)\.js(?:on)?")


def folder_of(model: str, benchmark: str) -> Path:
    """Return where the files of a model's samples go."""
    return DATA / model / benchmark


def told(path: Path) -> str:
    """Return a file as the page names it: as seen from the report."""
    return "/".join(path.parts[1:])


def write_samples(pair: Pair, expected: Mapping[str, str]) -> Path:
    """Write the table of every sample unless it stands there already; returns the file."""
    folder = folder_of(*pair.name)
    out, note = folder / "samples.js", folder / "samples.json"
    coverage = {name: pair.coverage[name] for name in ("flags", "not_ok", "seeds")}
    key = digest([pair.made_from, [seed.key for seed in pair.facts], coverage, list(pair.ids), pair.private]) + "\n"
    if not (out.is_file() and note.is_file() and note.read_text() == key):
        whole.write(out, call("seedbedSamples", "/".join(pair.name), block(samples(pair, expected))))
        whole.write(note, key)
    return out


def files_of(pair: Pair, expected: Mapping[str, str], problems: Path | None) -> dict[str, Any]:
    """Return the pair's files as the page asks for them: chunks of texts by seed, samples, problems; all written."""
    folder, called = folder_of(*pair.name), "/".join(pair.name)
    return {
        "chunks": {
            str(seed): [
                [first, told(folder / name), f"{called}/{name.removesuffix('.js')}"] for first, name in found.chunks
            ]
            for seed, found in zip(pair.coverage["seeds"]["expected"], pair.facts, strict=True)
        },
        "samples_file": told(write_samples(pair, expected)) if pair.ids else None,
        "problems_file": told(problems) if problems is not None else None,
    }


def sweep(kept: Iterable[Path]) -> None:
    """Remove our files that no report asks for any more, and folders that this leaves empty."""
    wanted = set(kept)
    for path in sorted(DATA.rglob("*"), reverse=True):
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif _OURS.fullmatch(path.name) and path not in wanted:
            path.unlink()


def names_of(pair: Pair) -> set[Path]:
    """Return the files that belong to a pair."""
    folder = folder_of(*pair.name)
    seeds = zip(pair.coverage["seeds"]["expected"], pair.facts, strict=True)
    found = {folder / name for name in ("samples.js", "samples.json")}
    for seed, facts in seeds:
        found |= {folder / f"rs{seed}.json", *(folder / name for _, name in facts.chunks)}
    return found
