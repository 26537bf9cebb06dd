"""The exact command lines of the shipped servers, against reviewed ones. Rewrite them with SEEDBED_REVIEW=1."""

import os
import re
from pathlib import Path

import pytest
import yaml

from seedbed.commands import server_plan
from seedbed.core.errors import InputError
from seedbed.core.schema import conform, read_yaml
from seedbed.serving.spec.server_file import check_context_length, lengths
from seedbed.serving.spec.site import Site

ROOT = Path(__file__).resolve().parents[2]
REVIEWED = Path(__file__).parent / "cases" / "server_plans"
GB200 = "dynamo-sglang-1p1d-gb200"
SITE = Site(
    containers={"dynamo-sglang": "/images/dynamo-sglang.sqsh", "vllm": "/images/vllm.sqsh", "sglang": "/s.sqsh"},
    mounts=("/models:/models",),
)


def load(name: str) -> dict[str, object]:
    """Return a shipped server file, checked by its schema."""
    return conform(read_yaml(ROOT / "config" / "servers" / f"{name}.yaml"), "server", name)


@pytest.mark.parametrize(
    ("name", "nodes", "pyxis"),
    [
        (GB200, ["gb1", "gb2"], True),
        (GB200, ["gb1", "gb2"], False),
        ("dynamo-mocker-1p1d", ["gb1", "gb2"], False),
        ("vllm-single-node", ["gb1"], True),
        ("sglang-single-node", ["gb1"], True),
        ("vllm-single-node", ["localhost"], False),
    ],
)
def test_the_command_lines_are_the_reviewed_ones(name: str, nodes: list[str], pyxis: bool) -> None:
    found = server_plan.plan(load(name), "m", nodes, SITE, pyxis)
    kind = "local" if nodes == ["localhost"] else "pyxis" if pyxis else "bare"
    file = REVIEWED / f"{name}-{kind}.txt"
    if os.environ.get("SEEDBED_REVIEW"):
        file.write_text(found)
    assert found == file.read_text()


def test_every_flag_of_the_gb200_server_is_explained_in_its_file() -> None:
    lines = (ROOT / "config" / "servers" / f"{GB200}.yaml").read_text().splitlines()
    for role in yaml.safe_load("\n".join(lines))["roles"]:
        for flag in (word.split("=")[0] for word in role["command"] if word.startswith("--")):
            assert any(re.search(rf"- {flag}=?\S* +# \w", line) for line in lines), flag
        for name in role["environment"]:
            assert any(re.search(rf"^ +{name}: .+# \w", line) for line in lines), name


def test_prefill_and_decode_have_nodes_of_their_own_and_the_frontend_is_beside_the_first() -> None:
    placed = {slot.label: slot.node for slot in server_plan.slots(load(GB200), "m", ["gb1", "gb2"], SITE)}
    assert placed == {"frontend": "gb1", "prefill": "gb1", "decode": "gb2"}


def test_no_two_processes_of_a_node_get_one_port() -> None:
    slots = server_plan.slots(load(GB200), "m", ["gb1", "gb2"], SITE)
    ports = [(slot.node, slot.values["port"]) for slot in slots]
    assert len(set(ports)) == len(ports)


def test_too_few_nodes_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError, match="its roles need 2 nodes, its job has 1"):
        server_plan.main([GB200, "--nodes", "gb1", "--pyxis", "no"])
    assert capsys.readouterr().out == ""


def test_an_image_that_the_site_does_not_know_is_told() -> None:
    with pytest.raises(InputError, match=r"container 'dynamo-sglang' is not in site\.yaml; known are none"):
        server_plan.plan(load(GB200), "m", ["gb1", "gb2"], Site(), pyxis=True)


def test_without_pyxis_an_alias_must_still_be_one_that_the_site_knows() -> None:
    with pytest.raises(InputError, match=r"container 'dynamo-sglang' is not in site\.yaml; known are dynamo-sgl"):
        server_plan.plan(load(GB200), "m", ["gb1", "gb2"], Site(containers={"dynamo-sgl": "x"}), pyxis=False)
    bare = server_plan.plan(load(GB200), "m", ["gb1", "gb2"], Site(), pyxis=False)
    assert bare.splitlines()[0] == "# frontend on gb1, bare, for want of pyxis: image dynamo-sglang"


@pytest.mark.parametrize("nodes", [",", "gb1,gb1"])
def test_nothing_is_printed_for_no_nodes_or_one_twice(nodes: str) -> None:
    with pytest.raises(InputError, match=f"--nodes: found '{nodes}'; expected names of nodes, each once"):
        server_plan.main([GB200, "--nodes", nodes])


def test_the_site_is_the_one_of_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = tmp_path / "site.yaml"
    site.write_text("containers: {other: x}\n")
    monkeypatch.setenv("SEEDBED_SITE", str(site))
    with pytest.raises(InputError, match="known are other"):
        server_plan.main([GB200, "--nodes", "gb1,gb2", "--pyxis", "no"])
    monkeypatch.setenv("SEEDBED_SITE", str(tmp_path / "none.yaml"))
    with pytest.raises(InputError, match=r"none\.yaml: there is no such file; expected the site's"):
        server_plan.main([GB200, "--nodes", "gb1,gb2"])


def test_the_contexts_of_all_roles_are_read() -> None:
    assert lengths(load(GB200)) == {"prefill.context-length": 450000, "decode.context-length": 450000}
    assert lengths(load("vllm-single-node")) == {"server.max-model-len": 40960}
    assert lengths(load("smollm2-local")) == {"context": 2048}


@pytest.mark.parametrize(("tokens", "fits"), [(400000, True), (None, True), (450000, False), (500000, False)])
def test_a_context_must_hold_the_answer_and_a_prompt(tokens: int | None, fits: bool) -> None:
    if fits:
        check_context_length(load(GB200), tokens, "s.yaml")
    else:
        with pytest.raises(InputError, match=rf"s\.yaml: prefill\.context-length: found 450000.*\({tokens}\)"):
            check_context_length(load(GB200), tokens, "s.yaml")


@pytest.mark.parametrize("word", ["long", "", "12x", "1.5.0k", "-5"])
def test_a_context_that_is_no_number_is_told(word: str) -> None:
    definition = {"kind": "command", "command": ["serve", "--max-model-len", word]}
    told = f"role server: --max-model-len: found {word!r}, expected a number of tokens"
    with pytest.raises(InputError, match=re.escape(told)):
        lengths(definition)


@pytest.mark.parametrize(
    ("word", "tokens"),
    [("32k", 32000), ("32K", 32768), ("25.6k", 25600), ("1M", 1048576), ("auto", None), ("-1", None)],
)
def test_a_context_is_read_as_vllm_reads_it(word: str, tokens: int | None) -> None:
    definition = {"kind": "command", "command": ["serve", f"--max_model_len={word}"]}
    assert lengths(definition) == ({} if tokens is None else {"server.max-model-len": tokens})


def test_what_is_printed_stands_in_the_folder_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert server_plan.main(["dynamo-mocker-1p1d", "--nodes", "gb1,gb2", "--pyxis", "no"]) == 0
    assert f"DYN_FILE_KV={tmp_path}/run/m/scratch-1/discovery" in capsys.readouterr().out
