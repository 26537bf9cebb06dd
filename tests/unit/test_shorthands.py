"""What the shorthands of server files stand for, word for word."""

from pathlib import Path
from typing import Any

import pytest

from seedbed.core.errors import InputError
from seedbed.core.schema import conform
from seedbed.serving.spec.server_file import answer_relevant, expand, planes, roles, words

ROOT = Path(__file__).resolve().parents[2]
DYNAMO: dict[str, Any] = {
    "kind": "dynamo-sglang",
    "container": "image",
    "environment": {"NCCL_DEBUG": "WARN"},
    "flags": {"context-length": 4096},
    "frontend": {"flags": {"router-mode": "kv"}},
    "workers": {
        "prefill": {"count": 2, "gpus": 4, "flags": {"tp_size": 4}, "environment": {"SGLANG_ENABLE_THINKING": "1"}},
        "decode": {"nodes": 2, "gpus": 4, "flags": {"context-length": 8192}},
    },
}


def one(definition: dict[str, Any]) -> list[str]:
    """Return the command of a server's only role."""
    (role,) = roles(conform(definition, "server", "s.yaml"))
    assert role.frontend
    return list(role.command)


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ({"tp-size": 4}, ["--tp-size=4"]),
        ({"mem_fraction_static": 0.9}, ["--mem-fraction-static=0.9"]),
        ({"trust-remote-code": True}, ["--trust-remote-code"]),
        ({"trust-remote-code": False, "dtype": None}, []),
        ({"cuda-graph-bs": [1, 2]}, ["--cuda-graph-bs", "1", "2"]),
        ({"deepep-config": '{"a":{"b":1}}'}, ['--deepep-config={"a":{"b":1}}']),
    ],
)
def test_flags_become_words(flags: dict[str, Any], expected: list[str]) -> None:
    assert words(flags) == expected


def test_a_map_as_the_value_of_a_flag_is_refused_by_its_key() -> None:
    with pytest.raises(InputError, match=r"flags\.deepep: found a map; expected a text"):
        words({"deepep": {"a": 1}})


def test_vllm_is_one_process_on_one_node() -> None:
    definition = {"kind": "vllm", "gpus": 4, "flags": {"tensor-parallel-size": 4}, "api_key_env": "VLLM_API_KEY"}
    assert one(definition) == [
        *["vllm", "serve", "{model_path}", "--served-model-name={served_name}", "--host={host}", "--port={port}"],
        "--tensor-parallel-size=4",
    ]
    assert roles(definition)[0].gpus == 4
    assert roles(definition)[0].readiness == {"path": "/health"}


def test_sglang_over_two_nodes_is_told_where_its_first_rank_is() -> None:
    assert one({"kind": "sglang", "nodes": 2, "gpus": 4})[-3:] == [
        "--nnodes={nodes}",
        "--node-rank={node_rank}",
        "--dist-init-addr={master}:{master_port}",
    ]
    assert "--nnodes={nodes}" not in one({"kind": "sglang", "gpus": 4})


def test_sglang_reads_the_key_of_the_run_from_a_file_unless_it_has_a_file_of_its_own() -> None:
    assert one({"kind": "sglang", "gpus": 4})[-1] == "--config={scratch}/key.yaml"
    own = one({"kind": "sglang", "gpus": 4, "flags": {"config": "/shared/own.yaml"}})
    assert [word for word in own if word.startswith("--config")] == ["--config=/shared/own.yaml"]


def test_a_command_is_taken_as_it_is_written() -> None:
    assert one({"kind": "command", "command": ["serve", "--json={}", "{port}"]}) == ["serve", "--json={}", "{port}"]


def test_dynamo_is_a_frontend_and_its_workers() -> None:
    front, prefill, decode = roles(conform(DYNAMO, "server", "s.yaml"))
    assert (front.name, front.frontend, front.gpus, front.start) == ("frontend", True, 0, 0)
    assert front.command == (
        *("python3", "-m", "dynamo.frontend", "--http-host={host}", "--http-port={port}", "--router-mode=kv"),
    )
    assert (prefill.count, prefill.nodes, prefill.gpus, prefill.start) == (2, 1, 4, 1)
    assert prefill.command[3:] == (
        *("--model-path={model_path}", "--served-model-name={served_name}", "--host={host}"),
        *("--disaggregation-mode=prefill", "--disaggregation-transfer-backend=nixl"),
        *("--disaggregation-bootstrap-port={port}", "--context-length=4096", "--tp-size=4"),
    )
    assert (decode.count, decode.nodes) == (1, 2)
    assert decode.command[-1] == "--context-length=8192"
    assert "--dist-init-addr={master}:{master_port}" in decode.command
    assert [role.readiness for role in (prefill, decode)] == [{"component": "prefill"}, {"component": "backend"}]
    assert {role.container for role in (front, prefill, decode)} == {"image"}


def test_a_workers_variables_are_its_own_and_the_servers_are_everybodys() -> None:
    front, prefill, decode = roles(DYNAMO)
    assert prefill.environment["SGLANG_ENABLE_THINKING"] == "1"
    assert "SGLANG_ENABLE_THINKING" not in decode.environment
    assert {role.environment["NCCL_DEBUG"] for role in (front, prefill, decode)} == {"WARN"}


def test_neither_etcd_nor_nats_is_needed_and_both_can_be_named() -> None:
    assert planes({})["DYN_FILE_KV"] == "{scratch}/discovery"
    assert {planes({})[f"DYN_{name}"] for name in ("DISCOVERY_BACKEND", "REQUEST_PLANE", "EVENT_PLANE")} == {
        *("file", "tcp", "zmq"),
    }
    named = planes({"discovery": "etcd", "requests": "nats", "events": "nats"})
    assert "DYN_FILE_KV" not in named
    assert (named["DYN_DISCOVERY_BACKEND"], named["DYN_REQUEST_PLANE"]) == ("etcd", "nats")


def test_roles_written_out_are_left_alone() -> None:
    entries = [{"name": "a", "command": ["x"]}]
    assert expand({"kind": "roles", "roles": entries}) == entries


def test_the_spec_of_a_shorthand_holds_its_words_but_no_count() -> None:
    more = {**DYNAMO, "workers": {**DYNAMO["workers"], "prefill": {**DYNAMO["workers"]["prefill"], "count": 3}}}
    assert answer_relevant(DYNAMO) == answer_relevant(more)
    deeper = {**DYNAMO, "flags": {"context-length": 512}}
    assert answer_relevant(DYNAMO) != answer_relevant(deeper)
