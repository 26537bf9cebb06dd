"""
Take an answer from every generation and count.

INPUTS
    resources/{benchmark}/test.jsonl                                  the problems that every seed must have
    results/{model}/eval-results/{benchmark}/output-rs{seed}.jsonl    every seed of the configuration
OUTPUTS
    results/{model}/eval-results/{benchmark}/metrics.json             answers from the last \\boxed{}
    results/{model}/eval-results/{benchmark}/metrics-{scorer}.json    answers as the scorer's file says
    results/{model}/eval-results/{benchmark}/samples-{scorer}.csv     what a scorer made of each sample
    results/{model}/eval-results/{benchmark}/details-{scorer}.json    states, stages, flags, both denominators
"""


localrules:
    score,
    rescore,


rule score:
    input:
        dataset="resources/{benchmark}/test.jsonl",
        outputs=seed_outputs,
    output:
        metrics="results/{model}/eval-results/{benchmark}/metrics.json",
        samples="results/{model}/eval-results/{benchmark}/samples-strict.csv",
        details="results/{model}/eval-results/{benchmark}/details-strict.json",
    log:
        "logs/score/{model}/{benchmark}.log",
    conda:
        "../envs/eval.yaml"
    params:
        answer_type=answer_type,
        max_fraction=SETTINGS.config["errors"]["max_fraction"],
        code=code_digest("score.py"),
    shell:
        "python -m scripts.score --benchmark {wildcards.benchmark} --answer-type {params.answer_type}"
        " --max-fraction {params.max_fraction}"
        " --dataset {input.dataset:q} --out-dir $(dirname {output.metrics:q}) {input.outputs:q} 2> {log:q}"


rule rescore:
    input:
        dataset="resources/{benchmark}/test.jsonl",
        outputs=seed_outputs,
    output:
        metrics="results/{model}/eval-results/{benchmark}/metrics-{scorer}.json",
        samples="results/{model}/eval-results/{benchmark}/samples-{scorer}.csv",
        details="results/{model}/eval-results/{benchmark}/details-{scorer}.json",
    log:
        "logs/rescore/{model}/{benchmark}-{scorer}.log",
    conda:
        "../envs/eval.yaml"
    params:
        answer_type=answer_type,
        scorer=scorer_definition,
        code=code_digest("rescore.py"),
    shell:
        "python -m scripts.rescore --benchmark {wildcards.benchmark} --answer-type {params.answer_type} --alone"
        " --scorer run/config/scorers/{wildcards.scorer}.yaml --dataset {input.dataset:q}"
        " --out-dir $(dirname {output.metrics:q}) {input.outputs:q} 2> {log:q}"
