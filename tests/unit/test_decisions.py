from pathlib import Path
from typing import Any

import pytest

from seedbed.config.settings import Settings, load
from seedbed.core.errors import InputError
from seedbed.decisions.declared import cases

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


def test_a_model_is_no_reference_for_itself_and_the_others_are_judged(tmp_path: Path) -> None:
    asked = {"require": ["not worse than one by 2 points", "pass@1 >= 3"], "benchmarks": ["warmup"]}
    found = cases(settings(tmp_path, gates=[asked, "not worse than one/warmup by 2 points"]).config)
    assert [(case.model, case.benchmark, [one.text for one in case.criteria]) for case in found] == [
        ("one", "warmup", ["pass@1 >= 3"]),
        ("two", "warmup", ["not worse than one by 2 points", "pass@1 >= 3"]),
        ("one", "warmup-prose", ["not worse than one/warmup by 2 points"]),
        ("two", "warmup", ["not worse than one/warmup by 2 points"]),
        ("two", "warmup-prose", ["not worse than one/warmup by 2 points"]),
    ]


@pytest.mark.parametrize("name", ["output-rs42.jsonl-async", "output-rs42.jsonl.done"])
def test_a_folder_without_a_finished_output_is_no_reference(tmp_path: Path, name: str) -> None:
    (tmp_path / "ref").mkdir()
    (tmp_path / "ref" / name).touch()
    with pytest.raises(InputError, match=r"gates\.0\.require: .*ref: found no outputs; expected eval-results"):
        settings(tmp_path, gates=["not worse than ref by 2 points"])


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
        *(
            ({"comparisons": [{"a": a, "b": b}]}, f"c.yaml: comparisons.0: {label} is one and the same; expected two")
            for a, b, label in (
                ("one", "one", "one-vs-one"),
                ("one", "one/warmup", "one-vs-one.warmup"),
                ("one/warmup", "one/warmup/regex", "one.warmup-vs-one.warmup.regex"),
            )
        ),
        (
            {"gates": [{"require": "not worse than one by 2 points", "models": ["one"]}]},
            "c.yaml: gates.0: what is judged is its own reference; expected another model or folder",
        ),
        ({"gates": ["pass@1 >= 0.7"]}, "c.yaml: gates.0.require: 'pass@1 >= 0.7': found 0.7 without a unit"),
        ({"comparisons": [{"a": "one", "b": "two"}] * 2}, "c.yaml: comparisons.1: one-vs-two is listed twice"),
    ],
)
def test_what_cannot_be_decided_is_refused_before_anything_runs(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as refused:
        settings(tmp_path, **changes)
    assert str(refused.value).startswith(message.replace("{base}", str(tmp_path)))
