"""
Ask a model every problem of a benchmark, once a seed: one job, one seed, one file.

INPUTS
    resources/{benchmark}/test.jsonl
    results/{model}/server.spec.json                                 what of the server shapes an answer
OUTPUTS
    results/{model}/eval-results/{benchmark}/output-rs{seed}.jsonl   one record a problem, in the dataset's order
Finished samples are kept in store/{model}/{benchmark}/rs{seed}.jsonl, which is nobody's output: a job that runs
again takes from it what still fits. How to get there (addresses, time-outs, concurrency) is read from run/{model}/.
"""

workflow.localrules(*SETTINGS.rules_on_submit_host)


rule generate:
    input:
        dataset="resources/{benchmark}/test.jsonl",
        server="results/{model}/server.spec.json",
        weights=model_weights,
    output:
        "results/{model}/eval-results/{benchmark}/output-rs{seed}.jsonl",
    log:
        "logs/generate/{model}/{benchmark}-rs{seed}.log",
    wildcard_constraints:
        model=any_of(SETTINGS.generated),
    priority: order_of_model
    params:
        fingerprint=fingerprint,
    shell:
        "python -m seedbed generate --run run/{wildcards.model}/client.json --benchmark {wildcards.benchmark}"
        " --seed {wildcards.seed} --data {input.dataset:q} --server {input.server:q}"
        " --fingerprint {params.fingerprint} --out {output:q} 2> {log:q}"
