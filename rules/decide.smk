"""
Make the comparisons of the configuration and check the run against its gates.

INPUTS
    results/{model}/eval-results/{benchmark}/metrics*.json    every scorer of the configuration
OUTPUTS
    results/comparisons/{pair}.json                           A against B: paired differences, intervals, verdict
    results/gate.passed                                       copy of gate.json, written if all gates pass
Rule gate always writes results/gate.json, and fails with a separate exit code unless all gates pass. So a run whose gates
fail is a failed run, and the next run checks them again.
"""


localrules:
    compare,
    gate,


rule compare:
    input:
        metrics=all_metrics,
    output:
        report(
            "results/comparisons/{pair}.json",
            caption="captions/comparison.rst",
            category="Decisions",
        ),
    log:
        "logs/compare/{pair}.log",
    params:
        cause=cause_of_comparison,
        code=code_digest("compare"),
    shell:
        "python -m seedbed compare --config results/config.yaml --pair {wildcards.pair:q} --out {output:q} 2> {log:q}"


rule gate:
    input:
        metrics=all_metrics,
        table="results/summary.csv",
        comparisons=all_comparisons,
    output:
        report(
            "results/gate.passed",
            caption="captions/gate.rst",
            category="Decisions",
        ),
    log:
        "logs/gate.log",
    params:
        cause=cause_of_gates,
        code=code_digest("gate"),
    shell:
        "python -m seedbed gate --config results/config.yaml --out results/gate.json --passed {output:q} > {log:q} 2>&1"
