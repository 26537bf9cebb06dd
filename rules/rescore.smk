"""
Extract the answer of every generation by a scorer's file, grade it and count.

INPUTS
    resources/{benchmark}/test.jsonl                                  the problems that every seed must have
    results/{model}/eval-results/{benchmark}/output-rs{seed}.jsonl    every seed of the configuration
OUTPUTS
    results/{model}/eval-results/{benchmark}/metrics-{scorer}.json    counts in NeMo-Skills' layout
    results/{model}/eval-results/{benchmark}/samples-{scorer}.csv     the extracted answer and grade of each sample
    results/{model}/eval-results/{benchmark}/details-{scorer}.json    states, stages, flags, both denominators
"""


localrules:
    rescore,


rule rescore:
    input:
        dataset="resources/{benchmark}/test.jsonl",
        outputs=seed_outputs,
    output:
        metrics=report(
            "results/{model}/eval-results/{benchmark}/metrics-{scorer}.json",
            caption="captions/rescored.rst",
            category="Metrics",
            subcategory="{benchmark}",
            labels={"model": "{model}", "scorer": "{scorer}"},
        ),
        samples="results/{model}/eval-results/{benchmark}/samples-{scorer}.csv",
        details="results/{model}/eval-results/{benchmark}/details-{scorer}.json",
    log:
        "logs/rescore/{model}/{benchmark}-{scorer}.log",
    params:
        answer_type=answer_type,
        scorer=scorer_definition,
        code=code_digest("rescore"),
    shell:
        "python -m seedbed rescore --benchmark {wildcards.benchmark} --answer-type {params.answer_type} --alone"
        " --scorer run/config/scorers/{wildcards.scorer}.yaml --dataset {input.dataset:q}"
        " --out-dir $(dirname {output.metrics:q}) {input.outputs:q} 2> {log:q}"
