"""Parameter functions: what a result depends on beside the files that a rule reads, each named for what it returns."""

from seedbed.core.schema import read_yaml
from seedbed.serving.spec.server_file import answer_relevant

SCORERS = {
    name: exit_on_input_error(read_yaml, path)
    for name, path in SETTINGS.scorers.items()
}


def shapes_rows(wildcards):
    """All that a benchmark's rows depend on."""
    return SETTINGS.benchmark(wildcards.benchmark).shapes_rows()


def answer_type(wildcards):
    """How a benchmark's answers are read and compared."""
    return SETTINGS.benchmark(wildcards.benchmark).definition["answer_type"]


def scorer_definition(wildcards):
    """What a scorer's file says, its comments left out."""
    return SCORERS[wildcards.scorer]


def server_spec(wildcards):
    """What of a model's server shapes an answer."""
    return answer_relevant(SETTINGS.server(wildcards.model))


def model_pin(wildcards):
    """The wheel, member and digests of a model's file."""
    return SETTINGS.weight_pins()[f"resources/models/{wildcards.file}"]


def order_of_model(wildcards):
    """The higher the earlier the model stands in the configuration: servers are not swapped back and forth."""
    return 1 + len(SETTINGS.models) - SETTINGS.models.index(wildcards.model)


def fingerprint(wildcards):
    """The digest of all that shapes an answer beside the server, the row and the seed."""
    return SETTINGS.fingerprint(wildcards.model, wildcards.benchmark)


def cause_of_comparison(wildcards):
    """What a comparison depends on beside the run's own files."""
    return declared.of_pair(SETTINGS.config, wildcards.pair)


def cause_of_gates(wildcards):
    """What the gates depend on beside the run's own files."""
    return declared.of_gates(SETTINGS.config)
