import re
from pathlib import Path
from typing import Any

import pytest

from seedbed.core.errors import InputError
from seedbed.core.schema import conform, read_yaml, schema

MINIMAL = {"models": {"m": {"endpoint": "http://127.0.0.1:9/v1"}}, "benchmarks": ["warmup"]}


def test_defaults_are_filled_in_at_every_depth() -> None:
    config = conform(MINIMAL, "config", "c.yaml")
    assert config["seeds"] == {"start": 42, "count": 16, "placement": "partition"}
    assert config["models"]["m"]["stream"] is True
    assert config["errors"] == {"max_failed_fraction": 0}
    assert config["sampling"] == {}


def test_the_document_itself_is_left_alone() -> None:
    conform(MINIMAL, "config", "c.yaml")
    assert set(MINIMAL) == {"models", "benchmarks"}


def test_numbers_given_as_text_on_a_command_line_become_numbers() -> None:
    document = MINIMAL | {
        "seeds": {"count": "4"},
        "sampling": {"temperature": "0.5", "max_tokens": "64"},
        "timeouts": {"silence": "null"},
        "loops": {"cut": "True"},
    }
    config = conform(document, "config", "c.yaml")
    assert config["seeds"]["count"] == 4
    assert config["sampling"] == {"temperature": 0.5, "max_tokens": 64}
    assert config["timeouts"]["silence"] is None
    assert config["loops"]["cut"] is True


OLD = {
    "overlong": "skip",
    "parts": {"warmup": {"limit": 2}},
    "errors": {"max_fraction": "0.1"},
    "servers": {"lease": 6, "linger": 1},
}


def test_former_names_of_keys_are_read_with_one_warning_each(capsys: pytest.CaptureFixture[str]) -> None:
    found = [conform(MINIMAL | OLD, "config", "former.yaml") for _ in range(2)]
    assert found[0] == found[1]
    assert found[0]["context_overflow"] == "skip"
    assert found[0]["subset"] == {"warmup": {"limit": 2, "seed": 0}}
    assert found[0]["errors"] == {"max_failed_fraction": 0.1}
    assert found[0]["servers"] == {"max_servers": 1, "max_restarts": 3, "idle_seconds": 1, "lease_seconds": 6}
    assert not {"overlong", "parts"} & set(found[0])
    warnings = capsys.readouterr().err.splitlines()
    assert len(warnings) == 5
    assert warnings[1] == (
        "warning: former.yaml: errors.max_fraction is now called errors.max_failed_fraction; "
        "the old name is read until the next release"
    )


def test_a_key_under_both_of_its_names_is_refused() -> None:
    message = "c.yaml: found servers.lease and its new name servers.lease_seconds; expected only the new one"
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        conform(MINIMAL | {"servers": {"lease": 6, "lease_seconds": 6}}, "config", "c.yaml")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sedes": {}}, "c.yaml: unknown key 'sedes'; did you mean 'seeds'?"),
        ({"seeds": {"cuont": 3}}, "c.yaml: unknown key 'seeds.cuont'; did you mean 'count'?"),
        ({"seeds": {"count": 0}}, "c.yaml: seeds.count: found 0; expected at least 1"),
        ({"seeds": {"count": "many"}}, "c.yaml: seeds.count: found 'many'; expected integer"),
        ({"seeds": {"count": 2.5}}, "c.yaml: seeds.count: found 2.5; expected integer"),
        ({"models": {}}, "c.yaml: models: found {}; expected at least 1 of them"),
        ({"benchmarks": "warmup"}, "c.yaml: benchmarks: found 'warmup'; expected array"),
        ({"seeds": {"count": 100000}}, "c.yaml: seeds.count: found 100000; expected at most 10000"),
        ({"sampling": {"temperature": float("nan")}}, "c.yaml: sampling.temperature: found 'nan'; expected number"),
        ({"sampling": {"temperature": "inf"}}, "c.yaml: sampling.temperature: found 'inf'; expected number"),
        ({"sampling": {"top_p": 2}}, "c.yaml: sampling.top_p: found 2; expected at most 1"),
        ({"timeouts": {"silence": "soon"}}, "c.yaml: timeouts.silence: found 'soon'; expected number or null"),
    ],
)
def test_what_does_not_fit_is_named_with_key_found_and_expected(change: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        conform(MINIMAL | change, "config", "c.yaml")


def test_a_missing_key_is_named() -> None:
    with pytest.raises(InputError, match="the key 'benchmarks' is missing"):
        conform({"models": MINIMAL["models"]}, "config", "c.yaml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\na: 2\n", "line 2: the key 'a' appears twice"),
        ("a: [1\nb: 2\n", "line 2:"),
    ],
)
def test_broken_yaml_is_named_by_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=re.escape(f"{path}, {message}")):
        read_yaml(path)


def test_yaml_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(b"a: \xff\n")
    with pytest.raises(InputError, match="byte 3 is not UTF-8"):
        read_yaml(path)


def described(node: dict[str, Any], where: str) -> list[str]:
    """Return the keys below `node` that lack a description or a type."""
    missing = []
    for name, part in {**node.get("properties", {}), **node.get("$defs", {})}.items():
        if name not in node.get("$defs", {}):
            known = {"type", "enum", "$ref", "anyOf", "oneOf"} & set(part)
            missing += [] if part.get("description") and known else [f"{where}.{name}"]
        missing += described(part, f"{where}.{name}")
        if isinstance(part.get("additionalProperties"), dict):
            missing += described(part["additionalProperties"], f"{where}.{name}.*")
    return missing


@pytest.mark.parametrize("name", [path.stem for path in Path(__file__).parents[2].glob("config/schema/*.yaml")])
def test_every_key_of_a_schema_has_a_type_and_a_description(name: str) -> None:
    assert described(schema(name), name) == []
