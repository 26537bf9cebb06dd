"""Send one request over HTTP and read its reply: a stream, one JSON object, or an error.

A watch with one clock for all streams limits the time to the first byte and between two pieces.
"""

import asyncio
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import aiohttp

from seedbed.client.outcomes import Failure, Kind, check_finished, in_body, of_status
from seedbed.client.stream import BOM, Answer, EventReader
from seedbed.health.repetition import LoopWatch


class Watched:
    """One open request: `received` grows with every byte, also with comments."""

    __slots__ = ("_bound", "_seen", "_since", "expired", "received")

    def __init__(self, bound: asyncio.Timeout, now: float) -> None:
        """Start with no byte received."""
        self.received = 0
        self.expired: str | None = None
        self._bound = bound
        self._seen = 0
        self._since = now

    def look(self, now: float, first_byte: float | None, silence: float | None) -> None:
        """End the request if it has been silent for longer than allowed."""
        if self.received != self._seen:
            self._seen, self._since = self.received, now
            return
        limit = silence if self.received else first_byte
        if limit is not None and now - self._since > limit and self.expired is None:
            self.expired = f"silent for {limit:g} s" if self.received else f"no first byte within {limit:g} s"
            self._bound.reschedule(asyncio.get_running_loop().time())


class Watch:
    """Looks at every open request a few times within the shortest bound: no clock is read for a token."""

    def __init__(self, first_byte: float | None, silence: float | None) -> None:
        """Bounds in seconds; None is no bound."""
        self.first_byte = first_byte
        self.silence = silence
        self._open: set[Watched] = set()
        self.received = 0

    @contextmanager
    def over(self, bound: asyncio.Timeout) -> Iterator[Watched]:
        """Watch one request; `bound` is the time-out that ends it."""
        watched = Watched(bound, time.monotonic())
        self._open.add(watched)
        try:
            yield watched
        finally:
            self._open.discard(watched)
            self.received += watched.received

    @property
    def total(self) -> int:
        """Return the bytes received so far over all requests."""
        return self.received + sum(watched.received for watched in self._open)

    async def run(self) -> None:
        """Look until cancelled."""
        bounds = [bound for bound in (self.first_byte, self.silence) if bound is not None]
        if not bounds:
            return
        pause = min(max(min(bounds) / 8, 0.02), 5.0)
        while True:
            await asyncio.sleep(pause)
            now = time.monotonic()
            for watched in list(self._open):
                watched.look(now, self.first_byte, self.silence)


ERROR_BYTES = 65536
ERROR_SECONDS = 10.0


async def read_reply(
    response: aiohttp.ClientResponse,
    answer: Answer,
    watched: Watched,
    loop: LoopWatch,
    cut: bool,
) -> None:
    """Fill `answer` from a reply, to its end or to a loop to be cut; raises Failure for anything but success."""
    if response.status != 200:
        raise of_status(response.status, await _error_body(response), response.headers)
    opening = b""
    while not opening.strip() and (chunk := await response.content.readany()):
        watched.received += len(chunk)
        opening += chunk
    # Whatever its header says, an event does not begin like an object, nor an object like an event.
    if opening.removeprefix(BOM).lstrip().startswith(b"{"):
        await _read_whole(opening, response, answer, watched, loop, cut)
    else:
        await _read_events(opening, response, answer, watched, loop, cut)
    if not answer.cut:
        check_finished(answer.finish_reason)
        if not answer.ended:
            raise Failure(Kind.CUT, "the answer ended without the end mark [DONE]")


async def _read_whole(
    opening: bytes,
    response: aiohttp.ClientResponse,
    answer: Answer,
    watched: Watched,
    loop: LoopWatch,
    cut: bool,
) -> None:
    """Read a reply that is one JSON object; its end is the end of the body, a loop is cut out afterwards."""
    whole = bytearray(opening.removeprefix(BOM))
    while chunk := await response.content.readany():
        watched.received += len(chunk)
        whole += chunk
    answer.take(bytes(whole))
    answer.first = None
    answer.ended = True
    check_finished(answer.finish_reason)
    if cut and loop.cut(answer.text, answer.reasoning):
        answer.finish_reason, answer.cut = "length", True


async def _read_events(
    opening: bytes,
    response: aiohttp.ClientResponse,
    answer: Answer,
    watched: Watched,
    loop: LoopWatch,
    cut: bool,
) -> None:
    """Read a stream of events to its end, or to a loop that has to be cut."""
    feed = EventReader()
    take = answer.take
    content, chunk = response.content, opening
    while chunk:
        for data in feed.feed(chunk):
            take(data)
        if feed.error is not None:
            _check(feed, answer)
        if answer.ended:
            return
        if loop.look(answer.text, answer.reasoning) and cut and answer.finish_reason is None:
            answer.finish_reason, answer.cut = "length", True
            return
        chunk = await content.readany()
        watched.received += len(chunk)
    for data in feed.close():
        take(data)
    _check(feed, answer)


