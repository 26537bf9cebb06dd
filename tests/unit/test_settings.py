import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from seedbed.config.benchmark import load_benchmark
from seedbed.config.catalogue import shipped
from seedbed.config.settings import Settings, load
from seedbed.core.environment import ROOT
from seedbed.core.errors import InputError
from seedbed.core.schema import read_yaml

MINE = {"mine": {"endpoint": "http://127.0.0.1:9000/v1", "served_name": "my-model", "api_key_env": "OPENAI_API_KEY"}}
SAMPLING = sorted(read_yaml(ROOT / "config/schema/config.yaml")["$defs"]["sampling"]["properties"])


def loaded(tmp_path: Path, **changes: Any) -> Settings:
    """Return the settings of a small configuration in `tmp_path`."""
    return load({"models": MINE, "benchmarks": ["warmup"], "scorers": ["strict"]} | changes, "c.yaml", [tmp_path])


def write_benchmark(folder: Path, name: str = "mine", **changes: Any) -> Path:
    """Write a benchmark of two rows; returns its file."""
    rows = [{"id": f"r{i}", "problem": f"{i}+1?", "expected_answer": str(i + 1)} for i in range(2)]
    (folder / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    path = folder / f"{name}.yaml"
    path.write_text(
        yaml.safe_dump(
            {"source": {"file": "rows.jsonl"}, "prompt": "Solve {problem}", "answer_type": "integer"} | changes
        )
    )
    return path


RUNS = sorted(path for path in (ROOT / "config").glob("*.yaml") if path.name != "site.yaml")  # what a cluster knows


@pytest.mark.parametrize("path", RUNS, ids=lambda path: path.stem)
def test_every_shipped_run_configuration_is_valid(path: Path) -> None:
    settings = load(read_yaml(path), str(path), [path.parent])
    assert settings.models


@pytest.mark.parametrize("name", sorted(shipped("benchmarks")))
def test_every_shipped_benchmark_is_valid(name: str) -> None:
    assert load_benchmark(name, []).definition["answer_type"]


def test_the_gb200_configuration_is_the_evaluation_of_the_seed_system() -> None:
    path = ROOT / "config" / "aime25-gb200.yaml"
    settings = load(read_yaml(path), str(path), [path.parent])
    model = settings.model("dspro")
    assert settings.seeds == list(range(42, 58))
    assert model["sampling"] == {"temperature": 1.0, "top_p": 1.0, "max_tokens": 400000}
    assert model["concurrency"] == 512
    assert settings.config["timeouts"]["first_byte"] is None
    assert settings.config["timeouts"]["silence"] is None


def test_a_models_own_values_stand_before_the_runs(tmp_path: Path) -> None:
    models = {"mine": MINE["mine"] | {"sampling": {"top_p": 0.5}, "concurrency": 3}}
    model = loaded(tmp_path, models=models, sampling={"temperature": 1, "top_p": 1}).model("mine")
    assert model["sampling"] == {"temperature": 1, "top_p": 0.5}
    assert model["concurrency"] == 3
    assert model["served_name"] == "my-model"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"benchmarks": ["wramup"]}, "c.yaml: unknown benchmark 'wramup'; did you mean 'warmup'?"),
        ({"benchmarks": ["warmup", "warmup"]}, "c.yaml: benchmarks: the name 'warmup' is listed twice"),
        ({"scorers": ["strct"]}, "c.yaml: unknown scorer 'strct'; did you mean 'strict'?"),
        ({"models": {"m": {"server": "smollm2-locl"}}}, "unknown server 'smollm2-locl'; did you mean 'smollm2-local'?"),
        ({"models": {"m": {}}}, "c.yaml: models.m needs one of 'server', 'endpoint', 'imported'; found none"),
        (
            {"models": {"m": MINE["mine"] | {"server": "smollm2-local"}}},
            "needs one of 'server', 'endpoint', 'imported'; found 'server' and 'endpoint'",
        ),
        ({"benchmarks": ["/nowhere/mine.yaml"]}, "benchmark '/nowhere/mine.yaml': there is no file /nowhere/mine.yaml"),
    ],
)
def test_unknown_names_are_told_with_the_nearest_known(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        loaded(tmp_path, **changes)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"models": {"mine": MINE["mine"] | {"api_key": "abc"}}}, "models.mine.api_key"),
        (
            {"models": {"mine": MINE["mine"] | {"extra_body": {"auth_token": "abc"}}}},
            "models.mine.extra_body.auth_token",
        ),
        ({"models": {"mine": {"endpoint": "http://me:secret@127.0.0.1/v1"}}}, "models.mine.endpoint"),
        ({"models": {"mine": {"endpoint": "http://127.0.0.1/v1?api-key=abc"}}}, "models.mine.endpoint"),
        ({"models": {"mine": {"endpoint": "http://127.0.0.1/v1/sk-0123456789abcdef"}}}, "models.mine.endpoint"),
        (
            {"models": {"mine": MINE["mine"] | {"extra_body": {"note": "sk-0123456789abcdef"}}}},
            "models.mine.extra_body.note",
        ),
    ],
)
def test_a_literal_secret_is_refused_and_not_repeated(tmp_path: Path, changes: dict[str, Any], key: str) -> None:
    with pytest.raises(InputError, match=f"^c.yaml: {re.escape(key)} looks like a secret") as caught:
        loaded(tmp_path, **changes)
    assert not re.search(r"abc|sk-0123|me:secret", str(caught.value))


