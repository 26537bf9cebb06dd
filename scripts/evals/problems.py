"""The problems of a file of outputs: which they are, and whether they are those that every file must have."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from scripts.errors import InputError


class Key(msgspec.Struct, frozen=True, gc=False):
    """What a problem is: its expected answer and a mark of its wording, where the records give them."""

    expected: str | None
    wording: int | None = None  # the hash of the problem's text, good within this process
    line: int = 0


def check_problems(path: Path, found: Mapping[str, Key], expected: Mapping[str, Key], first: str) -> None:
    """Raise InputError, with a line, unless the file has exactly the expected problems; `first` is who expects them."""
    extra = [identity for identity in found if identity not in expected]
    missing = [identity for identity in expected if identity not in found]
    if extra:
        raise InputError(f"{path}:{found[extra[0]].line}: problem {_few(extra)} is not in {first}")
    if missing:
        raise InputError(
            f"{path}:{max(key.line for key in found.values())}: ends with {len(found)} problems, but {first} has "
            f"{len(expected)}; missing {_few(missing)}"
        )
    for identity, key in found.items():
        other = expected[identity]
        reworded = key.wording is not None and other.wording is not None and key.wording != other.wording
        if key.expected != other.expected or reworded:
            raise InputError(f"{path}:{key.line}: {identity} is another problem than in {first}: expected the same one")


def _few(names: list[str]) -> str:
    """Return the first few names, and how many more there are."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
