"""The whole workflow, by `snakemake --profile`, against a real Dynamo over two nodes of a real Slurm."""

import platform
import venv

from tests.dynamo.place import SHIPPED, DynamoFlow, saying, server


def test_prefill_and_decode_on_two_nodes_to_metrics_whose_counts_are_known(flow: DynamoFlow) -> None:
    bare = flow.files / f"nodes-{platform.machine()}"  # the nodes' own Python, without any package
    venv.create(bare, symlinks=True)
    python = f"{flow.files}/nodes-{{machine}}/bin/python"
    flow.lay_out({"prose": SHIPPED, "boxed": server(saying("So \\boxed{7}"))}, python=python)
    flow.snakemake()
    code = flow.finish(100)
    assert code == 0, flow.said()
    assert flow.counts("prose", "metrics.json") == (0.0, 100.0)
    assert flow.counts("prose", "metrics-regex.json") == (60.0, 0.0)
    assert flow.counts("boxed", "metrics.json") == (60.0, 0.0)
    assert flow.counts("boxed", "metrics-regex.json") == (60.0, 0.0)
    assert flow.log().count(": start 1 as") == 2
    assert flow.jobs() == []
    ran = flow.ran("prose")
    (attempt,) = ran["attempts"]
    where = {process["role"]: (process["node"], process["gpus"]) for process in attempt["processes"]}
    assert where == {"frontend": ("gb1", 0), "prefill": ("gb1", 4), "decode": ("gb2", 4)}
    assert (ran["restarts"], attempt["state"], attempt["gpus"], attempt["guarded"]) == (0, "stopped", 8, False)
    assert attempt["version"] == "NVIDIA Dynamo OpenAI Frontend 1.6.1"
    assert attempt["started"] < attempt["ready"] < attempt["ended"]
    assert 0 < ran["gpu_hours"] < 0.5
    assert [process.get("version") for process in attempt["processes"]] == [None, *["Dynamo Mocker 1.6.1"] * 2]
    note = flow.note("prose", f"attempt-{attempt['attempt']}.json")
    assert note is not None
    assert note["python"] == f"{bare}/bin/python"
