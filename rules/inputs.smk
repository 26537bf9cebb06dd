"""Input and parameter functions: the words the rules are written in, each named for what it returns."""

from scripts.serving.definitions import answer_relevant


def all_outputs(wildcards):
    """Every seed's output of the configuration."""
    return [
        path
        for model, benchmark in SETTINGS.pairs
        for path in expand(
            "results/{model}/eval-results/{benchmark}/output-rs{seed}.jsonl",
            model=model,
            benchmark=benchmark,
            seed=SETTINGS.seeds_of(model, benchmark),
        )
    ]


def seed_outputs(wildcards):
    """Every seed's output of one model and benchmark."""
    return expand(
        "results/{model}/eval-results/{benchmark}/output-rs{seed}.jsonl",
        model=wildcards.model,
        benchmark=wildcards.benchmark,
        seed=said_clearly(SETTINGS.seeds_of, wildcards.model, wildcards.benchmark),
    )


def all_datasets(wildcards):
    """The rows of every benchmark of the configuration."""
    return expand("resources/{benchmark}/test.jsonl", benchmark=SETTINGS.benchmarks)


def all_weights(wildcards):
    """Every model's file that the workflow fetches."""
    return list(SETTINGS.weight_pins())


def all_metrics(wildcards):
    """Every metrics file of the configuration."""
    return beside_metrics(SETTINGS.metrics)


def beside_metrics(files):
    """These json files of every model and benchmark of the configuration."""
    return [
        path
        for model, benchmark in SETTINGS.pairs
        for path in expand(
            "results/{model}/eval-results/{benchmark}/{file}.json",
            model=model,
            benchmark=benchmark,
            file=files,
        )
    ]


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


def order_of_model(wildcards):
    """The higher the earlier the model stands in the configuration: servers are not swapped back and forth."""
    return 1 + len(SETTINGS.models) - SETTINGS.models.index(wildcards.model)


def fingerprint(wildcards):
    """The digest of all that shapes an answer beside the server, the row and the seed."""
    return SETTINGS.fingerprint(wildcards.model, wildcards.benchmark)


def all_comparisons(wildcards):
    """Every comparison that the configuration asks for."""
    return expand(
        "results/comparisons/{pair}.json", pair=decisions.labels(SETTINGS.config)
    )


def all_decisions(wildcards):
    """What a run must end with beside its tables: its comparisons, and that its gates pass."""
    return all_comparisons(wildcards) + decisions.markers(SETTINGS.config)


def cause_of_comparison(wildcards):
    """What a comparison depends on beside the run's own files."""
    return decisions.cause_of_pair(SETTINGS.config, wildcards.pair)


def cause_of_gates(wildcards):
    """What the gates depend on beside the run's own files."""
    return decisions.cause_of_gates(SETTINGS.config)
