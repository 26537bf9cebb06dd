"""One request to one server: sent, read to its end, judged."""

import asyncio
import socket
import time
from contextlib import suppress

import aiohttp

from scripts.client.answer import Answer
from scripts.client.loops import LoopWatch
from scripts.client.outcomes import Failure, Kind, check_finished, of_status
from scripts.client.sse import EventReader
from scripts.client.watch import Watch, Watched

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
                # A redirect would turn the request into a GET and take the key along.
                sent = self._session.post(url, data=body, headers=headers, allow_redirects=False)
                async with bound, sent as response:
                    await self._read(response, answer, watched, loop, cut)
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

    async def _read(
        self,
        response: aiohttp.ClientResponse,
        answer: Answer,
        watched: Watched,
        loop: LoopWatch,
        cut: bool,
    ) -> None:
        """Read the reply to its end."""
        if response.status != 200:
            raise of_status(response.status, await response.content.read(65536), response.headers)
        if "json" in response.content_type:
            await self._read_whole(response, answer, watched)
        else:
            await self._read_events(response, answer, watched, loop, cut)
        if answer.cut:
            # Closing the connection is what frees the server's slot.
            response.close()
            return
        check_finished(answer.finish_reason)
        if not answer.ended:
            raise Failure(Kind.CUT, "the answer ended without the end mark [DONE]")
        self.check_model(answer.model)

    async def _read_whole(self, response: aiohttp.ClientResponse, answer: Answer, watched: Watched) -> None:
        """Read a reply that is one JSON object; its end is the end of the body."""
        whole = bytearray()
        while chunk := await response.content.readany():
            watched.received += len(chunk)
            whole += chunk
        answer.take(bytes(whole))
        answer.first = None
        answer.ended = True

    async def _read_events(
        self, response: aiohttp.ClientResponse, answer: Answer, watched: Watched, loop: LoopWatch, cut: bool
    ) -> None:
        """Read a stream of events to its end, or to a loop that has to be cut."""
        content = response.content
        feed = EventReader()
        take = answer.take
        while chunk := await content.readany():
            watched.received += len(chunk)
            for data in feed.feed(chunk):
                take(data)
            if loop.look(answer.text, answer.reasoning) and cut and answer.finish_reason is None:
                answer.finish_reason, answer.cut = "length", True
                return
            if answer.ended:
                # What counts has come; the rest is read only so that no server takes us for a client that left.
                with suppress(TimeoutError, aiohttp.ClientError):
                    async with asyncio.timeout(AFTER_END):
                        while await content.readany():
                            pass
                return
        for data in feed.close():
            take(data)

    def check_model(self, model: str | None) -> None:
        """Raise Failure if an answer names another model than the one asked; a date behind its name does not matter."""
        if model is None or model == self._served_name:
            return
        rest = model.removeprefix(self._served_name)
        if rest != model and rest[:1] == "-" and rest[1:].replace("-", "").isdigit():
            return
        raise Failure(Kind.FATAL, f"the answer comes from model {model!r}; expected {self._served_name!r}")
