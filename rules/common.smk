"""Names, constraints and input functions: the words the rules are written in."""

import hashlib
import os
import re
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

ROOT = Path(workflow.basedir)
sys.path.insert(0, str(ROOT))
os.environ |= {"PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1"}
os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"

from scripts.errors import InputError
from scripts.settings import load

if not workflow.overwrite_configfiles:

    configfile: ROOT / "config" / "config.yaml"


CONFIG_FILES = [Path(file) for file in workflow.overwrite_configfiles or [ROOT / "config" / "config.yaml"]]
try:
    SETTINGS = load(config, ", ".join(map(str, CONFIG_FILES)), [CONFIG_FILES[-1].resolve().parent, Path.cwd()])
except InputError as error:
    raise WorkflowError(str(error)) from None


def any_of(names):
    """A wildcard constraint that takes exactly these names."""
    return "|".join(map(re.escape, names)) or "(?!)"


def digest(*files):
    """The SHA-256 of these files of scripts/: edited they run their rule again, touched or moved they do not."""
    return hashlib.sha256(b"".join((ROOT / "scripts" / file).read_bytes() for file in files)).hexdigest()


wildcard_constraints:
    model=any_of(SETTINGS.models),
    benchmark=any_of(SETTINGS.known_benchmarks()),
    scorer=any_of(SETTINGS.broad_scorers),
    seed=r"\d+",


def all_outputs(wildcards):
    """Every seed's output of the configuration."""
    return expand(
        "results/{model}/eval-results/{benchmark}/output-rs{seed}.jsonl",
        model=SETTINGS.models,
        benchmark=SETTINGS.benchmarks,
        seed=SETTINGS.seeds,
    )


def seed_outputs(wildcards):
    """Every seed's output of one model and benchmark."""
    return expand(
        "results/{model}/eval-results/{benchmark}/output-rs{seed}.jsonl",
        model=wildcards.model,
        benchmark=wildcards.benchmark,
        seed=SETTINGS.seeds,
    )


def all_metrics(wildcards):
    """Every metrics file of the configuration."""
    return expand(
        "results/{model}/eval-results/{benchmark}/{metrics}.json",
        model=SETTINGS.models,
        benchmark=SETTINGS.benchmarks,
        metrics=SETTINGS.metrics,
    )
