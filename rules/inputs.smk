"""Input functions: the files that rules read, each named for what it returns."""


def all_outputs(wildcards):
    """Every seed's output of the configuration."""
    return [path for pair in SETTINGS.pairs for path in outputs_of(*pair)]


def seed_outputs(wildcards):
    """Every seed's output of one model and benchmark."""
    return exit_on_input_error(outputs_of, wildcards.model, wildcards.benchmark)


def outputs_of(model, benchmark):
    """The output of each seed that a model has, or gets, on a benchmark."""
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
    """Every model's file that the workflow fetches."""
    return list(SETTINGS.weight_pins())


def model_weights(wildcards):
    """The model's file where the workflow fetches it; its age is no reason to generate anything again."""
    return [ancient(path) for path in SETTINGS.weights(wildcards.model)]


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


def all_comparisons(wildcards):
    """Every comparison that the configuration asks for."""
    return expand(
        "results/comparisons/{pair}.json", pair=declared.labels(SETTINGS.config)
    )


def all_decisions(wildcards):
    """What a run must end with beside its tables: its comparisons, and that its gates pass."""
    return all_comparisons(wildcards) + declared.markers(SETTINGS.config)
