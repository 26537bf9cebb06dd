"""
Ask a model every problem of a benchmark with one seed: one job and one file per seed.

INPUTS
    resources/{benchmark}/test.jsonl
    results/{model}/server.spec.json                                 all of the server that shapes an answer
OUTPUTS
    results/{model}/eval-results/{benchmark}/output-rs{seed}.jsonl   one record a problem, in the dataset's order
Finished samples are stored in store/{model}/{benchmark}/rs{seed}.jsonl, which is no rule's output: a job that runs again
takes those whose request is unchanged. Addresses, time-outs and concurrency are read from run/{model}/client.json; they
are no params, since they shape no answer.
"""

internals.run_on_submit_host(workflow, SETTINGS.rules_on_submit_host)


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
        request_fingerprint=request_fingerprint,
    shell:
        "python -m seedbed generate --run run/{wildcards.model}/client.json --benchmark {wildcards.benchmark}"
        " --seed {wildcards.seed} --data {input.dataset:q} --server {input.server:q}"
        " --request-fingerprint {params.request_fingerprint} --out {output:q} 2> {log:q}"
