"""What a server has answered so far to one request."""

import time

from scripts.client.events import Message, Usage, content_of, read_event, read_usage
from scripts.client.outcomes import Failure, Kind, in_body

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
