"""The paths of a run's files below the working directory, each spelled in this one place.

Rules spell their paths as literals, since Snakemake reads them so; a test holds both equal.
"""

from pathlib import Path

RESULTS = Path("results")
RESOURCES = Path("resources")
RUN = Path("run")
LOGS = Path("logs")
STORE = Path("store")
EVAL_RESULTS = "eval-results"  # the folder of a model's outputs, one folder a benchmark in it
OUTPUTS = "output-rs*.jsonl"  # the pattern of the outputs of all seeds

CONFIG = RESULTS / "config.yaml"  # the effective configuration of the last run
RUN_RECORD = RESULTS / "run.json"
REPORT = RESULTS / "report.html"
JOB_GRAPH = RESULTS / "dag.svg"
REPORT_DATA = RESULTS / "report-data"
GATE = RESULTS / "gate.json"
GATE_PASSED = RESULTS / "gate.passed"
COMPARISONS = RESULTS / "comparisons"
BROKER_PLAN = RUN / "broker.json"


def outputs_folder(model: str, benchmark: str) -> Path:
    """Return the folder of a model's outputs, metrics and tables for a benchmark."""
    return RESULTS / model / EVAL_RESULTS / benchmark


def model_of(folder: Path) -> str:
    """Return the model whose outputs a folder holds, by its place; also of a folder without `eval-results`."""
    above = folder.resolve().parent
    return (above.parent if above.name == EVAL_RESULTS else above).name


def output_name(seed: int) -> str:
    """Return the name of a seed's output."""
    return f"output-rs{seed}.jsonl"


def dataset_folder(benchmark: str) -> Path:
    """Return the folder of a prepared benchmark."""
    return RESOURCES / benchmark


def dataset(benchmark: str) -> Path:
    """Return the rows of a prepared benchmark."""
    return dataset_folder(benchmark) / "test.jsonl"


def dataset_source(benchmark: str) -> Path:
    """Return the record of where a benchmark's rows came from."""
    return dataset_folder(benchmark) / "source.json"


def run_folder(model: str) -> Path:
    """Return the folder of what a run's jobs, broker and server of a model share."""
    return RUN / model


def server_runs(model: str) -> Path:
    """Return the record of what ran as a model's server: attempts, nodes, commands, versions."""
    return RESULTS / model / "server_runs.json"


def existing_server_runs(model: str) -> Path:
    """Return the record that is there: `server_runs.json`, or `server.json` of a results folder of version 0.1."""
    former = RESULTS / model / "server.json"
    return former if former.is_file() and not server_runs(model).is_file() else server_runs(model)


def attempt_file(folder: Path, attempt: int) -> Path:
    """Return what a server of a model's run folder writes of itself: state, address, nodes, job."""
    return folder / f"attempt-{attempt}.json"


def server_usage(model: str) -> Path:
    """Return the times that a run's broker keeps of a model's server."""
    return run_folder(model) / "server_usage.json"


def generate_log(model: str, benchmark: str, seed: int) -> Path:
    """Return the log of a seed."""
    return LOGS / "generate" / model / f"{benchmark}-rs{seed}.log"


def server_log(model: str, attempt: int, role: str | None = None) -> Path:
    """Return the log of an attempt to start a model's server, or of one of its roles."""
    return LOGS / "server" / ("-".join([model, str(attempt), *([role] if role else [])]) + ".log")


def client_config(model: str) -> Path:
    """Return what the seeds of a model read when they start."""
    return run_folder(model) / "client.json"


def scorer_copy(scorer: str) -> Path:
    """Return the copy of a scorer's file as it was when the run began."""
    return RUN / "config" / "scorers" / f"{scorer}.yaml"


def definition_copy(kind: str, name: str) -> Path:
    """Return the copy of a checked definition, `benchmarks` or `servers`, as it was when the run began."""
    return RUN / "config" / kind / f"{name}.json"
