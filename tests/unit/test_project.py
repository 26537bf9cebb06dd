import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def pins(lines: list[str]) -> dict[str, str]:
    """Return the version of each pinned package, extras and case left out."""
    found = (re.match(r"([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^ ;\\]+)", line) for line in lines)
    return {match[1].lower().replace("_", "-"): match[2] for match in found if match}


@pytest.mark.parametrize("lock", ["run.lock", "test.lock"])
def test_a_lock_pins_what_the_project_asks_for_each_with_hashes_and_without_addresses(lock: str) -> None:
    text = (ROOT / "envs" / lock).read_text()
    asked = list(PROJECT["project"]["dependencies"])
    asked += PROJECT["dependency-groups"]["test"] if lock == "test.lock" else []
    assert len(pins(asked)) == len(asked)
    assert pins(asked).items() <= pins(text.splitlines()).items()
    for block in re.split(r"\n(?=\S)", text.strip()):
        assert "--hash=sha256:" in block, block
    assert "://" not in text


def test_both_locks_agree() -> None:
    run, test = (pins((ROOT / "envs" / name).read_text().splitlines()) for name in ("run.lock", "test.lock"))
    assert run.items() <= test.items()


def test_the_top_level_holds_only_what_a_repository_needs() -> None:
    fixed = {"Snakefile", "rules", "scripts", "config", "envs", "profiles", "tests"}
    needed = {"README.md", "pyproject.toml", "Makefile", "docs", "CHANGELOG.md", "LICENSE", "slurm"}
    made = {"results", "resources", "run", "store", "logs"}
    there = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    assert fixed | needed <= there
    assert there - made <= fixed | needed


def test_every_document_that_the_readme_names_exists() -> None:
    for page in [ROOT / "README.md", ROOT / "config" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} names {target}"
