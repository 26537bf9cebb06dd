"""Answers of a run begun with NeMo-Skills, taken over from its partial file."""

import json
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec

from seedbed.client.outcomes import Failure, status_of
from seedbed.client.output_writer import OURS
from seedbed.client.requests import Request
from seedbed.client.sample_store import Store
from seedbed.client.stream import MOST_TOKENS, whole_characters
from seedbed.core.errors import InputError

POSITION = "_async_position"
Tokens = Annotated[int, msgspec.Meta(ge=0, le=MOST_TOKENS)]


class Partial(msgspec.Struct, omit_defaults=True):
    """What is kept of a record of NeMo-Skills, each field with the type it has there."""

    generation: str | None = None
    reasoning_content: str | None = None
    finish_reason: str | None = None
    num_generated_tokens: Tokens | None = None
    generation_start_time: float | None = None
    generation_end_time: float | None = None
    generation_time: float | None = None
    num_reasoning_tokens: Tokens | None = None
    num_answer_tokens: Tokens | None = None


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
        try:
            stored = _record(request, record, seed)
        except (ValueError, Failure) as error:
            told.append(f"{path}, line {number}: {request.id} is not taken over but generated again: {error}")
            continue
        if request.key not in store:
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
        request = requests[position] if type(position) is int and position >= 0 else None
    except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
        raise InputError(f"{where}: no record with {POSITION!r} below {len(requests)}: {error!r}") from error
    if request is None:
        raise InputError(f"{where}: {POSITION} is {position!r}; expected the number of a row")
    if record.get("id", request.id) != request.id:
        raise InputError(f"{where}: id is {record['id']!r}; row {position} has {request.id!r}")
    if "problem" in record and record["problem"] != request.row["problem"]:
        raise InputError(f"{where}: the problem is not that of row {position}, {request.id}; expected the same dataset")
    return request, record


def _record(request: Request, record: dict[str, Any], seed: int) -> dict[str, Any]:
    """Return what the store keeps of a record of NeMo-Skills; raises Failure or ValueError if it cannot be one."""
    kept: dict[str, Any] = msgspec.to_builtins(msgspec.convert(record, Partial))
    for name, value in kept.items():
        if isinstance(value, str):
            kept[name] = whole_characters(value)
        elif not math.isfinite(value):
            raise ValueError(f"{name} is {value}; expected a number")
    generation = kept.setdefault("generation", "")
    status, reason = status_of(kept.get("finish_reason"), generation, kept.get("reasoning_content", ""))
    return {
        "id": request.id,
        "num_generated_tokens": 0,
        **kept,
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
