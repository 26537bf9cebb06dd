"""A bare aiohttp loop on a real server: reads, counts tokens by the server's own usage, writes its tokens a second."""

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

import aiohttp


async def rate(url: str, key: str, rows: int, tokens: int) -> float:
    """Return tokens a second over `rows` requests, 4 at a time."""
    total, left = 0, iter(range(rows))
    headers = {"Authorization": f"Bearer {key}"}
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, force_close=True),
        timeout=aiohttp.ClientTimeout(total=None),
        headers=headers,
    ) as session:

        async def one() -> None:
            nonlocal total
            for number in left:
                body: dict[str, Any] = {
                    "model": "smollm2",
                    "messages": [{"role": "user", "content": f"Say number {number}"}],
                    "seed": 42,
                    "temperature": 1.0,
                    "max_tokens": tokens,
                    "ignore_eos": True,
                    "stream": True,
                    "stream_options": {"include_usage": True},
                }
                tail = b""
                async with session.post(f"{url}/chat/completions", json=body) as reply:
                    async for chunk in reply.content.iter_any():
                        tail = (tail + chunk)[-4000:]
                counted = tail[tail.rindex(b'"completion_tokens":') + 20 :]
                total += int(counted[: min(counted.index(b","), counted.index(b"}") % 99)])

        began = time.monotonic()
        await asyncio.gather(*(one() for _ in range(4)))
        return total / (time.monotonic() - began)


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(str(asyncio.run(rate(**json.loads(sys.argv[1])))))
