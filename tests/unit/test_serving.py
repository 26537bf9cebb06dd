"""What a server file means: its answer-relevant part, its roles, their command lines and environments."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from seedbed.commands.server import answer_relevant, main, model_file
from seedbed.core.errors import InputError
from seedbed.serving.broker.control import counted_ports
from seedbed.serving.launch import sbatch
from seedbed.serving.node import role as commands
from seedbed.serving.node.addresses import arrange
from seedbed.serving.spec import plan as plans
from seedbed.serving.spec import site as sites
from seedbed.serving.spec.server_file import Role, frontend, roles
from seedbed.serving.spec.site import Site

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = sorted((ROOT / "config/servers").glob("*.yaml"))


def load(name: str) -> dict[str, Any]:
    """Return a shipped server definition."""
    found: dict[str, Any] = yaml.safe_load((ROOT / f"config/servers/{name}.yaml").read_text())
    return found


def server(definition: dict[str, Any], placement: dict[str, Any] | None = None) -> plans.ServerPlan:
    """Return the plan of one server `m`."""
    text = {"run": "0123456789abcdef", "servers": {"m": {"server": definition, "resources": placement or {}}}}
    return plans.from_json(text).servers["m"]


def gb200_slots() -> dict[str, commands.Slot]:
    """Return the processes of the GB200 server on two nodes, by role, their ports made equal to their place."""
    plan = server(load("dynamo-sglang-1p1d-gb200"))
    slots = arrange(plan, ["gb1", "gb2"], {"gb1": "10.0.0.1", "gb2": "10.0.0.2"}, counted_ports())
    return {slot.role.name: slot for slot in slots}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("licence", "MIT"),
        ("readiness", {"timeout": 1}),
        ("slots", 9),
        ("threads", 9),
        ("port", 9000),
        ("secrets", ["A"]),
    ],
)
def test_what_shapes_no_answer_is_not_in_the_spec(key: str, value: object) -> None:
    definition = load("smollm2-local")
    assert answer_relevant(definition | {key: value}) == answer_relevant(definition)


@pytest.mark.parametrize(
    ("key", "value"),
    [("context", 4096), ("engine", "xllamacpp==1.0"), ("flags", {"n_batch": 64}), ("environment", {"A": "1"})],
)
def test_what_shapes_an_answer_is_in_the_spec(key: str, value: object) -> None:
    definition = load("smollm2-local")
    assert answer_relevant(definition | {key: value}) != answer_relevant(definition)


def test_the_place_of_the_model_is_not_in_the_spec_but_its_content_is() -> None:
    definition = load("smollm2-local")
    moved = copy.deepcopy(definition)
    moved["model"].update(wheel="other==1", wheel_sha256="0" * 64, member="elsewhere/x.gguf")
    assert answer_relevant(moved) == answer_relevant(definition)
    moved["model"]["sha256"] = "0" * 64
    assert answer_relevant(moved) != answer_relevant(definition)
    assert model_file(definition) == "resources/models/SmolLM2-135M-Instruct.Q4_1.gguf"


@pytest.mark.parametrize("key", ["count", "nodes", "gpus", "start", "port", "mounts", "workdir", "secrets"])
def test_the_placement_of_a_role_is_not_in_the_spec(key: str) -> None:
    first, role = {"name": "f", "command": ["f"], "frontend": True}, {"name": "a", "command": ["x"], "gpus": 1}
    value: object = {"mounts": ["/a:/b"], "workdir": "/w", "secrets": ["A"]}.get(key, 3)
    changed = {"kind": "roles", "roles": [first, {**role, key: value}]}
    assert answer_relevant(changed) == answer_relevant({"kind": "roles", "roles": [first, role]})


@pytest.mark.parametrize(("key", "value"), [("command", ["y"]), ("environment", {"A": "1"}), ("container", "c")])
def test_command_environment_and_image_of_a_role_are_in_the_spec(key: str, value: object) -> None:
    definition = {"kind": "roles", "roles": [{"name": "a", "command": ["x"]}]}
    changed = {"kind": "roles", "roles": [{"name": "a", "command": ["x"], key: value}]}
    assert answer_relevant(changed) != answer_relevant(definition)


def test_somebody_elses_server_is_its_name_alone() -> None:
    definition = {"kind": "endpoint", "served_name": "big"}
    assert answer_relevant(definition) == {"format": 1, "kind": "endpoint", "served_name": "big"}


def test_equal_servers_give_equal_bytes(tmp_path: Path) -> None:
    definition = load("smollm2-local")
    for name, keys in (("a", list(definition)), ("b", sorted(definition, reverse=True))):
        (tmp_path / f"{name}.json").write_text(json.dumps({key: definition[key] for key in keys}))
        assert main(["--definition", str(tmp_path / f"{name}.json"), "--out", str(tmp_path / f"{name}.out")]) == 0
    assert (tmp_path / "a.out").read_bytes() == (tmp_path / "b.out").read_bytes()


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_every_shipped_server_expands_to_roles_with_one_frontend(file: Path) -> None:
    definition = yaml.safe_load(file.read_text())
    found = roles(definition)
    assert frontend(found).command
    assert "format" in answer_relevant(definition)


def test_llama_cpp_gives_every_slot_its_context() -> None:
    command = roles(load("smollm2-local"))[0].command
    assert command[command.index("--context") + 1] == str(2048 * 4)
    assert command[command.index("--slots") + 1] == "4"


def test_two_frontends_or_two_equal_names_are_errors() -> None:
    one = {"name": "a", "command": ["x"], "frontend": True}
    with pytest.raises(InputError, match="exactly one role must be the frontend"):
        roles({"kind": "roles", "roles": [one, one | {"name": "b"}]})
    with pytest.raises(InputError, match="every name once"):
        roles({"kind": "roles", "roles": [one, one | {"frontend": False}]})


def test_only_a_bare_name_in_braces_is_a_placeholder() -> None:
    words = ['{"enable_thinking": true}', "{port}", "{{}}", "--x={host}:{port}", '{"a":{"b":1}}']
    filled = commands.fill(words, {"host": "h", "port": "1"}, "role a")
    assert filled == ['{"enable_thinking": true}', "1", "{{}}", "--x=h:1", '{"a":{"b":1}}']
    with pytest.raises(InputError, match=r"role a: unknown placeholder \{prot\}; known are host, port"):
        commands.fill(["{prot}"], {"host": "h", "port": "1"}, "role a")


def test_gpu_roles_get_nodes_of_their_own_and_the_frontend_the_first() -> None:
    slots = gb200_slots()
    assert {name: slot.node for name, slot in slots.items()} == {"frontend": "gb1", "prefill": "gb1", "decode": "gb2"}
    with pytest.raises(InputError, match="its roles need 2 nodes, its job has 1"):
        arrange(server(load("dynamo-sglang-1p1d-gb200")), ["gb1"], {"gb1": "10.0.0.1"})


def test_a_role_on_several_nodes_is_one_process_a_node_with_its_rank() -> None:
    definition = {
        "kind": "roles",
        "roles": [{"name": "w", "nodes": 2, "gpus": 4, "command": ["{node_rank}/{nodes}", "{master}:{master_port}"]}],
    }
    address = {"a": "1.1.1.1", "b": "2.2.2.2"}
    slots = arrange(server(definition), ["a", "b"], address, counted_ports())
    assert [commands.local_command(slot) for slot in slots] == [["0/2", "1.1.1.1:20000"], ["1/2", "1.1.1.1:20000"]]
    assert [slot.label for slot in slots] == ["w-node0", "w-node1"]


def test_the_command_line_of_a_role_in_a_container() -> None:
    role = Role(
        "w", ("serve", "{port}"), gpus=4, container="img", mounts=("/data:/data",), workdir="/w", environment={"A": "1"}
    )
    slot = commands.Slot(role, 0, 0, "gb1", {"port": "8000"})
    site = Site(containers={"img": "/images/x.sqsh"}, mounts=("/models:/models",))
    step = ["srun", "--overlap", "--jobid=7", "--nodelist=gb1", "--nodes=1", "--ntasks=1", "--kill-on-bad-exit=1"]
    step += ["--export=ALL", "--job-name=w", "--gpus-per-node=4"]
    container = ["--container-image=/images/x.sqsh", "--container-mounts=/models:/models,/data:/data"]
    container += ["--container-workdir=/w", "--container-env=A"]
    assert commands.slurm_command(slot, "7", site, pyxis=True) == [*step, *container, "serve", "8000"]
    bare = commands.slurm_command(slot, "7", site, pyxis=False, gres=False)
    assert not any("gpus" in word or "gres" in word for word in bare)
    assert commands.slurm_command(slot, "7", site, pyxis=False) == [*step, "--chdir=/w", "serve", "8000"]
    with pytest.raises(InputError, match=r"'img' is not in site.yaml; known are none; .* containers: \{img: IMAGE\}"):
        commands.slurm_command(slot, "7", Site(), pyxis=True)


COMMAND = "2026-12-01T10:00:00+0000 on gpu-1: srun --overlap --container-image=/images/x.sqsh python3 -m sglang"
PYXIS = "slurmstepd: error: pyxis: failed to import image: /images/x.sqsh: No such file or directory"
END = "srun: error: gpu-1: task 0: Exited with exit code 1"


OOM = "slurmstepd: error: Detected 1 oom_kill event in StepId=7.1. Some of the step tasks have been OOM Killed."
GRES = "srun: error: Unable to create step for job 7: Invalid generic resource (gres) specification"
EXECVE = "slurmstepd-gpu-1: error: execve(): no-such-program: No such file or directory"


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([COMMAND, PYXIS, END], PYXIS),
        ([COMMAND, "loading", "CUDA error: no device", END], "CUDA error: no device"),
        ([COMMAND, "loading", OOM, END], OOM),
        ([COMMAND, GRES], GRES),
        ([COMMAND, EXECVE, END], EXECVE),
        ([COMMAND, END], END),
        ([COMMAND], "it said nothing"),
        ([], "it said nothing"),
    ],
)
def test_the_reason_of_an_end_is_never_filtered_out_and_never_our_own_command(lines: list[str], reason: str) -> None:
    assert commands.last_reason(lines) == reason


def test_no_value_of_a_variable_stands_on_a_command_line() -> None:
    slot = gb200_slots()["prefill"]
    words = commands.slurm_command(slot, "7", Site(containers={"dynamo-sglang": "i"}), pyxis=True)
    assert not any("SGLANG_REASONING_EFFORT=" in word for word in words)
    seen = commands.environment(slot, {"PATH": "/bin", "TOKEN": "t"}, ["TOKEN"], {"SEEDBED_RUN": "r"})
    assert seen["SGLANG_ENABLE_THINKING"] == "1"
    assert seen["DYN_TCP_RPC_HOST"] == "10.0.0.1"
    assert seen["SEEDBED_RUN"] == "r"
    assert "TOKEN" not in seen


def test_the_batch_script_is_rendered_from_the_placement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    placement = {
        "slurm_partition": "gb200",
        "slurm_account": "a b",
        "nodes": 2,
        "gres": "gpu:gb200:4",
        "runtime": 480,
        "mem_mb": 0,
        "qos": "",
        "slurm_extra": "--exclusive --mail-type=FAIL '--comment2=two words'",
        "tmpdir": "/tmp",
        "_cores": 1,
    }
    text = {"run": "0123456789abcdef", "servers": {"m": {"server": load("smollm2-local"), "resources": placement}}}
    plan = plans.from_json(text)
    lines = sbatch.script(plan, plan.servers["m"], Path("run/broker.json"), 2, Path("logs/server/m-2.log")).splitlines()
    assert [line.removeprefix("#SBATCH ") for line in lines if line.startswith("#SBATCH")] == [
        "--partition=gb200",
        "'--account=a b'",
        "--nodes=2",
        "--gres=gpu:gb200:4",
        "--time=480",
        "--mem=0",
        "--exclusive",
        "--mail-type=FAIL",
        "'--comment2=two words'",
        "--job-name=seedbed-m-01234567-2",
        "--comment=server_m",
        f"--chdir={tmp_path}",
        "--output=logs/server/m-2.log",
        "--open-mode=append",
        "--no-requeue",
    ]
    assert lines[-1].startswith("exec ")
    assert lines[-1].endswith(
        f"-m seedbed.serving.node.supervisor --plan {tmp_path}/run/broker.json --model m --attempt 2"
    )


def test_a_placement_that_sbatch_could_misread_is_refused() -> None:
    with pytest.raises(InputError, match="resources of server: qos"):
        sbatch.options({"qos": "x\n#SBATCH --uid=0"})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("container: {}", "unknown key 'container'; expected one of containers, gres, mounts"),
        ("containers: [a]", "containers: found .* expected a map of aliases to images"),
        ("network: 7", "network: found 7, expected the name of an interface such as ib0, or a network"),
        ("gres: perhaps", "gres: found 'perhaps', expected true, false or auto"),
        ("pyxis: maybe", "pyxis: found 'maybe', expected true, false or auto"),
        ("mounts: /a:/b", "mounts: found '/a:/b', expected a list of texts"),
        ("- a", "found list, expected a map"),
    ],
)
def test_a_wrong_site_file_is_named_with_its_key(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "site.yaml").write_text(text)
    with pytest.raises(InputError, match=said):
        sites.read(tmp_path / "site.yaml")


def test_the_shipped_site_file_is_sound_and_a_missing_one_is_empty(tmp_path: Path) -> None:
    known = sites.site(sites.read(ROOT / "config/site.yaml"))
    assert known == Site()
    assert sites.read(tmp_path / "none.yaml") == {}


def test_the_symlink_of_the_slurm_profile_resolves_and_its_keys_are_snakemakes() -> None:
    assert (ROOT / "slurm").resolve() == ROOT / "profiles" / "slurm"
    profile = yaml.safe_load((ROOT / "slurm/config.yaml").read_text())
    assert profile["executor"] == "slurm"
    assert profile["set-resources"]["server"]["gres"] == "gpu:gb200:4"
    lines = (ROOT / "slurm/config.yaml").read_text().splitlines()
    assert [line for line in lines if line.strip() and "#" not in line] == []


@pytest.mark.parametrize(
    ("placement", "told"),
    [
        ({"nodes": "two"}, "nodes: found 'two'; expected a number of nodes"),
        ({"qos": "a;b"}, "qos: found 'a;b', not a value that sbatch takes"),
        ({"slurm_account": " a"}, "slurm_account: found ' a', not a value that sbatch takes"),
        (
            {"slurm_extra": "--comment='x"},
            r"slurm_extra: found .* \(No closing quotation\); expected flags",
        ),
        ({"clusters": "other"}, "clusters: found 'other'; expected none, the cluster is this host's"),
    ],
)
def test_a_placement_that_no_script_can_be_made_of_is_told(placement: dict[str, str], told: str) -> None:
    with pytest.raises(InputError, match=f"resources of server: {told}"):
        sbatch.check([{}, placement])


def test_a_folder_whose_name_slurm_would_rewrite_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "50%j").mkdir()
    monkeypatch.chdir(tmp_path / "50%j")
    with pytest.raises(InputError, match="50%j: Slurm replaces % and what follows in paths of logs"):
        sbatch.check([])
