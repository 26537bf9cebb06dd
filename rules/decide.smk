"""
Compare what the configuration asks to compare, and judge the run by its gates.

INPUTS
    results/{model}/eval-results/{benchmark}/metrics*.json    every scorer of the configuration
OUTPUTS
    results/comparisons/{pair}.json                           A-vs-B: paired differences, and what they can tell
    results/gate.passed                                       a marker that all gates pass: gate.json, as it was then
The gate writes results/gate.json whatever it finds, and fails, with a code of its own, unless all pass. So a run whose
gate fails is a failed run, and the next one asks again.
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
