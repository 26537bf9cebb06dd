"""Adopt existing outputs of NeMo-Skills, of sgl-eval, or any jsonl with named columns: a results folder like any.

DIR is only read. Metrics, statistics and verdict are made at once, by the workflow; nothing is ever generated.
"""

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from seedbed.config.settings import load
from seedbed.core import environment, files
from seedbed.core.environment import ROOT
from seedbed.core.errors import InputError
from seedbed.core.schema import nearest, read_yaml
from seedbed.interop.outputs import adoption, cross_check
from seedbed.interop.outputs.adoption import Adopted, adopt
from seedbed.interop.outputs.convert import NAMED, Reader
from seedbed.interop.outputs.find import FORMATS, SIMPLE, Folder, folders, numbers
from seedbed.records import import_record, run_record
from seedbed.scoring.answers import ANSWER_TYPES
from seedbed.scoring.score_files import as_json
from seedbed.serving.broker import control
from seedbed.workflow import snapshot

CONFIG = Path("results/config.yaml")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_TAKEN = ("config", "comparisons", "report-data")  # what else stands in results/


def columns(text: str, form: str) -> dict[str, str]:
    """Return our fields and the columns that stand for them, from OURS=THEIRS,…; raises InputError."""
    found: dict[str, str] = {}
    for pair in filter(None, text.split(",")):
        ours, equals, theirs = pair.partition("=")
        if not equals or not theirs or ours not in NAMED:
            hint = nearest(ours, NAMED) if equals else "expected OURS=THEIRS"
            raise InputError(f"--columns: found {pair!r}; {hint}")
        found[ours] = theirs
    if found and form != SIMPLE:
        raise InputError(f"--columns: expected with --from {SIMPLE} alone; {form} names its fields itself")
    return found


def named(folder: Folder, options: argparse.Namespace, alone: bool) -> tuple[str, str]:
    """Return (model, benchmark) of a folder: as told, or as the folder has them; raises InputError."""
    model = options.model or (folder.model or "").rstrip("/").rsplit("/", 1)[-1]
    benchmark = (options.benchmark if alone else None) or folder.benchmark or ""
    for option, name in (("--model", model), ("--benchmark", benchmark)):
        if not _NAME.fullmatch(name) or name in _TAKEN:
            found = f"found {name!r}" if name else f"{options.folder} does not tell it"
            raise InputError(f"{option}: {found}; expected a name of letters, digits, dots, dashes, underscores")
    return model, benchmark


def chosen(found: list[Folder], benchmark: str | None) -> list[Folder]:
    """Return the folders to import: of several the one of the named benchmark; raises InputError if there is none."""
    if benchmark is None or len(found) == 1:
        return found
    names = [str(folder.benchmark) for folder in found]
    if benchmark not in names:
        raise InputError(f"--benchmark: found {benchmark!r}; {nearest(benchmark, names)}")
    return [found[names.index(benchmark)]]


def refuse_generated(models: Iterable[str]) -> None:
    """Raise InputError where a model of the run in this folder, whose outputs are generated, has the same name."""
    config = read_yaml(CONFIG) if CONFIG.is_file() else {}
    known = config.get("models") if isinstance(config, dict) else None
    for model in models:
        told = known.get(model, {"imported": True}) if isinstance(known, dict) else {"imported": True}
        if not isinstance(told, dict) or "imported" not in told:
            raise InputError(f"--model: found {model!r}, a model of the run in {CONFIG}; expected another name")


def configured(adopted: Sequence[Adopted], own: dict[str, Path]) -> bool:
    """Write the outputs into results/config.yaml; False, and nothing is written, where it is of a run of one's own."""
    config: dict[str, Any] = read_yaml(CONFIG) if CONFIG.is_file() else {"models": {}, "benchmarks": []}
    if any("imported" not in model for model in config["models"].values()):
        return False
    there = {path.parents[2].name for path in Path("results").glob(f"*/eval-results/*/{import_record.NAME}")}
    config["models"] = {name: model for name, model in config["models"].items() if name in there}
    for one in adopted:
        known = {"sampling": one.record["sampling"]} if one.record["sampling"] else {}
        config["models"].setdefault(one.model, {"imported": True, **known})
        if one.benchmark not in [Path(name).stem if name.endswith(".yaml") else name for name in config["benchmarks"]]:
            config["benchmarks"].append(str(own.get(one.benchmark, one.benchmark)))
    settings = load(config, str(CONFIG), [CONFIG.parent, Path.cwd()]).checked()
    snapshot.write(settings, settings.pairs)
    if record := run_record.read():
        pairs = {f"{one.model}/{one.benchmark}" for one in adopted}
        asked = {pair: terms for pair, terms in record.get("asked", {}).items() if pair not in pairs}
        run_record.write(record | {"asked": asked})
    return True


