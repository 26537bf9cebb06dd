"""Recipes of srt-slurm taken over: nothing is dropped in silence."""

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from scripts.errors import InputError
from scripts.import_recipe import comments, convert, main, minutes
from scripts.recipe_runs import refuse
from scripts.recipes import Recipe, leaves

RECIPE: dict[str, Any] = {
    "name": "V4 on GB200",
    "model": {"path": "dsv4", "container": "/images/sglang-v4.sqsh", "precision": "fp4"},
    "slurm": {"partition": "batch", "time_limit": "04:30:00"},
    "resources": {"gpu_type": "gb200", "gpus_per_node": 4, "prefill_nodes": 1, "decode_nodes": 2},
    "environment": {"HF_TOKEN": "${HF_TOKEN}", "NCCL_DEBUG": "WARN"},
    "extra_mount": ["/data:/data"],
    "backend": {
        "prefill_environment": {"SGLANG_ENABLE_THINKING": "1"},
        "sglang_config": {
            "prefill": {"served-model-name": "dspro", "tp_size": 4, "disaggregation-mode": "prefill"},
            "decode": {"served-model-name": "dspro", "tp-size": 8, "deepep-config": {"a": 1}},
        },
    },
    "health_check": {"max_attempts": 60},
    "benchmark": {"type": "custom", "env": {"REPEAT": "4", "OTHER": "x"}, "command": "bash /configs/aime/run.sh"},
    "surprise": {"inner": [1, 2]},
}


def imported(**changes: Any) -> tuple[Recipe, dict[str, Any], dict[str, Any] | None]:
    """Return the recipe with `changes`, and the server file and configuration made of it."""
    recipe = Recipe("r.yaml", {**copy.deepcopy(RECIPE), **changes})
    return recipe, *convert(recipe, "v4")


def test_model_workers_variables_mounts_and_secrets_are_taken_over() -> None:
    _, server, _ = imported()
    assert (server["kind"], server["model"], server["container"]) == (
        *("dynamo-sglang", {"name": "dspro", "path": "dsv4"}, "sglang-v4"),
    )
    assert server["workers"]["prefill"]["flags"] == {"tp-size": 4}
    assert server["workers"]["prefill"]["environment"] == {"SGLANG_ENABLE_THINKING": "1"}
    assert server["workers"]["decode"]["nodes"] == 2
    assert server["workers"]["decode"]["flags"]["deepep-config"] == '{"a": 1}'
    assert (server["environment"], server["secrets"]) == ({"NCCL_DEBUG": "WARN"}, ["HF_TOKEN"])
    assert (server["mounts"], server["readiness"]) == (["/data:/data"], {"timeout": 600})


def test_the_scripts_variables_become_a_configuration() -> None:
    _, _, run = imported()
    assert run is not None
    assert run["models"] == {"dspro": {"server": "v4-server.yaml"}}
    assert run["benchmarks"] == ["aime25"]
    assert run["seeds"] == {"start": 42, "count": 4}
    assert run["sampling"] == {"temperature": 1.0, "top_p": 1.0, "max_tokens": 400000}


def test_a_written_out_evaluation_is_read_from_its_flags() -> None:
    command = "ns prepare_data aime24 && ns eval --benchmarks=aime24:8 --starting_seed=1 ++inference.top_p=0.9 ++x=1"
    recipe, _, run = imported(benchmark={"type": "custom", "command": command})
    assert run is not None
    assert (run["benchmarks"], run["seeds"]) == (["aime24"], {"start": 1, "count": 8})
    assert run["sampling"]["top_p"] == 0.9
    assert any("++x=1" in line for line in comments(recipe))


def test_the_former_benchmark_is_taken_over_by_its_own_keys() -> None:
    recipe, _, run = imported(benchmark={"type": "aime", "repeat": 2, "num_examples": 5})
    assert run is not None
    assert (run["seeds"]["count"], run["sampling"]) == (2, {"max_tokens": 24576})
    assert "no counterpart: benchmark.num_examples = 5" in comments(recipe)


def test_whatever_has_no_counterpart_is_listed() -> None:
    recipe, _, _ = imported()
    told = "\n".join(comments(recipe))
    for path in ("surprise.inner", "model.precision", "benchmark.env.OTHER"):
        assert f"no counterpart: {path} = " in told
    assert "slurm_partition: batch" in told
    assert "runtime: 270" in told
    assert 'nodes: 3, gres: "gpu:gb200:4"' in told
    untold = {path for path, _ in leaves(recipe.content)} - recipe.taken - set(recipe.left())
    assert untold == set()


def test_another_benchmark_is_listed_and_makes_no_configuration() -> None:
    recipe, _, run = imported(benchmark={"type": "sa-bench", "isl": 1024})
    assert run is None
    assert "no counterpart: benchmark.isl = 1024" in comments(recipe)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"backend": {"type": "trtllm"}}, "backend.type: found 'trtllm', expected sglang"),
        ({"resources": {"agg_nodes": 1, "agg_workers": 2}}, "2 aggregated workers on 1 nodes; expected whole nodes"),
        ({"resources": {"agg_nodes": "one"}}, "resources.agg_nodes: found 'one', expected a number"),
        ({"model": None}, "the key 'model' is missing"),
    ],
)
def test_what_cannot_be_had_is_refused_by_its_key(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        imported(**changes)


@pytest.mark.parametrize(
    ("limit", "expected"), [("04:30:00", 270), (16200, 270), ("1-02:00:00", 1560), ("90", 90), ("10:01", 11)]
)
def test_time_limits_become_minutes(limit: object, expected: int) -> None:
    assert minutes(limit) == expected


def test_files_are_written_once(tmp_path: Path) -> None:
    (tmp_path / "r.yaml").write_text(yaml.safe_dump(RECIPE))
    assert main([str(tmp_path / "r.yaml"), "--out", str(tmp_path)]) == 0
    text = (tmp_path / "v4-on-gb200-server.yaml").read_text()
    assert "# no counterpart: surprise.inner = [1, 2]" in text
    with pytest.raises(InputError, match="exists already; expected a new file"):
        main([str(tmp_path / "r.yaml"), "--out", str(tmp_path)])


@pytest.mark.parametrize("config", [{"benchmark": {"type": "aime", "repeat": 8}}, {"type": "aime", "repeat": 8}])
def test_the_former_form_in_a_configuration_is_answered_with_the_new_one(config: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"c\.yaml: .*found 'aime'.*benchmarks: \[aime25\]; seeds: \{.*count: 8\}"):
        refuse(config, "c.yaml")
    refuse({"models": {}, "benchmarks": ["aime25"]}, "c.yaml")
