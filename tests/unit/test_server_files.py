"""Server files that are wrong: each is refused before anything starts, by file, role or key, and in one line."""

import copy
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from seedbed.config.catalogue import load_server
from seedbed.core.errors import InputError
from seedbed.serving.broker.control import check_plan, counted_ports
from seedbed.serving.node import role as commands
from seedbed.serving.node.addresses import arrange
from seedbed.serving.spec import plan as plans

ROOT = Path(__file__).resolve().parents[2]
WRONG = [1, "x", None, True, [1], {"a": 1}, 1.5, ""]
FINE: dict[str, Any] = {  # which of the wrong values are right for a key of a role
    "name": ["x"],
    "environment": [{"a": 1}],
    "container": ["x"],
    "count": [1],
    "nodes": [1],
    "gpus": [1],
    "workdir": ["x"],
    "frontend": [],
    "start": [1],
    "port": [1, None],
}
KEYS = [*FINE, "command", "secrets", "mounts", "readiness", "version"]
ROLES: dict[str, Any] = {
    "kind": "roles",
    "roles": [
        {"name": "front", "frontend": True, "command": ["serve", "--port={port}"]},
        {"name": "worker", "gpus": 4, "command": ["work", '--config={"a":{"b":{}}}', "${HOME}", "{{x}}"]},
    ],
}


def changed(role: int = 1, **fields: Any) -> dict[str, Any]:
    """Return the roles with fields of one of them changed."""
    found = copy.deepcopy(ROLES)
    found["roles"][role].update(fields)
    return found


def written(folder: Path, definition: object) -> Path:
    """Return a server file with this content, a text as it stands."""
    path = folder / "s.yaml"
    path.write_text(definition if isinstance(definition, str) else yaml.safe_dump(definition, allow_unicode=True))
    return path


def plan(definition: Mapping[str, Any], launcher: str = "slurm", **more: Any) -> plans.Plan:
    """Return the plan of a run that waits for one server `m` on two nodes."""
    entry = {"server": definition, "resources": {"nodes": 2}, "outputs": ["output-rs1.jsonl"], **more}
    return plans.from_json({"run": "r", "launcher": launcher, "site": {"pyxis": False}, "servers": {"m": entry}})


@pytest.mark.parametrize("key", KEYS)
def test_a_key_of_a_role_with_a_value_of_another_type_is_named(tmp_path: Path, key: str) -> None:
    for value in WRONG:
        fields: dict[str, Any] = {key: value}
        path = written(tmp_path, changed(**fields))
        if any(type(value) is type(right) and value == right for right in FINE.get(key, [])):
            load_server(path)
        else:
            with pytest.raises(InputError, match=rf"^{path}: .*roles") as told:
                load_server(path)
            assert key in str(told.value), told.value
            assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        (changed(command="serve --port 1"), r"roles\.1\.command: found 'serve --port 1'; expected array"),
        (changed(count=0), r"roles\.1\.count: found 0; expected at least 1"),
        (changed(environment={"A B": "1"}), "A B"),
        (changed(environment={"A": True}), r"roles\.1\.environment\.A: found True; expected string or number"),
        (changed(mounts=["/a"]), r"roles\.1\.mounts\.0: found '/a'"),
        (changed(readiness={"path": "health"}), r"roles\.1\.readiness\.path: found 'health'"),
        (changed(readiness={"componnt": "x"}), "unknown key 'roles.1.readiness.componnt'; did you mean 'component'"),
        (changed(nodes=2, gpus=0), "role worker: nodes: found 2 without gpus"),
        (changed(0, count=2), "role front: count: found 2, expected one frontend"),
        (changed(frontend=True), "exactly one role must be the frontend"),
        (changed(environment={"HF_TOKEN": "hf_abcdefghijk"}), "roles.1.environment.HF_TOKEN looks like a secret"),
        (changed(command=["x", "--api_key", "word"]), r"roles\.1\.command\.1 \(--api_key\) looks like a secret"),
        ({**ROLES, "environment": {"A": "1"}}, "environment: kind roles has no such key; expected it in each of `rol"),
        ({**ROLES, "workers": {}}, "workers: found {}; expected at least 1|workers: kind roles has no such key"),
        ({"kind": "roles"}, "the key 'roles' is missing; kind roles needs it"),
        ({"kind": "vllm", "model": {"path": "/m"}, "nodes": 2}, "nodes: kind vllm has no such key"),
        ({"kind": "vllm", "model": {"path": "/m"}, "context": 5}, "context: kind vllm has no such key"),
        (
            {"kind": "dynamo-sglang", "model": {"path": "/m"}, "gpus": 4, "workers": {"aggregated": {}}},
            "gpus: kind dyn",
        ),
        ({"kind": "dynamo-sglang", "model": {"path": "/m"}, "workers": {"prefill": {}}}, "workers: found prefill; exp"),
        ("kind: command\ncommand: [a]\ncommand: [b]\n", "line 3: the key 'command' appears twice"),
        ("kind: [", "line 2: .*expected YAML"),
        ("- kind", "the file: found .*; expected object"),
        ("kind: command\ncommand: [x]\nenvironment: &e {A: *e}\n", "line 3|environment"),
    ],
)
def test_a_wrong_server_file_is_told_in_one_line(tmp_path: Path, definition: object, message: str) -> None:
    path = written(tmp_path, definition)
    with pytest.raises(InputError, match=message) as told:
        load_server(path)
    assert str(told.value).startswith(str(path))
    assert "\n" not in str(told.value)


