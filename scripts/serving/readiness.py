"""Is a server ready? Only if it lists the model and completes a token: a healthy status alone has proved nothing."""

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any

TIMEOUT = 30.0  # seconds for one probe: a loaded llama.cpp answers late, and a late answer is an answer


def not_ready(url: str, model: str, key: str | None, timeout: float = TIMEOUT) -> str | None:
    """Return why the server at `url` (ending in /v1) is not ready to answer as `model`, or None if it is."""
    try:
        listed = models(url, key, timeout)
        if model not in listed:
            return f"{url}/models lists {', '.join(listed) or 'no model'}, expected {model}"
        body = {"model": model, "messages": [{"role": "user", "content": "1"}], "max_tokens": 1}
        answer = _call(f"{url}/chat/completions", key, timeout, body)
    except (OSError, http.client.HTTPException, ValueError) as error:
        return _reason(error)
    if not isinstance(answer, dict) or not answer.get("choices"):
        return f"{url}/chat/completions answered without choices: {str(answer)[:200]}"
    return None


def models(url: str, key: str | None, timeout: float = TIMEOUT) -> list[str]:
    """Return the names that `url`/models lists; raises OSError or ValueError when it cannot be read."""
    answer = _call(f"{url}/models", key, timeout, None)
    try:
        return [str(entry["id"]) for entry in answer["data"]]
    except (KeyError, TypeError):
        return []


def answers(url: str, timeout: float = TIMEOUT) -> str | None:
    """Return why `url` does not answer with status 200, or None if it does."""
    try:
        with urllib.request.urlopen(url, timeout=timeout):
            return None
    except (OSError, http.client.HTTPException) as error:
        return _reason(error)


def _call(url: str, key: str | None, timeout: float, body: Mapping[str, object] | None) -> Any:
    """Return the JSON answer of a GET, or of a POST when there is a body."""
    headers = {"Content-Type": "application/json"}
    if key is not None:
        headers["Authorization"] = f"Bearer {key}"
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=timeout) as answer:
        return json.load(answer)


def _reason(error: Exception) -> str:
    """Return one line that names an HTTP status with its body, or what went wrong below HTTP."""
    if isinstance(error, urllib.error.HTTPError):
        with error:
            return f"{error.url}: HTTP {error.code} {error.read(200).decode(errors='replace').strip()}"
    if isinstance(error, urllib.error.URLError):
        return str(error.reason)
    return f"{type(error).__name__}: {error}"