def test_a_secret_in_a_command_line_is_refused(tmp_path: Path) -> None:
    role = {"name": "server", "command": ["serve", "--api-key", "abcdef", "--port", "{port}"]}
    path = tmp_path / "own.yaml"
    path.write_text(yaml.safe_dump({"kind": "roles", "roles": [role]}))
    with pytest.raises(InputError, match=r"roles\.0\.command\.1 \(--api-key\) looks like a secret") as caught:
        loaded(tmp_path, models={"m": {"server": str(path)}}).checked()
    assert "abcdef" not in str(caught.value)


@pytest.mark.parametrize("field", ["seed", "messages", "model", "stream", "n", *SAMPLING])
def test_what_the_run_sets_itself_may_not_stand_in_the_extra_body(tmp_path: Path, field: str) -> None:
    models = {"mine": MINE["mine"] | {"extra_body": {field: 7}}}
    with pytest.raises(InputError, match=rf"^c.yaml: models.mine.extra_body.{field} is set by the run"):
        loaded(tmp_path, models=models)


@pytest.mark.parametrize("name", ["a b", "a$(touch x)b", "-x", "a'b", "{seed}", "ü"])
def test_a_name_that_a_shell_or_a_path_could_misread_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="expected letters, digits, dots, dashes, underscores"):
        loaded(tmp_path, benchmarks=[str(write_benchmark(tmp_path, name))])


def test_a_benchmark_of_ones_own_is_named_by_its_file(tmp_path: Path) -> None:
    settings = loaded(tmp_path, benchmarks=[str(write_benchmark(tmp_path))])
    benchmark = settings.benchmark("mine")
    assert benchmark.definition["source"]["file"] == str(tmp_path / "rows.jsonl")


def test_a_benchmark_may_not_bear_a_shipped_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the name 'aime25' is shipped already"):
        loaded(tmp_path, benchmarks=[str(write_benchmark(tmp_path, "aime25"))])


def test_a_relative_benchmark_is_meant_from_the_configuration(tmp_path: Path) -> None:
    write_benchmark(tmp_path)
    assert "mine" in loaded(tmp_path, benchmarks=["mine.yaml"]).benchmarks


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"prompt": "Solve it"}, "prompt: found no {problem}"),
        ({"answer_type": "number"}, "answer_type: found 'number'; expected one of"),
        ({"source": {"file": "none.jsonl"}}, "source.file: there is no file"),
        ({"source": {}}, "source needs one of 'file', 'https', 'huggingface', 'wheel'; found none"),
        ({"source": {"wheel": "a==1", "member": "b"}}, "source.sha256 is missing"),
        ({"promt": "x"}, "unknown key 'promt'; did you mean 'prompt'?"),
    ],
)
def test_a_wrong_benchmark_file_is_named_with_its_key(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    path = write_benchmark(tmp_path, **changes)
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        loaded(tmp_path, benchmarks=[str(path)]).benchmark("mine")
    assert str(path) in str(caught.value)


def test_only_what_shapes_an_answer_changes_the_fingerprint(tmp_path: Path) -> None:
    before = loaded(tmp_path).request_fingerprint("mine", "warmup")
    elsewhere = {"mine": MINE["mine"] | {"endpoint": "http://127.0.0.1:1/v1", "concurrency": 9, "stream": False}}
    assert (
        loaded(tmp_path, models=elsewhere, concurrency=1, timeouts={"silence": 1}).request_fingerprint("mine", "warmup")
        == before
    )
    assert loaded(tmp_path, sampling={"temperature": 0.1}).request_fingerprint("mine", "warmup") != before
    assert loaded(tmp_path, loops={"flag_chars": 500}).request_fingerprint("mine", "warmup") == before
    assert loaded(tmp_path, loops={"cut": True}).request_fingerprint("mine", "warmup") != before
    body = {"mine": MINE["mine"] | {"extra_body": {"chat_template_kwargs": {"enable_thinking": True}}}}
    assert loaded(tmp_path, models=body).request_fingerprint("mine", "warmup") != before
    assert loaded(tmp_path).request_fingerprint("mine", "warmup-prose") != before


def test_rows_depend_on_the_content_of_their_file_and_not_on_its_place(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    first.mkdir()
    second.mkdir()
    one = load_benchmark(str(write_benchmark(first)), []).shapes_rows()
    other = load_benchmark(str(write_benchmark(second, licence="MIT")), []).shapes_rows()
    assert one == other
    (second / "rows.jsonl").write_text('{"id": "r0", "problem": "2+2?", "expected_answer": "4"}\n')
    assert load_benchmark(str(second / "mine.yaml"), []).shapes_rows() != one
