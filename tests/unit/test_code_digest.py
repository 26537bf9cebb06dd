"""The digest of a command: of what its code does, of all that it imports, of the libraries that shape its result."""

import subprocess
import sys
from pathlib import Path

import pytest

from seedbed.core.environment import SOURCES
from seedbed.workflow import code_digest
from seedbed.workflow.code_digest import LIBRARIES, closure, parse

COMMANDS = ["score", "rescore", "tabulate", "compare", "gate"]
SOURCE = '''"""A module."""

import argparse
from seedbed.core import files
from . import sibling
from ..records import outputs

LIMIT = 3


def double(x):
    """Return twice `x`."""
    return 2 * x  # a comment


def parser():
    """Return a parser."""
    made = argparse.ArgumentParser(description="Old words.")
    made.add_argument("--limit", help="old words", default=LIMIT)
    start("seedbed.scoring.symbolic")
    figure(description="A text of the result")
    return made
'''


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder, so that nothing is known from before."""
    monkeypatch.chdir(tmp_path)


def code(source: str) -> str:
    """Return the digest of a source text."""
    return parse(source, "seedbed.scoring.made")["code"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# a comment", "# another comment"),
        ('"""A module."""', '"""Another module."""'),
        ('"""Return twice `x`."""', '"""Return it.\n\n    At length.\n    """'),
        ("old words", "new words"),
        ("Old words.", "New words."),
        ("return 2 * x", "return (2   *   x)"),
        ("LIMIT = 3\n", "LIMIT = 3\n\n\n\n"),
    ],
)
def test_what_only_readers_see_changes_nothing(old: str, new: str) -> None:
    assert code(SOURCE.replace(old, new)) == code(SOURCE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LIMIT = 3", "LIMIT = 4"),
        ("2 * x", "2 + x"),
        ("--limit", "--bound"),
        ("default=LIMIT", "default=None"),
        ("A text of the result", "Another text of the result"),
    ],
)
def test_what_the_code_does_changes_the_digest(old: str, new: str) -> None:
    assert code(SOURCE.replace(old, new)) != code(SOURCE)


def test_every_way_to_import_or_start_a_module_is_seen() -> None:
    imports = parse(SOURCE, "seedbed.scoring.made")["imports"]
    assert {"seedbed.core.files", "seedbed.scoring.sibling", "seedbed.records.outputs"} <= set(imports)
    assert {"seedbed.scoring.symbolic", "argparse"} <= set(imports)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_modules_of_a_command_are_all_that_it_really_imports(command: str) -> None:
    name = f"seedbed.commands.{command}"
    words = f"import sys, {name}; print(*sorted(m for m in sys.modules if m.startswith('seedbed.')))"
    loaded = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True, cwd=SOURCES)
    really = set(loaded.stdout.split())
    assert name in really
    assert really <= set(closure(command))


def test_an_edited_module_and_another_version_of_a_library_change_the_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    before = {command: code_digest.code_digest(command) for command in COMMANDS}
    assert len(set(before.values())) == len(COMMANDS)
    assert {command: code_digest.code_digest(command) for command in COMMANDS} == before
    monkeypatch.setattr(code_digest, "_version", lambda name: "9.9" if name == "math-verify" else "1.0")
    changed = {command for command in COMMANDS if code_digest.code_digest(command) != before[command]}
    assert {"score", "rescore"} <= changed
    assert "tabulate" not in changed


def test_the_cache_gives_what_parsing_gives_and_a_broken_one_is_ignored() -> None:
    code_digest._parsed.cache_clear()
    code_digest._cache.cache_clear()
    before = code_digest.code_digest("score")
    assert code_digest.CACHE.is_file()
    for content in (code_digest.CACHE.read_text(), "{", '{"a": 1}', '{"a": {}}'):
        code_digest.CACHE.write_text(content)
        code_digest._cache.cache_clear()
        code_digest._parsed.cache_clear()
        assert code_digest.code_digest("score") == before


def test_every_library_of_a_scorer_is_known_to_shape_its_result_or_not() -> None:
    harmless = {
        "tabulate",
        "huggingface_hub",
        "xllamacpp",
        "pandas",
        "pyarrow",
        "msgspec",
        "orjson",
        "yaml",
        "jsonschema",
        "zstandard",
        "aiohttp",
    }
    for command in COMMANDS:
        imported = {name.partition(".")[0] for parsed in closure(command).values() for name in parsed["imports"]}
        foreign = imported - set(sys.stdlib_module_names) - {"seedbed", ""}
        # the gate reads the configuration, which knows of sources and servers: neither is fetched or started by it
        assert foreign <= set(LIBRARIES) | harmless | ({"huggingface_hub", "xllamacpp"} if command == "gate" else set())