async def _error_body(response: aiohttp.ClientResponse) -> bytes:
    """Return the body of an error, as much of it as comes within the bounds."""
    body = bytearray()
    with suppress(TimeoutError, aiohttp.ClientError):
        async with asyncio.timeout(ERROR_SECONDS):
            while len(body) < ERROR_BYTES and (chunk := await response.content.read(ERROR_BYTES - len(body))):
                body += chunk
    return bytes(body)


def _check(feed: EventReader, answer: Answer) -> None:
    """Raise Failure if an event said by its name that it is an error."""
    if feed.error is not None and not answer.ended:
        raise in_body(feed.error, answer.deltas > 0)


AFTER_END = 1.0
CONNECT = 30.0
KEEP_ALIVE = (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 30), ("TCP_KEEPCNT", 4))


def open_session() -> aiohttp.ClientSession:
    """Return a session without limits of its own: no total time-out, a connection of its own for every request.

    llama.cpp closes a connection right after a streamed answer although its header offers to keep it: a request that
    was sent on it meanwhile is lost.
    """
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, force_close=True, socket_factory=kept_alive),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT),
        headers={"Content-Type": "application/json", "Accept-Encoding": "identity"},
    )


def kept_alive(info: tuple[int, int, int, str, object]) -> socket.socket:
    """Return a socket on which the kernel notices a peer that has vanished."""
    made = socket.socket(info[0], info[1], info[2])
    made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in KEEP_ALIVE:
        if hasattr(socket, name):
            made.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    return made


class Chat:
    """Asks one model: knows how to send a body and how to tell an answer from a failure."""

    def __init__(self, session: aiohttp.ClientSession, watch: Watch, served_name: str) -> None:
        """`served_name` is the model that has to answer."""
        self._session = session
        self._watch = watch
        self._served_name = served_name
        self._ending: set[asyncio.Task[None]] = set()

    async def ask(
        self,
        url: str,
        headers: dict[str, str],
        body: bytes,
        answer: Answer,
        loop: LoopWatch,
        cut: bool,
    ) -> float:
        """Fill `answer` from the reply and return when it began (monotonic s); raises Failure for anything but success.

        Success is status 200, a finish_reason, the end mark and no error inside. With `cut`, a loop ends the request.
        """
        began = time.monotonic()
        bound = asyncio.timeout(None)
        with self._watch.over(bound) as watched:
            try:
                async with bound:
                    # A redirect would turn the request into a GET and take the key along.
                    response = await self._session.post(url, data=body, headers=headers, allow_redirects=False)
                    try:
                        await read_reply(response, answer, watched, loop, cut)
                        self.check_model(answer.model)
                    except BaseException:
                        # Closing the connection is what frees the server's slot.
                        response.close()
                        raise
                self._let_end(response, answer)
            except TimeoutError as error:
                if watched.expired is None:
                    raise Failure(Kind.UNREACHABLE, f"no connection within {CONNECT:g} s") from error
                raise Failure(Kind.CUT, watched.expired) from error
            except aiohttp.ClientConnectorError as error:
                raise Failure(Kind.UNREACHABLE, f"no connection: {error}") from error
            except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError) as error:
                kind = Kind.CUT if answer.deltas else Kind.UNREACHABLE
                raise Failure(kind, f"connection lost: {error}") from error
            except aiohttp.ClientPayloadError as error:
                raise Failure(Kind.CUT, f"body cut short after {answer.deltas} events with text") from error
            except aiohttp.ClientError as error:
                raise Failure(Kind.CUT, f"broken reply: {type(error).__name__}") from error
        return began

    def _let_end(self, response: aiohttp.ClientResponse, answer: Answer) -> None:
        """Close what was cut; read what was not to its end beside the other samples, whose slot is free already."""
        if answer.cut or response.content.at_eof():
            response.close()
            return
        task = asyncio.create_task(_drained(response))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def settle(self) -> None:
        """Wait until the connections of finished answers have ended, for a second at the longest."""
        await asyncio.gather(*self._ending)

    def check_model(self, model: str | None) -> None:
        """Raise Failure if an answer names another model than the one asked; a date behind its name does not matter."""
        if not model or model == self._served_name:
            return
        rest = model.removeprefix(self._served_name)
        if rest != model and rest[:1] == "-" and rest[1:].replace("-", "").isdigit():
            return
        raise Failure(Kind.FATAL, f"the answer comes from model {model!r}; expected {self._served_name!r}")


async def _drained(response: aiohttp.ClientResponse) -> None:
    """Read to the end of the connection for a moment, so that no server takes us for a client that left."""
    try:
        with suppress(TimeoutError, aiohttp.ClientError):
            async with asyncio.timeout(AFTER_END):
                while await response.content.readany():
                    pass
    finally:
        response.close()
