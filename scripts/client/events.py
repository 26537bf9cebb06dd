"""One event of an answer as servers send it, read with tolerance for what differs among them."""

import json
from typing import Any

import msgspec

from scripts.client.outcomes import Failure, Kind

MOST_TOKENS = 100_000_000  # of one request: a number above it is a fault of the server, not a count


class Message(msgspec.Struct, gc=False):
    """Text of one event, or of a whole answer that was not streamed; both names of the reasoning are in use."""

    content: str | list[Any] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None


class Choice(msgspec.Struct, gc=False):
    """One alternative; we ask for one."""

    delta: Message | None = None
    message: Message | None = None
    finish_reason: str | None = None
    index: int | None = 0


class Event(msgspec.Struct, gc=False):
    """One event of a chat completion, a whole completion, or an error in the place of either."""

    choices: list[Choice] | None = None
    usage: Any = None
    model: str | None = None
    error: Any = None
    message: Any = None
    detail: Any = None
    code: Any = None

    @property
    def fault(self) -> object:
        """Return the error that the event tells of, None if it is none."""
        if self.error is not None or self.choices:
            return self.error
        said = self.message if self.message is not None else self.detail
        return None if said is None else {"message": said, "code": self.code}


class Usage(msgspec.Struct, gc=False):
    """Tokens as the server counted them; None where it did not, or where its number cannot be one."""

    prompt: int | None = None
    completion: int | None = None
    reasoning: int | None = None


_DECODE = msgspec.json.Decoder(Event).decode


def read_event(data: bytes) -> Event:
    """Return one event; raises Failure for what is no JSON object of a chat completion."""
    try:
        return _DECODE(data)
    except msgspec.ValidationError as error:
        raise Failure(Kind.CUT, f"unreadable event: {error}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        # The stricter reader refuses half a surrogate pair, which servers do send at the border of two tokens.
        return msgspec.convert(json.loads(data), Event)
    except (ValueError, msgspec.ValidationError, RecursionError) as error:
        raise Failure(Kind.CUT, f"unreadable event {data.decode('utf-8', 'replace')!r}") from error


def read_usage(told: object) -> Usage:
    """Return the counts in a `usage` object; what cannot be a count is none."""
    if not isinstance(told, dict):
        return Usage()
    details = told.get("completion_tokens_details")
    found = Usage(
        _count(told.get("prompt_tokens")),
        _count(told.get("completion_tokens")),
        _count(details.get("reasoning_tokens")) if isinstance(details, dict) else None,
    )
    if found.reasoning is not None and (found.completion is None or found.reasoning > found.completion):
        found.reasoning = None
    return found


def _count(told: object) -> int | None:
    """Return a number of tokens, None for what cannot be one; some servers send it as 3.0."""
    if isinstance(told, bool) or not isinstance(told, int | float) or not 0 <= told <= MOST_TOKENS:
        return None
    return int(told) if int(told) == told else None


def content_of(message: Message) -> str | None:
    """Return the content of a message, the parts of a list joined; raises Failure for a part that is no text."""
    content = message.content
    if content is None or isinstance(content, str):
        return content
    parts: list[str] = []
    for part in content:
        said = part.get("text") if isinstance(part, dict) else part
        if not isinstance(said, str):
            raise Failure(Kind.CUT, "unreadable event: a part of the content is no text")
        parts.append(said)
    return "".join(parts)
