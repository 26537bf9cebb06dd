"""The digest of what a command does: a parameter of the cheap rules, so that changed code runs them again.

It is made of the syntax trees of the command's module and of all modules of this project that it imports or starts by
name, without comments, docstrings and the help texts of arguments, and of the versions of the libraries that shape a
result. Touched, moved or reformatted code changes nothing.
"""

import ast
import contextlib
import functools
import hashlib
import json
import re
import sys
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import TypedDict

from seedbed.core import files
from seedbed.core.environment import SOURCES

PACKAGE = "seedbed"
# what a command imports → the distributions whose version may change its result
LIBRARIES = {
    "regex": ("regex",),
    "math_verify": ("math-verify", "latex2sympy2-extended", "sympy", "antlr4-python3-runtime"),
    "latex2sympy2_extended": ("latex2sympy2-extended", "sympy", "antlr4-python3-runtime"),
    "sympy": ("sympy",),
}
CACHE = Path(".snakemake/seedbed-code.json")  # by content of a file: its digest and imports; parsing takes 0.3 s
_MODULE_NAME = re.compile(rf"{PACKAGE}(?:\.\w+)+")
_HELP = {"help", "description", "epilog", "metavar"}
_PARSER_CALLS = {"ArgumentParser", "add_argument", "add_argument_group", "add_parser", "add_subparsers"}


class Parsed(TypedDict):
    """What one file contributes: the digest of its code, and the names that it imports or starts."""

    code: str
    imports: list[str]


def code_digest(command: str) -> str:
    """Return the SHA-256 of what `python -m seedbed COMMAND` does, by its code and its libraries' versions."""
    content, modules = hashlib.sha256(), closure(command)
    for name, parsed in sorted(modules.items()):
        content.update(f"{name} {parsed['code']}\n".encode())
    for name, version in sorted(library_versions(modules).items()):
        content.update(f"{name} {version}\n".encode())
    return content.hexdigest()


def closure(command: str) -> dict[str, Parsed]:
    """Return the modules of a command by name: its own, and all that it imports or starts, through others too."""
    waiting, found = [f"{PACKAGE}.commands.{command}"], dict[str, Parsed]()
    while waiting:
        name = waiting.pop()
        if name not in found and (path := _file_of(name)) is not None:
            found[name] = _parsed(path)
            waiting += [imported for imported in found[name]["imports"] if imported.startswith(PACKAGE)]
            waiting.append(name.rpartition(".")[0])  # Python imports a module's package first
    _save_cache()
    return found


def library_versions(modules: Mapping[str, Parsed]) -> dict[str, str]:
    """Return the installed versions of the libraries that shape the result of these modules."""
    imported = {name.partition(".")[0] for parsed in modules.values() for name in parsed["imports"]}
    wanted = {distribution for name in imported for distribution in LIBRARIES.get(name, ())}
    return {name: _version(name) for name in wanted}


@functools.cache
def _version(distribution: str) -> str:
    """Return the installed version of a distribution, `none` where there is none."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "none"


@functools.cache
def _file_of(module: str) -> Path | None:
    """Return the file of a module or package of this project, None where the name is a function or a class."""
    path = SOURCES / module.replace(".", "/")
    files_of_module = (path.with_suffix(".py"), path / "__init__.py")
    return next((file for file in files_of_module if file.is_file()), None) if module else None


@functools.cache
def _parser_version() -> bytes:
    """Return what the cached results of parsing depend on beside the file parsed: Python and this module."""
    return sys.version.encode() + Path(__file__).read_bytes()


@functools.cache
def _parsed(path: Path) -> Parsed:
    """Return what a file contributes, from the cache where its content is known."""
    content = path.read_bytes()
    module = ".".join(path.relative_to(SOURCES).with_suffix("").parts)
    key = hashlib.sha256(b"\n".join([_parser_version(), module.encode(), content])).hexdigest()
    cache = _cache()
    if key not in cache:
        cache[key] = parse(content.decode("utf-8"), module)
        cache["changed"] = {"code": "", "imports": []}
    return cache[key]


def parse(source: str, module: str) -> Parsed:
    """Return the digest of the code of a source text and the names it imports or starts; `module` is its name."""
    tree = ast.parse(source)
    imports = set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            parents = module.split(".")[: -node.level] if node.level else []
            base = ".".join([*parents, *filter(None, [node.module])])
            imports |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _MODULE_NAME.fullmatch(node.value):
            imports.add(node.value)  # started by name, `python -m`
        _remove_texts(node)
    return {"code": hashlib.sha256(ast.dump(tree).encode()).hexdigest(), "imports": sorted(imports)}


def _remove_texts(node: ast.AST) -> None:
    """Remove the texts of a node that only readers see: a docstring, or the help texts of an argument parser."""
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            del node.body[0]
    elif isinstance(node, ast.Call) and _called(node) in _PARSER_CALLS:
        node.keywords = [keyword for keyword in node.keywords if keyword.arg not in _HELP]


def _called(node: ast.Call) -> str:
    """Return the last name of what a call calls."""
    called = node.func
    return called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""


@functools.cache
def _cache() -> dict[str, Parsed]:
    """Return what earlier calls have parsed in this working directory; empty where it cannot be read."""
    with contextlib.suppress(OSError, ValueError):
        found = json.loads(CACHE.read_text(encoding="utf-8"))
        if isinstance(found, dict) and all(
            isinstance(one, dict) and set(one) == {"code", "imports"} for one in found.values()
        ):
            return found
    return {}


def _save_cache() -> None:
    """Write the cache where something new was parsed; a folder that cannot be written costs the parsing, no more."""
    cache = _cache()
    if cache.pop("changed", None) is not None:
        with contextlib.suppress(OSError):
            CACHE.parent.mkdir(exist_ok=True)
            files.write(CACHE, json.dumps(cache))
