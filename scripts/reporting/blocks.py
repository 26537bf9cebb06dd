"""Data as text that a page may hold: ASCII JSON that ends no script block and is a JavaScript value as it stands."""

import json
import math
from collections.abc import Mapping
from typing import Any


def block(value: object) -> str:
    r"""Return compact ASCII JSON with no `<` in it; a number that JSON has no word for is null."""
    try:
        text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(value), separators=(",", ":"))
    return closed(text)


def closed(text: str) -> str:
    """Return ASCII JSON with each `<`, which can stand in a string only, written by its number."""
    return text.replace("<", "\\u003c")


def call(function: str, name: str, content: str) -> str:
    """Return a script that hands a block over by its name; a key `__proto__` stays a key like any other."""
    return f"{function}({block(name)},{content.replace(_PROTOTYPE, f'[{_PROTOTYPE[:-1]}]:')})\n"


_PROTOTYPE = '"__proto__":'  # within a string its quotes are escaped, so that this is a key wherever it stands


def _finite(value: Any) -> Any:
    """Return a value without infinities and NaN."""
    if isinstance(value, Mapping):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
