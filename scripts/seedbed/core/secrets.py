"""Recognise secrets: refuse them in configurations, and mask them in everything that is kept or shown.

Standard library only: servers run this on nodes whose Python has no packages.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from seedbed.core.errors import InputError

STRUCK = "***"
_NAMED = r"api[_-]?keys?|secrets?|passwords?|passwd|access[_-]?keys?|token|credentials?|pat|auth|authorization|bearer"
_FLAG = r"--?(?:[a-z0-9]+[-_])*(?:api[-_]?keys?|access[-_]?keys?|token|secrets?|passwords?|passwd|credentials?)"
_NO_SECRET = r"[-{$*<]|\d+\b"  # a flag, a placeholder, a variable, what is struck out, a special token, a number
_SECRET_NAME = re.compile(rf"(?:^|[_-]|(?<=[a-z])(?=[A-Z]))(?i:{_NAMED})$")
_SECRET_VALUE = re.compile(  # what is in a group before a secret is kept where it is struck out
    r"(?<![A-Za-z0-9])(?:sk-|hf_|ghp_|nvapi-|xox[bp]-|AKIA)[A-Za-z0-9_-]{8,}"
    r"|\b(Bearer\s+)\S{8,}"
    r"|\b([Bb]asic\s+)(?=\S*(?:[0-9=]|[a-z][A-Z]))[A-Za-z0-9+/_-]{6,}={0,2}(?![A-Za-z0-9])"
    r"|(://)[^/\s:@]+:[^/\s@]+(?=@)"
    r"|([?&](?i:api[_-]?key|key|token|secret|auth|authorization)=)(?!\*)[^&\s]+"
    rf"|((?<!\S)(?i:{_FLAG})[ =])(?!{_NO_SECRET})[^\s,}}'\"]+"
    rf"|([\"'](?:[A-Za-z]+[_-])*(?i:{_NAMED})[\"']\s*:\s*[\"'])[^\"'*]+"
)
_SECRET_FLAG = re.compile(rf"(?i){_FLAG}(?:=(?P<value>.+))?")


def looks_secret(name: str, value: str) -> bool:
    """Return whether a text is, by the name it has or by its form, a secret; "" is none."""
    return bool(value) and (_SECRET_NAME.search(name) is not None or _SECRET_VALUE.search(value) is not None)


def struck(name: str, value: str) -> str:
    """Return a text without what looks like a secret in it."""
    if value and _SECRET_NAME.search(name):
        return STRUCK
    return _SECRET_VALUE.sub(lambda found: f"{found[found.lastindex] if found.lastindex else ''}{STRUCK}", value)


def refuse_secrets(value: Any, key: str, source: str, name: str = "") -> None:
    """Raise InputError naming the key where a configuration holds what looks like a secret; `name` is the last key."""
    if isinstance(value, Mapping):
        for inner_name, inner in value.items():
            refuse_secrets(inner, f"{key}{inner_name}.", source, _name_of(inner_name, inner))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            if _given(value, index) is not None:
                raise InputError(
                    f"{source}: {key}{index} ({str(inner).split('=')[0]}) looks like a secret; a command line is seen"
                    " by all"
                )
            refuse_secrets(inner, f"{key}{index}.", source, name)
    elif isinstance(value, str) and looks_secret(name, value):
        raise InputError(f"{source}: {key.rstrip('.')} looks like a secret; expected its environment variable's name")


def strike(value: Any, secrets: Iterable[str] = (), name: str = "") -> Any:
    """Return `value`, named `name`, without what is, or looks like, a secret: by name, by form, or because known."""
    secrets = list(secrets)
    if isinstance(value, Mapping):
        return {key: strike(inner, secrets, _name_of(key, inner)) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        hidden = {index + 1 for index, word in enumerate(value) if "=" not in str(word) and _given(value, index)}
        return [STRUCK if index in hidden else strike(inner, secrets, name) for index, inner in enumerate(value)]
    if not isinstance(value, str):
        return value
    for secret in filter(None, secrets):
        value = value.replace(secret, STRUCK)
    return struck(name, value)


def _name_of(key: object, value: Any) -> str:
    """Return by what name a value is judged: that of its key, but `secrets:` of a server file lists names alone."""
    return "" if key == "secrets" and isinstance(value, list | tuple) else str(key)


def _given(words: Sequence[Any], index: int) -> str | None:
    """Return the secret that a flag at `index` of a command line is given, in its word or the next; None if none is."""
    flag = _SECRET_FLAG.fullmatch(words[index]) if isinstance(words[index], str) else None
    given = flag and (flag["value"] or (words[index + 1] if index + 1 < len(words) else None))
    return given if isinstance(given, str) and re.match(_NO_SECRET, given) is None else None
