"""Recipes of srt-slurm taken over: nothing is dropped in silence."""

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from seedbed.commands.import_recipe import comments, convert, main, minutes
from seedbed.core.errors import InputError
from seedbed.interop.srt_slurm.evaluation import refuse
from seedbed.interop.srt_slurm.recipe import Recipe, leaves

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
        ({"resources": {"prefill_nodes": 1, "decode_workers": 2}}, "2 decode workers on 0 nodes; expected whole nodes"),
        ({"resources": {"prefill_nodes": 1}}, "r.yaml, as a server file: workers: found prefill; expected prefill and"),
        ({"resources": {"agg_nodes": 2, "gpus_per_agg": 5}}, r"resources\.gpus_per_agg: found 5 on 2 nodes"),
        ({"environment": ["A"]}, r"r\.yaml: environment: found \['A'\], expected a map"),
        (
            {"environment": {"HF_TOKEN": "hf_abcdefghijk"}},
            "r.yaml, as a server file: environment.HF_TOKEN looks like a se",
        ),
        ({"extra_mount": "/a:/b"}, r"r\.yaml: extra_mount: found '/a:/b', expected a list"),
        ({"container_mounts": ["/a"]}, r"r\.yaml: container_mounts: found \['/a'\], expected a map"),
        ({"extra_mount": ["/a"]}, r"mounts\.0: found '/a'"),
        ({"sbatch_directives": ["x"]}, "sbatch_directives: found .* expected a map"),
        ({"backend": {"sglang_config": {"prefill": ["x"]}}}, r"backend\.sglang_config\.prefill: found \['x'\]"),
        ({"benchmark": {"type": "custom", "command": "ns 'eval"}}, r"benchmark\.command: No closing quotation"),
        ({"benchmark": {"type": "custom", "env": ["A"], "command": "x/aime/run.sh"}}, r"benchmark\.env: found \['A'\]"),
        ({"environment": {"A": "{swept}"}}, "as a server file: role frontend: environment: unknown placeholder"),
        ({"resources": {"agg_nodes": "one"}}, "resources.agg_nodes: found 'one', expected a number"),
        ({"model": None}, "the key 'model' is missing"),
    ],
)
def test_what_cannot_be_had_is_refused_by_its_key(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        imported(**changes)


def test_what_the_workflow_fills_in_itself_is_told_too() -> None:
    told = comments(imported()[0])
    path = "backend.sglang_config.prefill.disaggregation-mode"
    assert f"belongs elsewhere: {path} → nowhere: the workflow fills it in (the recipe has 'prefill')" in told


def test_variables_that_only_a_shell_could_put_in_are_told_and_secrets_of_the_frontend_are_kept() -> None:
    recipe, server, _ = imported(environment={"A": "${B}"}, frontend={"env": {"HUB_TOKEN": "$HUB_TOKEN", "C": "1"}})
    assert "belongs elsewhere: environment.A → nowhere yet: write its value out, no shell puts in ${B}" in comments(
        recipe
    )
    assert "environment" not in server
    assert (server["secrets"], server["frontend"]) == (["HUB_TOKEN"], {"environment": {"C": "1"}})


def test_a_worker_has_the_gpus_that_the_recipe_gives_it() -> None:
    more = {"gpus_per_node": 4, "gpus_per_prefill": 2, "gpus_per_decode": 8}
    _, server, _ = imported(resources={"gpu_type": "gb200", "prefill_nodes": 1, "decode_nodes": 2, **more})
    workers = server["workers"]
    assert {name: (worker["nodes"], worker["gpus"]) for name, worker in workers.items()} == {
        "prefill": (1, 2),
        "decode": (2, 4),
    }


def test_flags_of_workers_that_are_not_there_are_listed() -> None:
    backend = copy.deepcopy(RECIPE["backend"])
    backend["sglang_config"]["aggregated"] = {"tp-size": 2}
    assert "no counterpart: backend.sglang_config.aggregated.tp-size = 2" in comments(imported(backend=backend)[0])


def test_one_variant_of_a_recipe_is_its_base_with_the_overrides_put_in() -> None:
    override = {"resources": {"decode_nodes": 4}, "backend": {"sglang_config": {"decode": {"tp-size": 16}}}}
    content = {"base": RECIPE, "override_wide": override, "zip_override_x": {}}
    server = convert(Recipe.of("r.yaml", content, "override_wide"), "x")[0]
    assert (server["workers"]["decode"]["nodes"], server["workers"]["decode"]["flags"]["tp-size"]) == (4, 16)
    assert server["workers"]["prefill"]["flags"] == {"tp-size": 4}
    assert convert(Recipe.of("r.yaml", content, "base"), "x")[0]["workers"]["decode"]["nodes"] == 2
    with pytest.raises(InputError, match=r"several variants .* None is asked for; .* one of base, override_wide$"):
        Recipe.of("r.yaml", content)
    with pytest.raises(InputError, match=r"r\.yaml: there is no 'base'; expected a call without --variant"):
        Recipe.of("r.yaml", RECIPE, "base")


@pytest.mark.parametrize(("named", "file"), [("größe 1", "gr-e-1"), ("模型", "recipe"), ("--x.", "x")])
def test_the_files_have_a_name_that_every_system_takes(tmp_path: Path, named: str, file: str) -> None:
    (tmp_path / "r.yaml").write_text(yaml.safe_dump({**RECIPE, "name": named}))
    assert main([str(tmp_path / "r.yaml"), "--out", str(tmp_path)]) == 0
    assert (tmp_path / f"{file}-server.yaml").exists()


def test_what_is_written_is_read_by_the_workflow_as_it_is(tmp_path: Path) -> None:
    from seedbed.commands import server_plan
    from seedbed.config.settings import load

    (tmp_path / "r.yaml").write_text(yaml.safe_dump(RECIPE))
    assert main([str(tmp_path / "r.yaml"), "--out", str(tmp_path)]) == 0
    written = yaml.safe_load((tmp_path / "v4-on-gb200.yaml").read_text())
    settings = load(written, "v4-on-gb200.yaml", [tmp_path]).checked()
    assert settings.seeds == [42, 43, 44, 45]
    assert server_plan.main([str(tmp_path / "v4-on-gb200-server.yaml"), "--nodes", "a,b,c", "--pyxis", "no"]) == 0


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
