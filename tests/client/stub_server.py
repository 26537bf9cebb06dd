"""A stand-in for a model server: answers as a test tells it to, down to the bytes and the moment the line is cut.

It is no model and no real server; it imitates what llama.cpp and Dynamo were seen to do when things go wrong.
"""

import asyncio
import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Self

DONE = b"data: [DONE]\n\n"


class Cut(Enum):
    """Ends of a reply that are no clean end."""

    ABORT = "the connection is reset"
    HANG = "nothing more comes, the connection stays open"


Step = bytes | float | Cut


@dataclass(frozen=True)
class Ask:
    """One chat request as it came in; `attempt` counts the requests with the same body, from 1."""

    body: dict[str, Any]
    attempt: int
    headers: dict[str, str]
    raw: bytes

    @property
    def prompt(self) -> str:
        """Return the text of the last message."""
        return str(self.body["messages"][-1]["content"])

    @property
    def probe(self) -> bool:
        """Tell whether this is a check before the first sample: it carries no seed."""
        return "seed" not in self.body


@dataclass(frozen=True)
class Reply:
    """What to send: bytes are one chunk, a number is a pause in seconds."""

    steps: Sequence[Step] = ()
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "text/event-stream"


def event(**fields: Any) -> bytes:
    """Return one server-sent event."""
    return b"data: " + json.dumps(fields).encode() + b"\n\n"


def delta(content: str | None = None, reasoning: str | None = None, finish: str | None = None) -> bytes:
    """Return the event of one token, of a piece of reasoning, or of the end."""
    said = {"content": content} if reasoning is None else {"content": content, "reasoning_content": reasoning}
    return event(model="stub", choices=[{"index": 0, "delta": said, "finish_reason": finish}])


def usage(completion: int, prompt: int = 10) -> bytes:
    """Return the event that counts the tokens."""
    return event(model="stub", choices=[], usage={"prompt_tokens": prompt, "completion_tokens": completion})


def streamed(text: str, finish: str = "stop", reasoning: str = "") -> Reply:
    """Return a whole answer, a token a word."""
    thoughts = [delta(None, word + " ") for word in reasoning.split()]
    words = [delta(word) for word in text.split(" ") if word]
    spaced = [delta((" " if number else "") + word) for number, word in enumerate(text.split(" "))] if text else words
    return Reply([*thoughts, *spaced, delta(finish=finish), usage(len(thoughts) + len(spaced)), DONE])


def refusal(status: int, message: str, headers: dict[str, str] | None = None) -> Reply:
    """Return an error reply."""
    body = json.dumps({"error": {"code": status, "message": message, "type": "stub"}}).encode()
    return Reply([body], status, headers or {}, "application/json")


def whole(text: str, finish: str = "stop") -> Reply:
    """Return an answer that is not streamed."""
    body = {
        "model": "stub",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}],
        "usage": {"prompt_tokens": 10, "completion_tokens": len(text.split())},
    }
    return Reply([json.dumps(body).encode()], content_type="application/json")


class StubServer:
    """Listens on a loopback port of its own in a thread; may be killed and started again elsewhere."""

    def __init__(self, behave: Callable[[Ask], Reply], models: Sequence[dict[str, Any]] = ({"id": "stub"},)) -> None:
        """`behave` gives the reply to every chat request that carries a seed; checks before it are answered well."""
        self.behave = behave
        self.models: list[dict[str, Any]] = list(models)
        self.answer_probes = True
        self.asks: list[Ask] = []
        self.streams = 0
        self.most_streams = 0
        self.key: str | None = None
        self.port = 0
        self.paths: list[str] = []
        self._writers: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        self._server: asyncio.Server | None = None
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        """Start listening."""
        self._thread.start()
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Cut everything and end the thread."""
        self.kill()
        asyncio.run_coroutine_threadsafe(self._settle(), self._loop).result(5)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()

    @property
    def url(self) -> str:
        """Return the base URL."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def samples(self) -> list[Ask]:
        """Return the requests for samples, checks left out."""
        return [ask for ask in self.asks if not ask.probe]

    def start(self) -> None:
        """Listen on a fresh port."""

        async def listen() -> asyncio.Server:
            return await asyncio.start_server(self._serve, "127.0.0.1", 0)

        self._server = asyncio.run_coroutine_threadsafe(listen(), self._loop).result(5)
        self.port = self._server.sockets[0].getsockname()[1]

    def kill(self) -> None:
        """Stop listening and reset every connection, as a killed server does."""

        async def cut() -> None:
            if self._server is not None:
                self._server.close()
            for writer in list(self._writers):
                writer.transport.abort()

        asyncio.run_coroutine_threadsafe(cut(), self._loop).result(5)

    async def _settle(self) -> None:
        """Wait until every connection has ended."""
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        self._writers.add(writer)
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                method, path, _ = head[0].split(" ")
                headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in head[1:] if line)}
                raw = await reader.readexactly(int(headers.get("content-length", 0)))
                self.paths.append(f"{method} {path}")
                await self._answer(path, headers, raw, writer)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._writers.discard(writer)
            writer.transport.abort()

    async def _answer(self, path: str, headers: dict[str, str], raw: bytes, writer: asyncio.StreamWriter) -> None:
        """Answer one request."""
        if self.key is not None and headers.get("authorization") != f"Bearer {self.key}":
            said = headers.get("authorization", "nothing")
            await self._send(refusal(401, f"Incorrect API key provided: {said}"), writer)
        elif path == "/v1/models":
            body = json.dumps({"object": "list", "data": self.models}).encode()
            await self._send(Reply([body], content_type="application/json"), writer)
        elif path == "/v1/chat/completions":
            earlier = sum(ask.raw == raw for ask in self.asks)
            ask = Ask(json.loads(raw), earlier + 1, headers, raw)
            self.asks.append(ask)
            self.streams += 1
            self.most_streams = max(self.most_streams, self.streams)
            try:
                await self._send(self._reply(ask), writer)
            finally:
                self.streams -= 1
        else:
            await self._send(refusal(404, f"no {path}"), writer)

    def _reply(self, ask: Ask) -> Reply:
        """Return the reply to a chat request."""
        if ask.probe and self.answer_probes:
            return streamed("Yes", "length") if ask.body.get("stream") else whole("Yes", "length")
        return self.behave(ask)

    async def _send(self, reply: Reply, writer: asyncio.StreamWriter) -> None:
        """Send one reply, chunk by chunk."""
        told = {"Content-Type": reply.content_type, "Transfer-Encoding": "chunked", **reply.headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in told.items())
        writer.write(f"HTTP/1.1 {reply.status} Stub\r\n{lines}\r\n".encode())
        for step in reply.steps:
            if isinstance(step, bytes):
                writer.write(b"%x\r\n%b\r\n" % (len(step), step))
                await writer.drain()
            elif isinstance(step, float):
                await asyncio.sleep(step)
            elif step is Cut.ABORT:
                await asyncio.sleep(0.05)
                writer.transport.abort()
                raise ConnectionResetError
            else:
                await asyncio.sleep(3600)
        writer.write(b"0\r\n\r\n")
        await writer.drain()


@contextlib.contextmanager
def serving(behave: Callable[[Ask], Reply], **options: Any) -> Iterator[StubServer]:
    """Run a stub server for the length of a block."""
    with StubServer(behave, **options) as server:
        yield server


def wait_until(true: Callable[[], bool], seconds: float = 20.0) -> None:
    """Wait for something to happen; fails the test if it does not."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