def told(adopted: Sequence[Adopted]) -> None:
    """Print what was taken over, and what of it is not known."""
    for one in adopted:
        record = one.record
        samples = sum(file["records"] for file in record["files"])
        print(
            f"{one.benchmark} / {one.model}: {samples} samples of {len(record['files'])} seeds from {record['source']}"
        )
        unknown = [f"{name} of {count}" for name, count in record["unknown"].items() if count]
        print(f"  unknown: {', '.join([*unknown, *record['not_told']])}")
        for remark in record["remarks"]:
            print(f"  {remark}")


def scored(adopted: Sequence[Adopted]) -> int:
    """Run the workflow, which makes what is missing, then compare with what the outputs say; returns its exit code."""
    environment.export()
    sys.stdout.flush()
    words = ["--snakefile", str(ROOT / "Snakefile"), "--configfile", str(CONFIG), "--cores", "all"]
    quiet = ["--quiet", "rules", "progress", "host"]
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", *words, *quiet], env=os.environ | {"PWD": str(Path.cwd())}
    )
    for one in adopted:
        if not (one.folder / "samples-strict.csv").is_file():
            continue
        if one.metrics is not None:
            theirs = cross_check.said(one.metrics, one.record["from"], one.benchmark)
            one.record["their_metrics"] = {"file": str(one.metrics), **cross_check.compared(theirs, one.folder)}
        if one.judged:
            one.record["judged_otherwise"] = cross_check.judged_otherwise(one.judged, one.folder)
        files.write(one.folder / import_record.NAME, as_json(one.record))
        for line in cross_check.lines(one.record):
            print(f"{one.benchmark} / {one.model}: {line}")
    return done.returncode


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the parsed command line."""
    parser = argparse.ArgumentParser(prog="python -m seedbed import_outputs", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR", help="the outputs, or eval-results, or (simple) a file")
    parser.add_argument("--from", dest="form", required=True, choices=FORMATS, help="what wrote them")
    parser.add_argument("--model", help="its name here; by default what the folder says")
    parser.add_argument(
        "--benchmark", help="its name here, a shipped one or a new one; by default what the folder says"
    )
    parser.add_argument("--seeds", help="only these, such as 42-57; by default all, without a gap")
    parser.add_argument(
        "--columns", default="", help="simple: our field=their column, comma-separated; tokens, seed, …"
    )
    parser.add_argument(
        "--answer-type", choices=ANSWER_TYPES, help="of a new benchmark; told from its answers if left out"
    )
    parser.add_argument("--results", type=Path, default=Path("results"), help="the results folder (./results)")
    parser.add_argument("--copy-only", action="store_true", help="do not score yet; snakemake does later")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns what the workflow returns: 0 where every pair is complete."""
    options = arguments(argv)
    root, results = options.folder.resolve(), options.results.resolve()
    if results.name != "results":
        raise InputError(f"--results {options.results}: expected a path that ends in /results")
    reader_of, wanted = columns(options.columns, options.form), numbers(options.seeds)
    found = chosen(folders(root, options.form), options.benchmark)
    names = [named(folder, options, len(found) == 1) for folder in found]
    results.parent.mkdir(parents=True, exist_ok=True)
    os.chdir(results.parent)
    if control.is_locked():
        raise InputError(f"{Path.cwd()}: a run goes on in this folder; expected one that has ended")
    refuse_generated(model for model, _ in names)
    adopted: list[Adopted] = []
    own: dict[str, Path] = {}
    for folder, (model, benchmark) in zip(found, names, strict=True):
        one = adopt(folder, root, Reader(options.form, reader_of), model, benchmark, wanted)
        own |= adoption.prepared(one, options.answer_type)
        adopted.append(one)
    told(adopted)
    if not configured(adopted, own):
        added = {f"{one.model}: {{imported: true}}" for one in adopted}
        print(f"{CONFIG} is that of a run: add to your own configuration models: {', '.join(sorted(added))}")
        print(f"and benchmarks: {', '.join(str(own.get(one.benchmark, one.benchmark)) for one in adopted)}")
        return 0
    if options.copy_only:
        print(f"to score them: snakemake --configfile {CONFIG}")
        return 0
    return scored(adopted)
