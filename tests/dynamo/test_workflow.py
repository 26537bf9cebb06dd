"""The whole workflow, by `snakemake --profile`, against a real Dynamo over two nodes of a real Slurm."""

import os
import signal
from collections.abc import Mapping

from tests.dynamo.place import SHIPPED, DynamoFlow, Server, saying, server


def slow(roles: Mapping[str, Server]) -> None:
    """Let both workers take their time over a token."""
    for name in ("prefill", "decode"):
        words = roles[name]["command"]
        words[words.index("--speedup-ratio=1.0")] = "--speedup-ratio=0.2"


def test_prefill_and_decode_on_two_nodes_to_metrics_whose_counts_are_known(flow: DynamoFlow) -> None:
    flow.lay_out({"prose": SHIPPED, "boxed": server(saying("So \\boxed{7}"))})
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


def test_a_worker_killed_in_the_middle_of_its_answers_is_replaced_and_no_finished_sample_is_asked_for_again(
    flow: DynamoFlow,
) -> None:
    flow.lay_out({"m": server(slow)}, max_tokens=100)
    flow.snakemake()
    flow.until(lambda: any(tokens > 0 for tokens in flow.tokens("m")), "tokens", 60)
    os.kill(flow.role("decode"), signal.SIGKILL)
    assert flow.finish(150) == 0, flow.said()
    assert flow.counts("m", "metrics-regex.json") == (60.0, 0.0)
    assert "role decode ended (" in flow.log()
    ran = flow.ran("m")
    assert ran["restarts"] == 1
    assert ran["attempts"][0]["reason"].startswith("role decode ended")
    assert flow.jobs() == []
