"""How one request can end, and what each end means for the sample and for the job."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import Enum
from typing import Any
from urllib.parse import quote

SHORT = 300
PATIENT = {408, 409, 425, 502, 504, 520, 521, 522, 523, 524, 529}
FORBIDDEN = {401, 403, 407}
UNFINISHED = {"error", "abort", "aborted", "cancelled", "canceled"}


class Kind(Enum):
    """Why a request failed; the value says what follows."""

    UNREACHABLE = "wait for the server, then ask again"
    BUSY = "back off, then ask again"
    CUT = "ask again"
    FAULT = "ask again a few times"
    REJECTED = "the sample is an error"
    FATAL = "the job stops"


class Failure(Exception):
    """A request that gave no answer: its kind, what was seen, and the seconds the server asked us to wait.

    The reason holds the server's words whole, perhaps with the key: what is shown of it is `told`.
    """

    def __init__(self, kind: Kind, reason: str, retry_after: float | None = None) -> None:
        """Keep what was seen."""
        super().__init__(reason)
        self.kind = kind
        self.reason = reason
        self.retry_after = retry_after


def of_status(status: int, body: bytes, headers: Mapping[str, str]) -> Failure:
    """Return what an HTTP status other than 200 means to a request for a model that the server has listed."""
    reason = f"HTTP {status}: {words(body)}"
    if b"insufficient_quota" in body:
        return Failure(Kind.FATAL, reason)
    if status in (429, 503):
        return Failure(Kind.BUSY, reason, retry_after(headers))
    if status == 500:
        return Failure(Kind.FAULT, reason)
    if status == 404:
        # The model was listed before anything was asked: its last worker has gone since.
        return Failure(Kind.UNREACHABLE, reason)
    if status in FORBIDDEN:
        return Failure(Kind.FATAL, reason)
    if status in PATIENT:
        return Failure(Kind.CUT, reason, retry_after(headers))
    return Failure(Kind.REJECTED, reason)


def in_body(error: Any, begun: bool) -> Failure:
    """Return what an error inside a body with status 200 means; `begun` says that some text had come before it."""
    reason = f"error inside the answer: {words(error)}"
    if isinstance(error, bytes):
        error = _parsed(error)
    if isinstance(error, Mapping) and isinstance(error.get("error"), Mapping):
        error = error["error"]
    code = error.get("code", error.get("status")) if isinstance(error, Mapping) else None
    try:
        status = int(code) if code is not None else 503
    except (TypeError, ValueError, OverflowError):
        status = 503
    if status in FORBIDDEN:
        return Failure(Kind.FATAL, reason)
    if status == 500 and not begun:
        # Dynamo says no more than this of a prompt over the context, which no attempt will mend.
        return Failure(Kind.FAULT, reason)
    return Failure(Kind.REJECTED if 400 <= status < 500 and status not in (408, 409, 425, 429) else Kind.CUT, reason)


def words(body: object) -> str:
    """Return the message of an error body of any of the usual shapes, in one line, as long as it is."""
    if isinstance(body, bytes):
        body = _parsed(body)
    for key in ("error", "message", "detail"):
        if isinstance(body, Mapping) and body.get(key):
            body = body[key]
    try:
        said = body if isinstance(body, str) else json.dumps(body, default=str)
    except (ValueError, RecursionError):
        said = "an error too deeply nested to be shown"
    return " ".join(said.split()) or "no word from the server"


def _parsed(body: bytes) -> Any:
    """Return the JSON in `body`, its text where it is none."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return body.decode("utf-8", "replace")


def told(text: str, key: str | None) -> str:
    """Return what may be shown of a server's words: the key struck out of the whole text, then cut to a short one."""
    if key:
        # Also as JSON, which may escape a slash, would spell it.
        escaped = json.dumps(key)[1:-1]
        for spelt in (key, escaped, escaped.replace("/", "\\/"), quote(key, safe="")):
            text = text.replace(spelt, "***")
    text = text.encode("utf-8", "replace").decode("utf-8")
    return text if len(text) <= SHORT else text[:SHORT] + "…"


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of a Retry-After header, in either form (RFC 9110, 10.2.3); None without a usable one."""
    value = headers.get("Retry-After", "").strip()
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        until = parsedate_to_datetime(value)
        # Against the server's own clock where it reports one: ours may differ.
        now = parsedate_to_datetime(headers["Date"]) if "Date" in headers else datetime.now(UTC)
        return max(0.0, (until - now).total_seconds())
    except (TypeError, ValueError, OverflowError):
        return None


def check_finished(finish_reason: str | None) -> None:
    """Raise Failure if an answer did not come to the end that the model gave it."""
    if not finish_reason:
        raise Failure(Kind.CUT, "the answer ended without a finish_reason")
    if finish_reason in UNFINISHED:
        raise Failure(Kind.CUT, f"finish_reason {finish_reason!r}")
    if finish_reason == "content_filter":
        raise Failure(Kind.REJECTED, "finish_reason 'content_filter'")


def status_of(finish_reason: str | None, text: str, reasoning: str) -> tuple[str, str | None]:
    """Return (status, reason) of a finished answer; raises Failure if the finish_reason says that it failed."""
    check_finished(finish_reason)
    if finish_reason == "length":
        return "truncated", "max_tokens or context reached"
    if text.strip():
        return "ok", None
    if reasoning.strip():
        return "ok", "no content: all text is in reasoning_content"
    return "empty", f"finish_reason {finish_reason!r} without any text"
