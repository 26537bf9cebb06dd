"""Answers of a run begun with NeMo-Skills, taken over from its partial file."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scripts.client.outcomes import Failure, status_of
from scripts.client.output import OURS
from scripts.client.requests import Request
from scripts.client.store import Store
from scripts.errors import InputError

POSITION = "_async_position"
KEPT = (
    "num_generated_tokens",
    "finish_reason",
    "generation_start_time",
    "generation_end_time",
    "generation_time",
    "reasoning_content",
    "num_reasoning_tokens",
    "num_answer_tokens",
)


def take_over(out: Path, requests: Sequence[Request], store: Store, seed: int) -> list[str]:
    """Move the answers of `{out}-async` into the store, set that file aside and return what has to be told about it."""
    path = out.with_name(f"{out.name}-async")
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    told, taken = [], 0
    if lines.pop():
        told.append(f"{path}: the last line is torn and was dropped")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        request, record = _sample(line, requests, f"{path}, line {number}")
        stored = _record(request, record, seed)
        if stored is None:
            told.append(f"{path}, line {number}: {request.id} did not finish there and is generated again")
        elif request.key not in store:
            store.add(request.key, stored)
            taken += 1
    aside = path.with_name(f"{path.name}.taken")
    os.replace(path, aside)
    told.append(
        f"{taken} answers taken over from {path} (now {aside.name}); that they were made with this config is believed"
    )
    return told


def _sample(line: bytes, requests: Sequence[Request], where: str) -> tuple[Request, dict[str, Any]]:
    """Return the request and the record of one line; raises InputError if it is none of this dataset."""
    try:
        record = json.loads(line)
        position = record[POSITION]
        request = requests[position] if isinstance(position, int) and position >= 0 else None
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise InputError(f"{where}: no record with {POSITION!r} below {len(requests)}: {error!r}") from error
    if request is None:
        raise InputError(f"{where}: {POSITION} is {position!r}; expected the number of a row")
    if record.get("id", request.id) != request.id:
        raise InputError(f"{where}: id is {record['id']!r}; row {position} has {request.id!r}")
    if "problem" in record and record["problem"] != request.row["problem"]:
        raise InputError(f"{where}: the problem is not that of row {position}, {request.id}; expected the same dataset")
    return request, record


def _record(request: Request, record: dict[str, Any], seed: int) -> dict[str, Any] | None:
    """Return what the store keeps of a record of NeMo-Skills, None if its request did not end well."""
    generation = record.get("generation") or ""
    try:
        status, reason = status_of(record.get("finish_reason"), generation, record.get("reasoning_content") or "")
    except Failure:
        return None
    return {
        "id": request.id,
        "generation": generation,
        "num_generated_tokens": 0,
        **{name: record[name] for name in KEPT if record.get(name) is not None},
        OURS: {
            "status": status,
            "reason": reason,
            "flags": [],
            "key": request.key,
            "request_sha256": None,
            "model": None,
            "seed": seed,
            "origin": "taken over from a partial file of NeMo-Skills",
        },
    }
