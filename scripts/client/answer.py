"""What a server has answered so far to one request."""

import json
import time
from typing import Any

import msgspec

from scripts.client.outcomes import Failure, Kind, in_body

END_MARK = b"[DONE]"


class Details(msgspec.Struct, gc=False):
    """The part of `usage` that tells reasoning from answer."""

    reasoning_tokens: int | None = None


class Usage(msgspec.Struct, gc=False):
    """Tokens as the server counted them."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    completion_tokens_details: Details | None = None


class Message(msgspec.Struct, gc=False):
    """Text of one event, or of a whole answer that was not streamed; both names of the reasoning are in use."""

    content: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None


class Choice(msgspec.Struct, gc=False):
    """One alternative; we ask for one."""

    delta: Message | None = None
    message: Message | None = None
    finish_reason: str | None = None
    index: int = 0


class Event(msgspec.Struct, gc=False):
    """One event of a chat completion, a whole completion, or an error in the place of either."""

    choices: list[Choice] | None = None
    usage: Usage | None = None
    model: str | None = None
    error: Any = None
    message: Any = None
    code: Any = None


_DECODE = msgspec.json.Decoder(Event).decode


class Answer:
    """Text, reasoning, counts and end of one generation; text is kept as bytes, not as a list of tokens."""

    __slots__ = (
        "cut",
        "deltas",
        "ended",
        "finish_reason",
        "first",
        "model",
        "reasoned",
        "reasoning",
        "text",
        "usage",
    )

    def __init__(self) -> None:
        """Start empty."""
        self.text = bytearray()
        self.reasoning = bytearray()
        self.deltas = 0
        self.reasoned = 0
        self.finish_reason: str | None = None
        self.usage: Usage | None = None
        self.model: str | None = None
        self.ended = False
        self.cut = False
        self.first: float | None = None

    def take(self, data: bytes) -> None:
        """Add one event; raises Failure if it says that the request failed or cannot be read."""
        if self.ended:
            return
        if data == END_MARK:
            self.ended = True
            return
        event = _read(data)
        if event.error is not None or (event.choices is None and event.message is not None):
            told = event.error if event.error is not None else {"message": event.message, "code": event.code}
            raise in_body(told, self.deltas > 0)
        if event.usage is not None:
            self.usage = event.usage
        if self.model is None:
            self.model = event.model
        for choice in event.choices or ():
            if choice.index:
                continue
            message = choice.delta or choice.message
            if message is not None:
                self._add(message)
            if choice.finish_reason is not None:
                self.finish_reason = choice.finish_reason

    def _add(self, message: Message) -> None:
        """Add the text of one event; content and reasoning stay apart."""
        content = message.content
        reasoning = message.reasoning_content or message.reasoning
        if reasoning:
            self.reasoning += reasoning.encode("utf-8", "surrogatepass")
            self.reasoned += 1
        elif not content:
            return
        if content:
            self.text += content.encode("utf-8", "surrogatepass")
        self.deltas += 1
        if self.first is None:
            self.first = time.monotonic()

    @property
    def tokens(self) -> int:
        """Return the generated tokens as the server counted them, else the events that carried text."""
        if self.usage is not None and self.usage.completion_tokens is not None:
            return self.usage.completion_tokens
        return self.deltas

    @property
    def reasoning_tokens(self) -> int | None:
        """Return the reasoning tokens as the server counted them, or one an event; None where nothing tells."""
        if self.usage is not None and self.usage.completion_tokens_details is not None:
            told = self.usage.completion_tokens_details.reasoning_tokens
            if told:
                return told
        # Servers send one token an event, but for the last ones, held back at the end of a text.
        if self.reasoned and abs(self.tokens - self.deltas) <= 2:
            return min(self.reasoned, self.tokens)
        return None


def text(raw: bytearray) -> str:
    """Return the text of `raw`; the halves of a character that came in two events are joined, a lone half replaced."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        halves = raw.decode("utf-8", "surrogatepass")
        return halves.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _read(data: bytes) -> Event:
    """Return one event; raises Failure for what is no JSON object of a chat completion."""
    try:
        return _DECODE(data)
    except msgspec.ValidationError as error:
        raise Failure(Kind.CUT, f"unreadable event: {error}") from error
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass
    try:
        # The stricter reader refuses half a surrogate pair, which servers do send at the border of two tokens.
        return msgspec.convert(json.loads(data), Event)
    except (ValueError, msgspec.ValidationError) as error:
        raise Failure(Kind.CUT, f"unreadable event {data[:80]!r}") from error
