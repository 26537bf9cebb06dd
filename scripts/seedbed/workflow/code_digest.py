"""The code of a script: the modules of this project that it imports, directly or through others, and their digest."""

import functools
import hashlib
import re
from pathlib import Path

from seedbed.core.environment import SOURCES

_FROM = re.compile(r"^[ \t]*from (seedbed(?:\.\w+)*) import (?:\(([^)]*)\)|(.*))", re.MULTILINE)
_NAME = re.compile(r"^[ \t]*import (seedbed(?:\.\w+)+)|[\"'](seedbed(?:\.\w+)+)[\"']", re.MULTILINE)


@functools.cache
def _imported(path: Path) -> tuple[Path, ...]:
    """Return the files of the project's modules that one file imports, or names in a text to start them by.

    Read by patterns: the syntax tree of all scripts takes 0.1 s of CPU, at every start of Snakemake.
    """
    text = path.read_text(encoding="utf-8")
    names = [imported or named for imported, named in _NAME.findall(text)]
    for module, listed, line in _FROM.findall(text):
        words = re.findall(r"\w+", re.sub(r"#.*", "", listed or line))
        names += [module, *(f"{module}.{word}" for word in words)]
    files = (SOURCES / f"{name.replace('.', '/')}.py" for name in names)
    return tuple(file for file in files if file.is_file())


def modules(script: str) -> list[Path]:
    """Return the files that make up the command `script`, itself first, then by name."""
    first = SOURCES / "seedbed" / "commands" / script
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
        content.update(f"{file.relative_to(SOURCES)}\n".encode())
        content.update(file.read_bytes())
    return content.hexdigest()
