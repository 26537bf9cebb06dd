"""A proxy between the client and a real server that spoils what the server says, byte by byte."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import Self

END = b"e\r\ndata: [DONE]\n\n\r\n"  # the end mark as llama.cpp sends it: one chunk of 14 bytes
BUSY = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbusy"
Fault = Callable[[bytes], "list[bytes | float | None]"]


def untouched(body: bytes) -> list[bytes | float | None]:
    """Pass everything on."""
    return [body]


def byte_by_byte(body: bytes) -> list[bytes | float | None]:
    """Pass on a byte at a time."""
    return [bytes([byte]) for byte in body]


def cut_at(share: float) -> Fault:
    """Return a fault that resets the connection after a share of the bytes."""
    return lambda body: [body[: int(len(body) * share)], None]


def without_end_mark(body: bytes) -> list[bytes | float | None]:
    """Swallow the end mark."""
    return [body.replace(END, b"")]


def end_mark_twice(body: bytes) -> list[bytes | float | None]:
    """Send the end mark twice."""
    return [body.replace(END, END + END)]


def comments_first(body: bytes) -> list[bytes | float | None]:
    """Send comments for a while before the first event."""
    head, blank, rest = body.partition(b"\r\n\r\n")
    comment: list[bytes | float | None] = [b"c\r\n: waiting..\n\r\n", 0.2]
    return [head + blank, *comment * 4, rest]


def silent(body: bytes) -> list[bytes | float | None]:
    """Stop in the middle and say nothing more."""
    return [body[: len(body) // 2], 3600.0]


def busy(_body: bytes) -> list[bytes | float | None]:
    """Refuse."""
    return [BUSY]


class FaultProxy:
    """Listens on a loopback port; the n-th chat request gets the n-th fault, later ones are passed on untouched."""

    def __init__(self, port: int, faults: Sequence[Fault]) -> None:
        """`port` is the real server's."""
        self._target = port
        self._faults = list(faults)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self.chats = 0
        self.url = ""
        self._server: asyncio.Server

    def __enter__(self) -> Self:
        """Start listening."""
        self._thread.start()
        starting = asyncio.start_server(self._serve, "127.0.0.1", 0)
        self._server = asyncio.run_coroutine_threadsafe(starting, self._loop).result(5)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"
        return self

    def __exit__(self, *_: object) -> None:
        """End the thread with every connection."""

        async def end() -> None:
            self._server.close()
            others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(end(), self._loop).result(5)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass one request on, take the whole reply, and give it back as its fault says."""
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = next((line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), b":0")
            body = await reader.readexactly(int(length.split(b":")[1]))
            fault: Fault = untouched
            # Checks before the first sample carry no seed and are passed on.
            if b'"seed":' in body:
                self.chats += 1
                fault = self._faults[self.chats - 1] if self.chats <= len(self._faults) else untouched
            for step in fault(await self._ask(head + body)):
                if step is None:
                    await asyncio.sleep(0.05)
                    break
                if isinstance(step, float):
                    await asyncio.sleep(step)
                else:
                    writer.write(step)
                    await writer.drain()
            else:
                writer.close()
                await writer.wait_closed()
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.transport.abort()

    async def _ask(self, request: bytes) -> bytes:
        """Return the raw reply of the real server, read to the end of the connection."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._target)
        writer.write(request.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1))
        try:
            return await reader.read()
        finally:
            writer.transport.abort()
