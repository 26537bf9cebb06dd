"""
Extract the answer of every generation from its last \\boxed{}, grade it and count.

INPUTS
    resources/{benchmark}/test.jsonl                                  the problems that every seed must have
    results/{model}/eval-results/{benchmark}/output-rs{seed}.jsonl    every seed of the configuration
OUTPUTS
    results/{model}/eval-results/{benchmark}/metrics.json             counts in NeMo-Skills' layout
    results/{model}/eval-results/{benchmark}/samples-strict.csv       the extracted answer and grade of each sample
    results/{model}/eval-results/{benchmark}/details-strict.json      states, stages, flags, both denominators
"""


localrules:
    score,


rule score:
    input:
        dataset="resources/{benchmark}/test.jsonl",
        outputs=seed_outputs,
    output:
        metrics=report(
            "results/{model}/eval-results/{benchmark}/metrics.json",
            caption="captions/metrics.rst",
            category="Metrics",
            subcategory="{benchmark}",
            labels={"model": "{model}", "scorer": "strict"},
        ),
        samples="results/{model}/eval-results/{benchmark}/samples-strict.csv",
        details="results/{model}/eval-results/{benchmark}/details-strict.json",
    log:
        "logs/score/{model}/{benchmark}.log",
    params:
        answer_type=answer_type,
        max_fraction=SETTINGS.config["errors"]["max_failed_fraction"],
        code=code_digest("score"),
    shell:
        "python -m seedbed score --benchmark {wildcards.benchmark} --answer-type {params.answer_type}"
        " --max-fraction {params.max_fraction}"
        " --dataset {input.dataset:q} --out-dir $(dirname {output.metrics:q}) {input.outputs:q} 2> {log:q}"
