"""
Fetch a benchmark's rows and check them against their pin.

TARGETS
    prepare                                all downloads of a configuration, for machines without internet
OUTPUTS
    resources/{benchmark}/test.jsonl       rows: id, problem, expected_answer and other columns of the source
    resources/{benchmark}/source.json      their source, digests and number
"""


localrules:
    prepare,
    prepare_dataset,


rule prepare:
    input:
        all_datasets,
        all_weights,


rule prepare_dataset:
    output:
        rows="resources/{benchmark}/test.jsonl",
        record="resources/{benchmark}/source.json",
    log:
        "logs/prepare_dataset/{benchmark}.log",
    priority: 100
    params:
        shapes_rows=shapes_rows,
    shell:
        "python -m seedbed prepare_dataset --definition run/config/benchmarks/{wildcards.benchmark}.json"
        " --out {output.rows:q} --record {output.record:q} 2> {log:q}"
