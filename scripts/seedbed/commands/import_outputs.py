"""Import existing outputs of NeMo-Skills, of sgl-eval, or of any jsonl with named columns into a results folder.

DIR is only read. The workflow then scores them; nothing is ever generated for them.
"""

import argparse
import contextlib
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from seedbed.config.settings import load
from seedbed.core import environment, files
from seedbed.core.environment import ROOT
from seedbed.core.errors import InputError
from seedbed.core.schema import read_yaml
from seedbed.interop.outputs import cross_check, importing
from seedbed.interop.outputs.find import FORMATS, numbers
from seedbed.interop.outputs.importing import Imported, Request
from seedbed.records import import_record, paths, run_record
from seedbed.scoring.answers import ANSWER_TYPES
from seedbed.scoring.score_files import as_json
from seedbed.serving.broker import control
from seedbed.workflow import snapshot


def write_config(imported: Sequence[Imported], own: Mapping[str, Path]) -> bool:
    """Add the outputs to results/config.yaml; returns False and writes nothing where a run generates."""
    config: dict[str, Any] = read_yaml(paths.CONFIG) if paths.CONFIG.is_file() else {"models": {}, "benchmarks": []}
    if any("imported" not in model for model in config["models"].values()):
        return False
    present = {path.parents[2].name for path in paths.RESULTS.glob(f"*/{paths.EVAL_RESULTS}/*/{import_record.NAME}")}
    config["models"] = {name: model for name, model in config["models"].items() if name in present}
    for one in imported:
        known = {"sampling": one.record["sampling"]} if one.record["sampling"] else {}
        config["models"].setdefault(one.model, {"imported": True, **known})
        if one.benchmark not in [Path(name).stem if name.endswith(".yaml") else name for name in config["benchmarks"]]:
            config["benchmarks"].append(str(own.get(one.benchmark, one.benchmark)))
    settings = load(config, str(paths.CONFIG), [paths.CONFIG.parent, Path.cwd()]).checked()
    snapshot.write(settings, settings.pairs)
    if record := run_record.read():
        pairs = {f"{one.model}/{one.benchmark}" for one in imported}
        asked = {pair: terms for pair, terms in record.get("asked", {}).items() if pair not in pairs}
        run_record.write(record | {"asked": asked})
    return True


def score(imported: Sequence[Imported]) -> int:
    """Run the workflow, which scores the outputs, then compare with their own grades; returns its exit code."""
    environment.export()
    sys.stdout.flush()
    words = ["--snakefile", str(ROOT / "Snakefile"), "--configfile", str(paths.CONFIG), "--cores", "all"]
    quiet = ["--quiet", "rules", "progress", "host"]
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", *words, *quiet], env=os.environ | {"PWD": str(Path.cwd())}
    )
    for one in imported:
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
        "--answer-type", choices=ANSWER_TYPES, help="of a new benchmark; guessed from its answers if left out"
    )
    parser.add_argument("--results", type=Path, default=paths.RESULTS, help="the results folder (./results)")
    parser.add_argument("--copy-only", action="store_true", help="do not score yet; snakemake does later")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code of the workflow: 0 where every pair is complete."""
    options = arguments(argv)
    results = options.results.resolve()
    if results.name != "results":
        raise InputError(f"--results {options.results}: expected a path that ends in /results")
    fields = importing.columns(options.columns, options.form)
    root, seeds = options.folder.resolve(), numbers(options.seeds)
    request = Request(root, options.form, fields, options.model, options.benchmark, seeds)
    folders = request.folders()
    names = [request.names(folder, len(folders) == 1) for folder in folders]
    results.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.chdir(results.parent):
        if control.is_locked():
            raise InputError(f"{Path.cwd()}: a run goes on in this folder; expected one that has ended")
        importing.refuse_generated(model for model, _ in names)
        imported: list[Imported] = []
        own: dict[str, Path] = {}  # the benchmark files written for these outputs
        for folder, (model, benchmark) in zip(folders, names, strict=True):
            imported.append(importing.import_folder(request, folder, model, benchmark))
            own |= importing.prepare_benchmark(imported[-1], options.answer_type)
        print("\n".join(line for one in imported for line in importing.describe(one)))
        if not write_config(imported, own):
            models = {f"{one.model}: {{imported: true}}" for one in imported}
            print(f"{paths.CONFIG} is that of a run: add to your own configuration models: {', '.join(sorted(models))}")
            print(f"and benchmarks: {', '.join(str(own.get(one.benchmark, one.benchmark)) for one in imported)}")
            return 0
        if options.copy_only:
            print(f"to score them: snakemake --configfile {paths.CONFIG}")
            return 0
        return score(imported)
