"""The code of a script: the modules of this project that it imports, directly or through others, and their digest."""

import ast
import functools
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

_MODULE = re.compile(r"scripts(?:\.[a-z_0-9]+)+")
ROOT = Path(__file__).resolve().parent.parent


@functools.cache
def _imported(path: Path) -> tuple[Path, ...]:
    """Return the files of the project's modules that one file imports, or names in a text to start them by."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: Iterator[str] = iter(())
        if isinstance(node, ast.Import):
            names = (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = (name for alias in node.names for name in (node.module, f"{node.module}.{alias.name}"))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names = iter((node.value,))
        for name in names:
            if _MODULE.fullmatch(name) and (file := ROOT / f"{name.replace('.', '/')}.py").is_file():
                found.append(file)
    return tuple(found)


def modules(script: str) -> list[Path]:
    """Return the files that make up `scripts/{script}`, itself first, then by name."""
    first = ROOT / "scripts" / script
    seen, waiting = {first}, [first]
    while waiting:
        for file in _imported(waiting.pop()):
            if file not in seen:
                seen.add(file)
                waiting.append(file)
    return [first, *sorted(seen - {first})]


def code_digest(script: str) -> str:
    """Return the SHA-256 over the files of `modules(script)`: edited it changes, touched or moved it does not."""
    content = hashlib.sha256()
    for file in modules(script):
        content.update(f"{file.relative_to(ROOT)}\n".encode())
        content.update(file.read_bytes())
    return content.hexdigest()
