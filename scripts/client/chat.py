"""One request to one server: sent, read to its end, judged."""

import asyncio
import socket
import time
from contextlib import suppress

import aiohttp

from scripts.client.answer import Answer
from scripts.client.loops import LoopWatch
from scripts.client.outcomes import Failure, Kind
from scripts.client.reply import read_reply
from scripts.client.watch import Watch

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
