"""What a server says of its own version: its front door by HTTP, its roles by the command that their file names."""

import http.client
import json
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from scripts.serving.commands import Slot

SECONDS = 120.0  # for one command that tells a version: an image may have to be opened for it
_PLACES: tuple[tuple[str, Callable[[Any], object]], ...] = (
    ("/version", lambda told: told["version"]),  # vLLM
    ("/get_server_info", lambda told: told["version"]),  # SGLang
    ("/props", lambda told: told["build_info"]),  # llama.cpp
    ("/openapi.json", lambda told: f"{told['info']['title']} {told['info']['version']}"),  # Dynamo
)


def of_frontend(url: str, key: str | None, timeout: float = 10.0) -> str | None:
    """Return the version that the server at `url` (ending in /v1) tells of itself, None where it tells none."""
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    for path, read in _PLACES:
        try:
            asked = urllib.request.Request(url.removesuffix("/v1") + path, headers=headers)
            with urllib.request.urlopen(asked, timeout=timeout) as answer:
                return str(read(json.load(answer)))
        except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
            continue
    return None


def guarded(url: str, timeout: float = 10.0) -> bool:
    """Return whether the server at `url` refuses a request that brings no key; one that asks nothing."""
    asked = urllib.request.Request(
        f"{url}/chat/completions", b'{"max_tokens": 1}', {"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(asked, timeout=timeout):
            return False
    except urllib.error.HTTPError as error:
        with error:
            return error.code in (401, 403)
    except (OSError, http.client.HTTPException):
        return False


def asking(slot: Slot) -> Slot | None:
    """Return the process that asks the role of `slot` for its version, on the same node and without a GPU, if any."""
    if not slot.role.version:
        return None
    return replace(slot, role=replace(slot.role, command=slot.role.version, gpus=0))


def told_by(words: Sequence[str], environment: Mapping[str, str]) -> str:
    """Return the last line that a command prints in `environment`, or why it printed none."""
    try:
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, env=environment, capture_output=True, text=True, timeout=SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"unknown: {words[0]}: {error}"
    lines = [line for line in (done.stdout or done.stderr).splitlines() if line.strip()]
    return lines[-1].strip() if done.returncode == 0 and lines else f"unknown: exit code {done.returncode}"
