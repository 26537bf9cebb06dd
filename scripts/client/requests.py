"""The exact request of every sample, its hash and its key in the store."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from scripts.client.snapshot import Benchmark, Snapshot
from scripts.evals.datasets import Row
from scripts.evals.fingerprints import canonical
from scripts.evals.prompts import render

STREAM = {"stream": True, "stream_options": {"include_usage": True}}


@dataclass(frozen=True, slots=True)
class Request:
    """One sample to ask for: the row it belongs to, the bytes to send, their hash and the key of its answer."""

    row: Row
    body: bytes
    sha256: str
    key: str


def messages(benchmark: Benchmark, row: Row) -> list[dict[str, str]]:
    """Return the conversation that asks for `row`: the system text where there is one, then the prompt."""
    system = [{"role": "system", "content": render(benchmark.system, row)}] if benchmark.system is not None else []
    return [*system, {"role": "user", "content": render(benchmark.prompt, row)}]


def chat_body(snapshot: Snapshot, benchmark: Benchmark, row: Row, seed: int) -> dict[str, Any]:
    """Return the body that shapes the answer: what the config asks for, the seed of the file, no other field."""
    return {
        "model": snapshot.served_name,
        "messages": messages(benchmark, row),
        "seed": seed,
        **benchmark.sampling,
        **snapshot.extra_body,
        **benchmark.extra_body,
    }


def all_requests(
    snapshot: Snapshot, benchmark: Benchmark, rows: Iterable[Row], seed: int, server: object
) -> list[Request]:
    """Return the request of every row in the order of the dataset.

    The key is the SHA-256 of the canonical {"request", "row", "server"}, so of everything that shapes the answer; a cut
    of loops is part of it where the config asks for one. How the answer travels (stream or not) is not.
    """
    cut = snapshot.loops.flag_chars if snapshot.loops.cut else None
    opening = b'{"cut":%d,"request":' % cut if cut else b'{"request":'
    closing = b',"server":' + canonical(server) + b"}"
    travel: Mapping[str, Any] = STREAM if snapshot.stream else {}
    requests = []
    for row in rows:
        body = chat_body(snapshot, benchmark, row, seed)
        shape = canonical(body)
        sent = canonical({**body, **travel}) if travel else shape
        key = hashlib.sha256(opening + shape + b',"row":' + canonical(row["id"]) + closing).hexdigest()
        requests.append(Request(row, sent, hashlib.sha256(sent).hexdigest(), key))
    return requests
