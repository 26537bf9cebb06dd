"""Before the first sample: is this the model that was meant, does it reason, is there room for the answer?"""

import asyncio
import fcntl
import json
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import aiohttp

from seedbed.client.context_overflow import ERROR, policy_of
from seedbed.client.endpoint import Endpoint, Link, authorization
from seedbed.client.job_config import Benchmark, Snapshot
from seedbed.client.requests import STREAM, Request
from seedbed.client.retries import Asking, GaveUp
from seedbed.client.stream import Answer, text
from seedbed.core.digests import canonical, digest
from seedbed.core.errors import RunError

END_TAGS = ("</think>", "</thinking>", "</reasoning>", "</seed:think>", "[/THINK]", "<|channel|>final")
TEST_QUESTION = (
    "A farmer has 17 sheep. All but 9 run away, then he buys twice as many as he has left. How many has he now?"
)
TEST_TOKENS = 4096
CONTEXT_KEYS = ("max_model_len", "context_length", "context_window", "max_context_length")
TEMPLATE_TOKENS = 1024


class Preflight:
    """Checks one model once a run, and once more for every benchmark with its longest prompt."""

    def __init__(
        self, session: aiohttp.ClientSession, snapshot: Snapshot, benchmark: Benchmark, link: Link, asking: Asking
    ) -> None:
        """Put together what a check needs."""
        self._session = session
        self._snapshot = snapshot
        self._benchmark = benchmark
        self._link = link
        self._asking = asking

    async def check(self, folder: Path, stamp: object, requests: Sequence[Request]) -> None:
        """Check what no other job of this run has checked yet; raises RunError telling what was seen.

        `stamp` tells this run's snapshot from an earlier one: a result is remembered in `folder` for this run alone.
        """
        endpoint = await self._link.found()
        path = folder / "preflight.json"
        async with _turn(folder / "preflight.lock"):
            known = _known(path, digest([stamp, endpoint.url, endpoint.generation]))
            if not known["model"]:
                known["context"] = await self._context(endpoint)
                await self._ask([{"role": "user", "content": "Say yes."}], 1)
                if self._snapshot.reasoning == "required":
                    await self._reasoning()
                known["model"] = True
            longest = max(requests, key=_prompt_size)
            name = digest([self._benchmark.request_fingerprint, longest.id])
            if name not in known["fits"]:
                await self._fits(longest, known["context"])
                known["fits"].append(name)
            part = path.with_name(f".{path.name}.part")
            part.write_text(json.dumps(known), encoding="ascii")
            os.replace(part, path)

    async def _reasoning(self) -> None:
        """Raise RunError unless the model reasons on a test question: text apart, or the end tag of a thought."""
        answer = await self._ask([{"role": "user", "content": TEST_QUESTION}], TEST_TOKENS)
        said = text(answer.text)
        if answer.reasoning or any(tag in said for tag in END_TAGS):
            return
        raise RunError(
            f"model {self._snapshot.model!r} says `reasoning: required`, but its answer to a test question shows none: "
            f"no reasoning_content and no end tag such as </think> in {answer.tokens} tokens "
            f"(finish_reason {answer.finish_reason}): {said[:200]!r}"
        )

    async def _fits(self, longest: Request, context: int | None) -> None:
        """Raise RunError if the longest prompt and max_tokens do not fit into the context that the server reports."""
        if context is None or policy_of(self._snapshot, self._benchmark.context) != ERROR:
            return
        budget = self._budget() or 1
        if _prompt_size(longest) + TEMPLATE_TOKENS + budget <= context:
            return
        try:
            answer = await self._ask(json.loads(longest.body)["messages"], 1)
        except RunError as error:
            raise RunError(
                f"the longest prompt ({longest.id}), to a context of {context} tokens, is not answered: {error}"
            ) from error
        prompt = None if answer.usage is None else answer.usage.prompt
        if prompt is not None and prompt + budget > context:
            raise RunError(
                f"the served context of model {self._snapshot.model!r} is {context} tokens; expected at least "
                f"{prompt + budget}: the longest prompt ({longest.id}) has {prompt}, max_tokens is {budget}"
            )

    def _shaping(self) -> dict[str, Any]:
        """Return the fields that every request has beside its messages and its seed."""
        return {**self._snapshot.extra_body, **self._benchmark.extra_body, **self._benchmark.sampling}

    def _budget(self) -> int | None:
        """Return the tokens that an answer may have, None where nothing says so."""
        named = [self._shaping().get(name) for name in ("max_tokens", "max_completion_tokens")]
        return max((value for value in named if isinstance(value, int)), default=None)

    async def _ask(self, messages: list[dict[str, Any]], tokens: int) -> Answer:
        """Return the answer of at most `tokens` tokens, asked for as samples are; raises RunError if there is none."""
        name = "max_completion_tokens" if "max_completion_tokens" in (shaping := self._shaping()) else "max_tokens"
        body = {
            "model": self._snapshot.served_name,
            "messages": messages,
            **shaping,
            name: min(tokens, self._budget() or tokens),
        }
        try:
            return (await self._asking.ask(canonical({**body, **STREAM} if self._snapshot.stream else body))).answer
        except GaveUp as error:
            asked = f"a request of {body[name]} tokens to {self._snapshot.served_name!r}"
            raise RunError(f"{asked} failed before the first sample: {error}") from error

    async def _context(self, endpoint: Endpoint) -> int | None:
        """Return the tokens of context a request may fill, as the server reports it in one of the usual places."""
        for entry in self._link.models:
            if entry.get("id") == self._snapshot.served_name:
                for name in CONTEXT_KEYS:
                    if isinstance(entry.get(name), int):
                        return int(entry[name])
        with suppress(aiohttp.ClientError, TimeoutError, ValueError, KeyError, TypeError, RecursionError):
            # llama.cpp reports the context of one slot here.
            async with (
                asyncio.timeout(10),
                self._session.get(
                    endpoint.url.removesuffix("/v1") + "/props", headers=authorization(endpoint)
                ) as reply,
            ):
                told = json.loads(await reply.read())
                context = told["default_generation_settings"]["n_ctx"]
                return context if isinstance(context, int) else None
        return None


@asynccontextmanager
async def _turn(path: Path) -> AsyncIterator[None]:
    """Hold the lock of the checks, waiting for other jobs without keeping a thread; raises RunError if it cannot be."""
    try:
        lock = path.open("w")
    except OSError as error:
        raise RunError(f"{path}: cannot be written: {error.strerror}") from error
    with lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                await asyncio.sleep(0.1)
        yield


def _prompt_size(request: Request) -> int:
    """Return the bytes of the body of a request: never fewer than the tokens of its prompt."""
    return request.size


def _known(path: Path, stamp: str) -> dict[str, Any]:
    """Return what jobs of this run have found out so far."""
    with suppress(OSError, ValueError):
        known = json.loads(path.read_bytes())
        if isinstance(known, dict) and known.get("stamp") == stamp:
            return known
    return {"stamp": stamp, "model": False, "context": None, "fits": []}