def test_a_server_file_may_name_the_secrets_that_a_role_needs(tmp_path: Path) -> None:
    found = load_server(written(tmp_path, changed(secrets=["HF_TOKEN"])))
    assert found["roles"][1]["secrets"] == ["HF_TOKEN"]


def test_anchors_and_letters_of_all_languages_are_read(tmp_path: Path) -> None:
    text = "kind: roles\nroles:\n- name: a\n  frontend: true\n  command: [größe, '--x={\"y\":{}}']\n"
    text += "  environment: &e {A: '√'}\n- {name: b, command: [b], environment: {<<: *e, B: 1}}\n"
    found = plan(load_server(written(tmp_path, text)))
    check_plan(found)
    first, second = found.servers["m"].roles
    assert first.command == ("größe", '--x={"y":{}}')
    assert second.environment == {"A": "√", "B": "1"}


def test_a_sound_server_is_passed_with_and_without_slurm() -> None:
    for launcher in ("slurm", "local"):
        check_plan(plan(ROLES, launcher), {})


@pytest.mark.parametrize("word", ["{prot}", "--x={Port}", "{node-rank}", '{"a": {model_pth}}'])
@pytest.mark.parametrize("key", ["command", "version", "environment"])
def test_an_unknown_placeholder_is_told_before_anything_starts(key: str, word: str) -> None:
    value: Any = {"A": word} if key == "environment" else [word]
    with pytest.raises(
        InputError, match=rf"^server of m: role worker: {key}: unknown placeholder .*; known are .*host"
    ):
        check_plan(plan(changed(**{key: value})), {})


def test_what_is_no_bare_name_in_braces_passes() -> None:
    slot = arrange(plan(ROLES).servers["m"], ["a", "b"], {"a": "a", "b": "b"}, counted_ports())[1]
    assert commands.local_command(slot) == ["work", '--config={"a":{"b":{}}}', "${HOME}", "{{x}}"]


def test_more_nodes_than_the_placement_gives_are_told_before_anything_is_submitted() -> None:
    with pytest.raises(InputError, match=r"^server of m: its roles need 3 nodes, its job has 2"):
        check_plan(plan(changed(count=3)), {})
    check_plan(plan(changed(count=3), resources={"slurm_extra": "--nodes=3"}), {})
    check_plan(plan(changed(count=3), "local"), {})


def test_a_secret_that_the_shell_does_not_have_is_told_before_anything_starts() -> None:
    with pytest.raises(InputError, match="role worker: secret HUB is not set in the environment of this run"):
        check_plan(plan(changed(secrets=["HUB"])), {})
    check_plan(plan(changed(secrets=["HUB"])), {"HUB": "x"})


def test_two_roles_with_one_fixed_port_on_one_node_are_told() -> None:
    definition = changed(port=8000)
    definition["roles"][0]["port"] = 8000
    with pytest.raises(InputError, match="role worker: port 8000 on node1 is taken by another role"):
        check_plan(plan(definition), {})


def test_processes_that_would_share_a_log_are_told() -> None:
    definition = changed(count=2)
    definition["roles"].append({"name": "worker-1", "command": ["x"]})
    with pytest.raises(InputError, match="server of m: two of its processes are called worker-1"):
        check_plan(plan(definition), {})


def test_a_server_that_no_job_waits_for_is_not_looked_at() -> None:
    check_plan(plan(changed(command=["{prot}"]), outputs=[]), {})


def test_an_image_the_site_does_not_know_is_told_wherever_it_knows_others() -> None:
    known = {"run": "r", "launcher": "slurm", "site": {"pyxis": False, "containers": {"vllm": "/v.sqsh"}}}
    entry = {"server": changed(container="vlm"), "resources": {"nodes": 1}, "outputs": ["o"]}
    with pytest.raises(InputError, match=r"role worker: container 'vlm' is not in site\.yaml; known are vllm"):
        check_plan(plans.from_json({**known, "servers": {"m": entry}}), {})


@pytest.mark.parametrize(
    "text", ["containers: {a: null}", "containers: {a: 3}", "mounts: [1]", "programs: {dynamo_python: ''}"]
)
def test_a_site_of_anything_but_texts_is_told(tmp_path: Path, text: str) -> None:
    from seedbed.serving.spec import site

    (tmp_path / "site.yaml").write_text(text)
    with pytest.raises(InputError, match=rf"site\.yaml: {text.split(':')[0]}: found .*, expected a "):
        site.read(tmp_path / "site.yaml")


def test_a_plan_reads_back_as_it_was_written(tmp_path: Path) -> None:
    found = plan(changed(count=2), resources={"nodes": 3, "slurm_extra": "--nodes=3"}, concurrency=7)
    (tmp_path / "broker.json").write_text(json.dumps(plans.to_json(found)))
    assert plans.read(tmp_path / "broker.json") == found
    assert plans.to_json(found)["servers"]["m"]["resources"] == {"nodes": 3, "slurm_extra": "--nodes=3"}
