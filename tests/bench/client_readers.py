"""Other clients reading the same streams: run by the interpreter that has them, prints what it read.

usage: python client_readers.py NAME URL REQUESTS CONCURRENCY     with NAME one of bare, httpx, openai, litellm
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Any

MESSAGES = [{"role": "user", "content": "Say number 1"}]
BODY = {"model": "stub", "messages": MESSAGES, "stream": True, "max_tokens": 100000, "temperature": 1.0}
Reader = Callable[[], Awaitable[int]]


async def many(read: Reader, requests: int, concurrency: int) -> int:
    """Return the sum of what `requests` calls of `read` return, `concurrency` at a time."""
    left, total = iter(range(requests)), 0

    async def one() -> None:
        nonlocal total
        for _ in left:
            size = await read()
            total += size

    await asyncio.gather(*(one() for _ in range(concurrency)))
    return total


async def bare(url: str, requests: int, concurrency: int) -> int:
    """Read with aiohttp and look at nothing; return the bytes."""
    import aiohttp

    unbound = aiohttp.ClientTimeout(total=None)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), timeout=unbound) as session:

        async def read() -> int:
            size = 0
            async with session.post(f"{url}/chat/completions", json=BODY) as reply:
                async for chunk in reply.content.iter_any():
                    size += len(chunk)
            return size

        return await many(read, requests, concurrency)


async def httpx(url: str, requests: int, concurrency: int) -> int:
    """Read lines with httpx and parse them with json; return the characters."""
    library: Any = import_module("httpx")

    limits = library.Limits(max_connections=1000, max_keepalive_connections=20)
    async with library.AsyncClient(timeout=None, limits=limits) as client:

        async def read() -> int:
            size = 0
            async with client.stream("POST", f"{url}/chat/completions", json=BODY) as reply:
                async for line in reply.aiter_lines():
                    if line.startswith("data: {"):
                        size += len(json.loads(line[6:])["choices"][0]["delta"].get("content", ""))
            return size

        return await many(read, requests, concurrency)


async def openai(url: str, requests: int, concurrency: int) -> int:
    """Read with the openai SDK; return the characters."""
    library: Any = import_module("openai")

    client = library.AsyncOpenAI(base_url=url, api_key="none", max_retries=0, timeout=None)

    async def read() -> int:
        size = 0
        async for part in await client.chat.completions.create(model="stub", messages=MESSAGES, stream=True):
            size += len(part.choices[0].delta.content or "")
        return size

    return await many(read, requests, concurrency)


async def litellm(url: str, requests: int, concurrency: int) -> int:
    """Read with litellm; return the characters."""
    library: Any = import_module("litellm")

    async def read() -> int:
        size = 0
        stream = await library.acompletion(
            model="openai/stub", messages=MESSAGES, api_base=url, api_key="none", stream=True, max_retries=0
        )
        async for part in stream:
            size += len(part.choices[0].delta.content or "")
        return size

    return await many(read, requests, concurrency)


if __name__ == "__main__":
    name, url, requests, concurrency = sys.argv[1:]
    readers = {"bare": bare, "httpx": httpx, "openai": openai, "litellm": litellm}
    print(asyncio.run(readers[name](url, int(requests), int(concurrency))))
