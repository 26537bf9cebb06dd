"""Rules spell their paths as literals; records.paths spells the same ones."""

from pathlib import Path

import pytest

from seedbed.records import paths

ROOT = Path(__file__).resolve().parents[2]
RULES = "".join(path.read_text() for path in [ROOT / "Snakefile", *sorted((ROOT / "rules").glob("*.smk"))])


@pytest.mark.parametrize(
    "path",
    [
        paths.outputs_folder("{model}", "{benchmark}") / "output-rs{seed}.jsonl",
        paths.outputs_folder("{model}", "{benchmark}") / "metrics.json",
        paths.dataset("{benchmark}"),
        paths.dataset_source("{benchmark}"),
        paths.GATE_PASSED,
        paths.COMPARISONS / "{pair}.json",
        paths.LOGS / "prepare_dataset" / "{benchmark}.log",
    ],
    ids=str,
)
def test_a_rule_has_the_same_path_as_the_package(path: Path) -> None:
    assert f'"{path}"' in RULES


def test_names_of_outputs_fit_their_pattern() -> None:
    assert paths.output_name(42) == "output-rs42.jsonl"
    assert Path(paths.output_name(42)).match(paths.OUTPUTS)
    assert paths.model_of(paths.outputs_folder("m", "b")) == "m"
    assert paths.model_of(Path("/stored/m/b")) == "m"


def test_only_records_paths_joins_the_folder_of_outputs() -> None:
    package = ROOT / "scripts" / "seedbed"
    joined = (
        'Path("results")',
        '/ "eval-results"',
        '"eval-results" /',
        'Path("resources")',
        'Path("run")',
        'Path("logs")',
    )
    found = [
        f"{path.relative_to(package)}: {text}"
        for path in sorted(package.rglob("*.py"))
        for text in joined
        if path != package / "records" / "paths.py" and text in path.read_text()
    ]
    assert found == []
