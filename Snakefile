"""Evaluate language models on benchmarks: rules in the order of the data, from rows to metrics and gates."""


report: "rules/captions/run.rst"


include: "rules/common.smk"
include: "rules/inputs.smk"
include: "rules/params.smk"
include: "rules/dataset.smk"
include: "rules/server.smk"
include: "rules/generate.smk"
include: "rules/score.smk"
include: "rules/rescore.smk"
include: "rules/summary.smk"
include: "rules/decide.smk"


localrules:
    all,


rule all:
    default_target: True
    input:
        all_datasets,
        all_outputs,
        all_metrics,
        "results/summary.csv",
        all_decisions,
