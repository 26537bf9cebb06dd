import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

from seedbed.results.summary_table import QUESTIONS

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


PAGES = [*sorted(ROOT.glob("*.md")), ROOT / "config" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


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
    needed |= {"CONTRIBUTING.md", "SECURITY.md", "CITATION.cff"}
    made = {"results", "resources", "run", "store", "logs"}
    there = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    assert fixed | needed <= there
    assert there - made <= fixed | needed


def test_every_document_that_the_readme_names_exists() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} names {target}"


def test_every_file_of_the_checkout_that_a_page_names_exists() -> None:
    kinds = "scripts/seedbed|tests|rules|config|profiles|envs"
    for page in PAGES:
        for name in re.findall(rf"`((?:{kinds})/[\w./*-]*)`", page.read_text()):
            if "NAME" not in name:
                assert list(ROOT.glob(name.rstrip("/"))), f"{page.name} names {name}"


def test_every_folder_of_the_code_is_on_the_map() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    layers = set(re.findall(r"\w+", page.partition("```\ncommands > ")[2].partition("```")[0])) | {"commands"}
    for folder in (ROOT / "scripts" / "seedbed").iterdir():
        if (folder / "__init__.py").is_file():
            assert f"| `scripts/seedbed/{folder.name}/` |" in page
            assert folder.name in layers


def test_every_folder_of_tests_is_on_the_map() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text()
    for folder in (ROOT / "tests").iterdir():
        if (folder / "__init__.py").is_file():
            assert f"| `tests/{folder.name}/` |" in page


def test_every_page_is_named_by_the_readme_or_by_a_page_it_names() -> None:
    texts = "".join(page.read_text() for page in PAGES)
    for page in (ROOT / "docs").glob("*.md"):
        assert re.search(rf"\]\((?:docs/|\.\./docs/)?{re.escape(page.name)}[)#]", texts), page.name


def test_the_version_is_the_same_everywhere_and_has_an_entry_in_the_changelog() -> None:
    version = PROJECT["project"]["version"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert (citation["version"], citation["license"]) == (version, PROJECT["project"]["license"])
    headings = re.findall(r"^## \[(.+?)\](?: - (\S+))?$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == ("Unreleased", "")
    assert headings[1] == (version, str(citation["date-released"]))


def test_hooks_and_ci_run_what_the_makefile_runs() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert [entry["repo"] for entry in hooks] == ["local"]
    checks = re.search(r"^check:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert checks
    tools = set(re.findall(r"\$\(BIN\)/([\w-]+)", checks[1])) - {"snakemake"}  # its lint takes seconds
    assert tools <= {hook["entry"].split()[0].removeprefix(".venv/bin/") for hook in hooks[0]["hooks"]}
    steps = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text())["jobs"]["test"]["steps"]
    assert steps[-1] == {"run": "make test"}


def test_make_help_has_one_line_a_target() -> None:
    makefile = (ROOT / "Makefile").read_text()
    asked = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    printed = subprocess.run(["make", "--silent", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    lines = dict(line.split(None, 1) for line in printed.splitlines())
    assert asked
    assert sorted(lines) == sorted(asked[1].split())


def test_the_catalog_of_workflows_finds_what_it_asks_for() -> None:
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    assert set(usage) == {"mandatory-flags", "software-stack-deployment", "report"}
    assert (ROOT / "config" / "README.md").is_file()
    assert (ROOT / "Snakefile").is_file()


def test_every_command_and_option_that_a_page_shows_exists() -> None:
    shown = 0
    for page in PAGES:
        text = page.read_text().replace("\\\n", " ")
        for name, rest in re.findall(r"python -m seedbed ([a-z_]+)([^`\n|]*)", text):
            source = (ROOT / "scripts" / "seedbed" / "commands" / f"{name}.py").read_text()
            for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", rest.split("#")[0]):
                assert f'"{option}"' in source, f"{page.name}: {name} {option}"
                shown += 1
    assert shown > 20


def test_every_target_of_make_that_a_page_shows_exists() -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for page in PAGES:
        for name in re.findall(r"(?:`|^)make ([a-z-]+)", page.read_text(), re.MULTILINE):
            assert name in targets, f"{page.name}: make {name}"


def test_the_readme_shows_the_table_with_the_labels_that_are_printed() -> None:
    page = (ROOT / "README.md").read_text()
    for _, words in QUESTIONS:
        assert page.count(f"95 % {words} ") == 2, words


def test_the_glossary_lists_the_keys_of_a_configuration_that_were_renamed() -> None:
    def renamed(properties: dict[str, dict[str, object]], above: str = "") -> dict[str, str]:
        found = {}
        for name, asked in properties.items():
            if old := asked.get("formerly"):
                found[f"{above}{old}"] = f"{above}{name}"
            inner = asked.get("properties")
            found |= renamed(inner, f"{above}{name}.") if isinstance(inner, dict) else {}
        return found

    schema = yaml.safe_load((ROOT / "config" / "schema" / "config.yaml").read_text())
    page = (ROOT / "docs" / "glossary.md").read_text()
    rows = re.findall(r"^\| configuration \| `([\w.]+)` \| `([\w.]+)` \|$", page, re.MULTILINE)
    assert dict(rows) == renamed(schema["properties"])
