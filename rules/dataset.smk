"""
Fetch a benchmark's rows and check them against their pin.

TARGETS
    prepare                                everything a configuration needs from outside, for machines without internet
OUTPUTS
    resources/{benchmark}/test.jsonl       rows: id, problem, expected_answer and what else the source has
    resources/{benchmark}/source.json      where they came from: source, digests, number of rows
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
