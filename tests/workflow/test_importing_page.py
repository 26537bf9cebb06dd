"""docs/importing.md: its commands, run as they are written."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from seedbed.interop.outputs.convert import NAMED
from seedbed.interop.outputs.find import FORMATS
from tests.workflow.workplace import ROOT, Workplace

PAGE = (ROOT / "docs" / "importing.md").read_text()
OLD = ROOT / "tests" / "unit" / "outputs" / "nemo-skills" / "old-model"


def commands(page: str) -> list[list[str]]:
    """Return the words of each command in the page's sh blocks."""
    blocks = re.findall(r"^```sh\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    return [words for block in blocks for line in block.splitlines() if (words := shlex.split(line, comments=True))]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a checkout with the two old folders that the page speaks of."""
    place = Workplace.made(tmp_path, {})
    for name in ("old-model", "new-model"):
        shutil.copytree(OLD, place.project / name)
    path = place.project / "new-model" / "eval-results" / "sums" / "output-rs1.jsonl"
    path.write_text(path.read_text().replace(r"\\boxed{7}", r"\\boxed{8}"))
    return place.project


def test_the_commands_of_the_page_go_from_old_folders_to_a_report(checkout: Path) -> None:
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    said = ""
    for words in commands(PAGE):
        done = subprocess.run(
            words,
            cwd=checkout,
            capture_output=True,
            text=True,
            timeout=120,
            env={"PATH": path, "HOME": str(checkout), "PYTHONPATH": str(checkout / "scripts")},
        )
        assert done.returncode == 0, f"{shlex.join(words)}\n{done.stdout}\n{done.stderr}"
        said += done.stdout
    assert "sums / old-model: COMPLETE 2×5, strict pass@1 50.0 %" in said
    assert "sums / new-model: COMPLETE 2×5, strict pass@1 40.0 %" in said
    assert "a 50.0 %, b 40.0 %" in said
    assert "seed-compat" in said
    assert (checkout / "archive.html").stat().st_size > 1_000_000
    assert (checkout / "results" / "report.html").is_file()
    compared = [words for words in commands(PAGE) if "compare" in words]
    assert len(commands(PAGE)) == 7
    assert len(compared) == 1


def test_the_page_names_every_format_and_field() -> None:
    for name in (*FORMATS, *NAMED):
        assert f"`{name}`" in PAGE
