"""A role lost in the middle of its answers, by `snakemake --profile` on the test Slurm: named, replaced, no loss."""

import os
import signal
import time
from collections.abc import Mapping

from tests.dynamo.place import DynamoFlow, Server, server


def slow(roles: Mapping[str, Server]) -> None:
    """Let both workers take their time over a token."""
    for name in ("prefill", "decode"):
        words = roles[name]["command"]
        words[words.index("--speedup-ratio=1.0")] = "--speedup-ratio=0.2"


def lose(flow: DynamoFlow, role: str, how: signal.Signals, reason: str, after: int) -> float:
    """End a role in the middle of answers, `after` samples are finished; returns the seconds until that is told."""
    flow.until(lambda: sum(flow.finished("m").values()) >= after, f"{after} finished samples", 90)
    flow.until(lambda: flow.note("m", "endpoint.json") is not None, "an endpoint", 60)
    flow.until(lambda: any(tokens > 0 for tokens in flow.tokens("m")), "tokens", 30)
    assert sum(flow.finished("m").values()) < 10
    began = time.monotonic()
    os.kill(flow.role(role), how)
    flow.until(lambda: reason in flow.log(), reason, 60)
    return time.monotonic() - began


def all_is_well(flow: DynamoFlow, reasons: list[str]) -> None:
    """Assert that a run ends with each sample once, its servers having ended for these reasons and then in order."""
    assert flow.finish(200) == 0, flow.said()
    assert flow.finished("m") == {42: 5, 43: 5}
    assert flow.counts("m", "metrics-regex.json") == (60.0, 0.0)
    ran = flow.ran("m")
    assert ran["restarts"] == len(reasons)
    for attempt, reason in zip(ran["attempts"], reasons, strict=False):
        assert attempt["reason"].startswith(reason)
    assert [attempt["state"] for attempt in ran["attempts"]] == [*["failed"] * len(reasons), "stopped"]
    assert flow.jobs() == []


def test_prefill_decode_and_frontend_killed_in_turn_are_named_and_replaced_and_no_finished_sample_is_asked_for_again(
    flow: DynamoFlow,
) -> None:
    flow.lay_out({"m": server(slow)}, max_tokens=100)
    flow.snakemake()
    reasons = []
    for role, after in (("decode", 1), ("prefill", 3), ("frontend", 5)):
        reasons.append(f"role {role} ended (")
        assert lose(flow, role, signal.SIGKILL, reasons[-1], after) < 10
    all_is_well(flow, reasons)


def test_a_worker_that_hangs_in_the_middle_of_its_answers_is_noticed_and_replaced(flow: DynamoFlow) -> None:
    flow.lay_out({"m": server(slow)}, max_tokens=100)
    flow.snakemake()
    reason = "a worker was lost though no process ended: workers registered: 0 of 1 backend"
    assert lose(flow, "decode", signal.SIGSTOP, reason, 1) < 25
    all_is_well(flow, [reason])


def test_a_misspelt_variable_of_the_workers_stops_the_run_before_the_first_sample(flow: DynamoFlow) -> None:
    def misspelt(roles: Mapping[str, Server]) -> None:
        for name in ("prefill", "decode"):
            variables = roles[name]["environment"]
            variables["SGLANG_ENABLE_THINKNG"] = variables.pop("SGLANG_ENABLE_THINKING")

    flow.lay_out({"m": server(misspelt)}, m={"reasoning": "required"})
    flow.snakemake("--retries", "0")
    assert flow.finish(150) != 0
    assert "says `reasoning: required`, but its answer to a test question shows none" in flow.logs_of_seeds("m")
    assert sum(flow.finished("m").values()) == 0
    assert flow.jobs() == []
