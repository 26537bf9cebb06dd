"""The exact request of every sample, its hash and its key in the store."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seedbed.client.job_config import Benchmark, Snapshot
from seedbed.core.digests import canonical
from seedbed.datasets.rows import render
from seedbed.records.dataset import Row

STREAM = {"stream": True, "stream_options": {"include_usage": True}}


@dataclass(frozen=True, slots=True)
class Asked:
    """What the requests of a job have in common: where its rows are read, and what is asked about them."""

    snapshot: Snapshot
    benchmark: Benchmark
    rows: Sequence[Row]
    seed: int

    def body(self, row: Row) -> bytes:
        """Return the bytes that ask for `row`."""
        travel: Mapping[str, Any] = STREAM if self.snapshot.stream else {}
        return canonical({**chat_body(self.snapshot, self.benchmark, row, self.seed), **travel})


@dataclass(frozen=True, slots=True)
class Request:
    """One sample to ask for: its row's id and number, the size in bytes and hash of its body, the key of its answer.

    Row and body are made whenever they are asked for: a job's memory does not grow with its dataset.
    """

    id: str
    number: int
    size: int
    sha256: str
    key: str
    asked: Asked

    @property
    def row(self) -> Row:
        """Return the row, read from the dataset."""
        return self.asked.rows[self.number]

    @property
    def body(self) -> bytes:
        """Return the bytes to send."""
        return self.asked.body(self.row)

    def shown(self) -> Row:
        """Return what of the row is in outputs: all but a long context, which the dataset holds."""
        return {name: value for name, value in self.row.items() if name != self.asked.benchmark.context}


def messages(benchmark: Benchmark, row: Row) -> list[dict[str, str]]:
    """Return the conversation that asks for `row`: the system text where there is one, then the prompt."""
    system = [{"role": "system", "content": render(benchmark.system, row)}] if benchmark.system is not None else []
    return [*system, {"role": "user", "content": render(benchmark.prompt, row)}]


def chat_body(snapshot: Snapshot, benchmark: Benchmark, row: Row, seed: int) -> dict[str, Any]:
    """Return the body that shapes the answer: what the config asks for, the seed of the file, no other field."""
    return {
        **snapshot.extra_body,
        **benchmark.extra_body,
        **benchmark.sampling,
        "model": snapshot.served_name,
        "messages": messages(benchmark, row),
        "seed": seed,
    }


def all_requests(
    snapshot: Snapshot, benchmark: Benchmark, rows: Sequence[Row], seed: int, server: object
) -> list[Request]:
    """Return the request of every row in the order of the dataset.

    The key is the SHA-256 of the canonical {"request", "row", "server"}, so of everything that shapes the answer; a cut
    of loops is part of it where the config asks for one, and so is what becomes of an overlong prompt if that is no
    error. How the answer travels (stream or not) is not.
    """
    cut = snapshot.loops.flag_chars if snapshot.loops.cut else None
    named = [b'"cut":%d' % cut] if cut else []
    named += [b'"overlong":' + canonical(snapshot.context_overflow)] if snapshot.context_overflow != "error" else []
    opening = b"{" + b",".join([*named, b'"request":'])
    closing = b',"server":' + canonical(server) + b"}"
    asked = Asked(snapshot, benchmark, rows, seed)
    requests = []
    for number, row in enumerate(rows):
        shape = canonical(chat_body(snapshot, benchmark, row, seed))
        sent = asked.body(row) if snapshot.stream else shape
        key = hashlib.sha256(opening + shape + b',"row":' + canonical(row["id"]) + closing).hexdigest()
        requests.append(Request(row["id"], number, len(sent), hashlib.sha256(sent).hexdigest(), key, asked))
    return requests
