"""
Tabulate all metrics and their statistics.

INPUTS
    results/{model}/eval-results/{benchmark}/metrics*.json        every scorer of the configuration
    results/{model}/eval-results/{benchmark}/samples-*.csv
OUTPUTS
    results/summary.csv                                           one line a model, benchmark and scorer
    results/{model}/eval-results/{benchmark}/scorers.json         two scorers on the same samples: recovered and lost
    results/{model}/eval-results/{benchmark}/statistics.json      every figure with its intervals, by scorer
"""


localrules:
    tabulate,


rule tabulate:
    input:
        metrics=all_metrics,
    output:
        table=report(
            "results/summary.csv",
            caption="captions/summary.rst",
            category="Summary",
        ),
        scorers=files_of_pairs(["scorers", "statistics"]),
    log:
        "logs/tabulate.log",
    params:
        code=code_digest("tabulate"),
    shell:
        "python -m seedbed tabulate --out {output.table:q} {input.metrics:q} 2> {log:q}"
