"""Input functions: the files that rules read, each named for what it returns."""


def all_outputs(wildcards):
    """Every seed's output of the configuration."""
    return [path for pair in SETTINGS.pairs for path in outputs_of(*pair)]


def seed_outputs(wildcards):
    """Every seed's output of one model and benchmark."""
    return exit_on_input_error(outputs_of, wildcards.model, wildcards.benchmark)


def outputs_of(model, benchmark):
    """The outputs of a model on a benchmark, one per seed."""
    return expand(
        "results/{model}/eval-results/{benchmark}/output-rs{seed}.jsonl",
        model=model,
        benchmark=benchmark,
        seed=SETTINGS.seeds_of(model, benchmark),
    )


def all_datasets(wildcards):
    """The rows of every benchmark of the configuration."""
    return expand("resources/{benchmark}/test.jsonl", benchmark=SETTINGS.benchmarks)


def all_weights(wildcards):
    """Every model file that the workflow downloads."""
    return list(SETTINGS.weight_pins())


def model_weights(wildcards):
    """The model's file if the workflow downloads it; a newer file alone does not run any seed again."""
    return [ancient(path) for path in SETTINGS.weights(wildcards.model)]


def all_metrics(wildcards):
    """Every metrics file of the configuration."""
    return files_of_pairs(SETTINGS.metrics)


def files_of_pairs(names):
    """The JSON files of these names for every model and benchmark of the configuration."""
    return [
        path
        for model, benchmark in SETTINGS.pairs
        for path in expand(
            "results/{model}/eval-results/{benchmark}/{file}.json",
            model=model,
            benchmark=benchmark,
            file=names,
        )
    ]


def all_comparisons(wildcards):
    """Every comparison that the configuration asks for."""
    return expand(
        "results/comparisons/{pair}.json", pair=declared.labels(SETTINGS.config)
    )


def all_decisions(wildcards):
    """Every comparison, and the marker that the gates pass if there are gates."""
    return all_comparisons(wildcards) + declared.markers(SETTINGS.config)
