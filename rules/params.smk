"""Parameter functions: what a result depends on besides a rule's input files, each named for what it returns."""

from seedbed.core.schema import read_yaml
from seedbed.serving.spec.server_file import answer_relevant

SCORERS = {
    name: exit_on_input_error(read_yaml, path)
    for name, path in SETTINGS.scorers.items()
}


def shapes_rows(wildcards):
    """The keys of a benchmark's file that shape its rows."""
    return SETTINGS.benchmark(wildcards.benchmark).shapes_rows()


def answer_type(wildcards):
    """The type of a benchmark's answers."""
    return SETTINGS.benchmark(wildcards.benchmark).definition["answer_type"]


def scorer_definition(wildcards):
    """The content of a scorer's file, without comments."""
    return SCORERS[wildcards.scorer]


def server_spec(wildcards):
    """The part of a model's server file that shapes an answer."""
    return answer_relevant(SETTINGS.server(wildcards.model))


def model_pin(wildcards):
    """The wheel, member and digests of a model's file."""
    return SETTINGS.weight_pins()[f"resources/models/{wildcards.file}"]


def order_of_model(wildcards):
    """The priority of a model, higher for earlier ones, so that one server is finished before the next is started."""
    return 1 + len(SETTINGS.models) - SETTINGS.models.index(wildcards.model)


def request_fingerprint(wildcards):
    """The digest of all that shapes an answer except the server, the row and the seed."""
    return SETTINGS.request_fingerprint(wildcards.model, wildcards.benchmark)


def cause_of_comparison(wildcards):
    """What a comparison depends on besides the files of the run."""
    return declared.of_pair(SETTINGS.config, wildcards.pair)


def cause_of_gates(wildcards):
    """What the gates depend on besides the files of the run."""
    return declared.of_gates(SETTINGS.config)
