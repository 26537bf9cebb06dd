from pathlib import Path
from typing import Any

import pytest

from scripts.errors import InputError
from scripts.settings import Settings, load

MODELS = {"one": {"endpoint": "http://127.0.0.1:9/v1"}, "two": {"endpoint": "http://127.0.0.1:9/v1"}}


def settings(base: Path, **changes: Any) -> Settings:
    """Return the settings of a run of two models, read as from a file in `base`."""
    config = {"models": MODELS, "benchmarks": ["warmup", "warmup-prose"], "scorers": ["strict", "regex"]}
    return load(config | changes, "c.yaml", [base])


def test_a_gate_may_be_a_sentence_or_say_what_it_holds_for(tmp_path: Path) -> None:
    gates = ["pass@1 >= 3", {"require": "truncated <= 1 %", "models": ["two"]}]
    assert settings(tmp_path, gates=gates).config["gates"] == [
        {"require": ["pass@1 >= 3"]},
        {"require": ["truncated <= 1 %"], "models": ["two"]},
    ]


def test_a_stored_reference_is_found_beside_the_configuration(tmp_path: Path) -> None:
    folder = tmp_path / "nightly" / "ref" / "eval-results" / "warmup"
    folder.mkdir(parents=True)
    (folder / "output-rs42.jsonl").touch()
    found = settings(
        tmp_path, gates=["not worse than nightly/ref by 2 points"], comparisons=[{"a": "one", "b": "nightly/ref"}]
    )
    reference = tmp_path / "nightly" / "ref"
    assert found.config["gates"][0]["require"] == [f"not worse than {reference} by 2 points"]
    assert found.config["comparisons"] == [{"a": "one", "b": str(reference)}]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"gates": ["pass >= 3"]}, "c.yaml: gates.0.require: 'pass >= 3': unknown measure 'pass'"),
        *(
            ({"gates": [f"{name} >= 1"]}, f"c.yaml: gates.0.require: '{name} >= 1': found '{name}', of no sample")
            for name in ("pass@0", "majority@0", "pass@1[avg-of-0]")
        ),
        ({"gates": [3]}, "c.yaml: gates.0: found 3; expected string or object"),
        ({"gates": [{"requires": "x"}]}, "c.yaml: unknown key 'gates.0.requires'; did you mean 'require'?"),
        ({"gates": [{"require": "pass@1 >= 3", "models": ["tow"]}]}, "c.yaml: gates.0.models: found 'tow'"),
        (
            {"gates": ["not worse than thre by 2 points"]},
            "c.yaml: gates.0.require: found 'thre': neither a model of this run nor a folder",
        ),
        ({"gates": ["not worse than . by 2 points"]}, "c.yaml: gates.0.require: {base}: found no outputs; expected"),
        ({"comparisons": [{"a": "one"}]}, "c.yaml: comparisons.0: the key 'b' is missing"),
        ({"comparisons": [{"a": "one/warmp", "b": "two"}]}, "c.yaml: comparisons.0.a: found 'warmp'"),
        ({"comparisons": [{"a": "one", "b": "two"}] * 2}, "c.yaml: comparisons.1: one-vs-two stands twice"),
    ],
)
def test_what_cannot_be_decided_is_refused_before_anything_runs(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as refused:
        settings(tmp_path, **changes)
    assert str(refused.value).startswith(message.replace("{base}", str(tmp_path)))
