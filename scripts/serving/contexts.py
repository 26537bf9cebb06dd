"""How many tokens a server takes, prompt and answer together, as its file says."""

import re
from collections.abc import Mapping
from typing import Any

from scripts.errors import InputError
from scripts.serving.definitions import LLAMA_CPP, roles

FLAGS = ("--context-length", "--max-model-len")  # SGLang's and vLLM's
OPEN = ("auto", "-1")  # vLLM: as much as fits
TIMES = {"": 1, "k": 1000, "m": 1000**2, "g": 1000**3, "K": 1024, "M": 1024**2, "G": 1024**3}  # as vLLM reads them
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)([kKmMgG]?)", re.ASCII)


def lengths(definition: Mapping[str, Any]) -> dict[str, int]:
    """Return the context of each role that names one, by `role.flag`; raises InputError if it is not a number."""
    if definition.get("kind") == LLAMA_CPP:
        return {"context": int(definition["context"])}
    found = {}
    for role in roles(definition):
        for place, word in enumerate(role.command):
            flag, equals, value = word.partition("=")
            flag = flag.replace("_", "-")
            if flag not in FLAGS:
                continue
            text = value if equals else role.command[place + 1] if place + 1 < len(role.command) else ""
            if text in OPEN:
                continue
            number = _NUMBER.fullmatch(text)
            if number is None:
                raise InputError(f"role {role.name}: {flag}: found {text!r}, expected a number of tokens")
            found[f"{role.name}.{flag.lstrip('-')}"] = int(float(number[1]) * TIMES[number[2]])
    return found


def check(definition: Mapping[str, Any], max_tokens: int | None, source: str) -> None:
    """Raise InputError where a role's context cannot hold an answer of `max_tokens` and a prompt before it."""
    for key, length in lengths(definition).items():
        if max_tokens is not None and length <= max_tokens:
            raise InputError(
                f"{source}: {key}: found {length}, expected more than max_tokens ({max_tokens}): "
                "the prompt and the answer share it"
            )
