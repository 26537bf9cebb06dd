"""Read a streamed answer: server-sent events, the fields of each event, and the answer so far.

Servers differ in many details; the readers accept all variants that were seen.
"""

import json
import time
from typing import Any

import msgspec

from seedbed.client.outcomes import Failure, Kind, in_body

BOM = b"\xef\xbb\xbf"


class EventReader:
    """Turns chunks of a `text/event-stream` body into the payloads of its events (WHATWG HTML, section 9.2)."""

    __slots__ = ("_after_cr", "_lines", "_name", "_started", "_tail", "error")

    def __init__(self) -> None:
        """Start before the first byte."""
        self._tail = b""
        self._lines: list[bytes] = []
        self._after_cr = False
        self._started = False
        self._name = b""
        self.error: bytes | None = None

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the `data` of every event that `chunk` completes, multi-line data joined by newlines."""
        # One whole event of one line a chunk is what a server sends while it generates.
        if (
            chunk.startswith(b"data: ")
            and chunk.endswith(b"\n\n")
            and chunk.find(b"\n", 6, -2) < 0
            and b"\r" not in chunk
            and not self._tail
            and not self._lines
            and not self._name
            and self._started
            and not self._after_cr
        ):
            return [chunk[6:-2]]
        return self._split(chunk)

    def _split(self, chunk: bytes) -> list[bytes]:
        """Return what `chunk` completes, whatever the line ends and wherever the chunks break."""
        if self._after_cr and chunk.startswith(b"\n"):
            chunk = chunk[1:]
        if not chunk:
            return []
        self._after_cr = chunk.endswith(b"\r")
        content = self._tail + chunk
        if not self._started:
            if len(content) < len(BOM) and BOM.startswith(content):
                self._tail = content
                return []
            self._started = True
            content = content.removeprefix(BOM)
        lines = content.splitlines(keepends=True)
        self._tail = b"" if not lines or lines[-1].endswith((b"\n", b"\r")) else lines.pop()
        events: list[bytes] = []
        for line in lines:
            self._line(line.rstrip(b"\r\n"), events)
        return events

    def _line(self, line: bytes, events: list[bytes]) -> None:
        """Take one line; an empty one ends an event, a colon opens a comment.

        What an event named `error` says becomes `error`, and no event follows it; Dynamo says it in a comment, old
        llama.cpp in a field of that name.
        """
        if not line:
            if self._name == b"error" and self.error is None:
                self.error = b"\n".join(self._lines)
            elif self._lines and self.error is None:
                events.append(b"\n".join(self._lines))
            self._lines.clear()
            self._name = b""
            return
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"event":
            self._name = value
        elif field == b"error":
            self._name = field
        if field in (b"data", b"error") or (not field and self._name == b"error"):
            self._lines.append(value)

    def close(self) -> list[bytes]:
        """Return the event that a clean end of the body left without its empty line, if there is one."""
        events: list[bytes] = []
        if self._tail:
            self._line(self._tail, events)
            self._tail = b""
        self._line(b"", events)
        return events


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


END_MARK = b"[DONE]"


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
        "streamed",
        "text",
        "usage",
    )

    def __init__(self) -> None:
        """Start empty."""
        self.text = bytearray()
        self.reasoning = bytearray()
        self.deltas = 0
        self.reasoned = 0
        self.streamed = True
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
        event = read_event(data)
        if (fault := event.fault) is not None:
            raise in_body(fault, self.deltas > 0)
        if event.usage is not None:
            self.usage = read_usage(event.usage)
        if event.model and event.model != self.model:
            self._name(event.model)
        for choice in event.choices or ():
            if choice.index:
                continue
            if choice.delta is None and choice.message is not None:
                self.streamed = False
            message = choice.delta or choice.message
            if message is not None:
                self._add(message)
            # Some servers send "" with every event, also with one after the end.
            if choice.finish_reason:
                self.finish_reason = whole_characters(choice.finish_reason)

    def _name(self, model: str) -> None:
        """Keep which model answers; raises Failure if another one goes on with the answer."""
        model = whole_characters(model)
        if self.model is not None and model != self.model:
            raise Failure(Kind.CUT, f"the model changed within the answer, from {self.model!r} to {model!r}")
        self.model = model

    def _add(self, message: Message) -> None:
        """Add the text of one event; content and reasoning stay apart."""
        content = content_of(message)
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
    def counted(self) -> bool:
        """Tell whether the server has counted the tokens; none at all for some text is no count."""
        told = None if self.usage is None else self.usage.completion
        return told is not None and (told > 0 or not self.deltas)

    @property
    def tokens(self) -> int:
        """Return the generated tokens as the server counted them, else the events that carried text."""
        if self.counted and self.usage is not None and self.usage.completion is not None:
            return self.usage.completion
        return self.deltas

    @property
    def reasoning_tokens(self) -> int | None:
        """Return the reasoning tokens as the server counted them, or one an event; None where nothing tells."""
        if self.counted and self.usage is not None and self.usage.reasoning:
            return self.usage.reasoning
        # Servers send one token an event, but for the last ones, held back at the end of a text.
        if self.streamed and self.reasoned and abs(self.tokens - self.deltas) <= 2:
            return min(self.reasoned, self.tokens)
        return None


def text(raw: bytearray) -> str:
    """Return the text of `raw`; the halves of a character that came in two events are joined, a lone half replaced."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return whole_characters(raw.decode("utf-8", "surrogatepass"))


def whole_characters(said: str) -> str:
    """Return `said` without halves of characters: two that belong together are joined, a lone one is replaced."""
    return said.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
