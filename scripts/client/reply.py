"""The body of one reply, read to its end: a stream of events, one whole object, or an error."""

import asyncio
from contextlib import suppress

import aiohttp

from scripts.client.answer import Answer
from scripts.client.loops import LoopWatch
from scripts.client.outcomes import Failure, Kind, check_finished, in_body, of_status
from scripts.client.sse import BOM, EventReader
from scripts.client.watch import Watched

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
