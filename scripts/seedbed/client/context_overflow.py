"""Prompts that do not fit the served context: an error, cut in the middle, or left out, as the config says."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from seedbed.client.job_config import Snapshot
from seedbed.client.requests import Request
from seedbed.records.dataset import Row

ERROR, CUT, SKIP = "error", "truncate-middle", "skip"
CUT_FLAG, SKIP_FLAG = "context-cut", "skipped"
ROUNDS = 12  # of cutting, before a prompt counts as an error
_SAYS_SO = re.compile(
    r"context (?:size|length|window)|longer than the .{0,40}context|exceed_context|prompt (?:is )?too long",
    re.IGNORECASE,
)
_CONTEXT = re.compile(r"context (?:size|length|window)\D{0,30}?(\d+)", re.IGNORECASE)
_PROMPT = re.compile(r"(\d+) (?:tokens )?(?:in the messages|from the input)", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Overflow:
    """What a server says of a prompt that it refuses: the prompt's tokens and the context's, None where it does not."""

    prompt: int | None
    context: int | None


def overflow(reason: str) -> Overflow | None:
    """Return what `reason` says of a prompt over the context, None if it is about something else."""
    if not _SAYS_SO.search(reason):
        return None
    said = reason.split(":", 1)[-1] if reason.startswith("HTTP ") else reason
    context, prompt = _CONTEXT.search(said), _PROMPT.search(said)
    if context is None:
        return Overflow(None, None)
    return Overflow(int(prompt[1]) if prompt else max(map(int, _NUMBER.findall(said))), int(context[1]))


def next_share(share: float, told: Overflow, answer: int) -> float:
    """Return which share of the context to keep next, from 0 to 1, so that an answer of so many tokens has room.

    At most half of the served context is left free for the answer; where the server tells no counts, a quarter goes.
    """
    if told.prompt and told.context:
        room = told.context - min(answer, told.context // 2)
        return share * min(0.9, 0.97 * room / told.prompt)
    return share * 0.75


def cut_middle(row: Row, field: str, share: float) -> tuple[Row, int]:
    """Return the row with only the two ends of `field` kept, and how many characters that leaves of it."""
    text = str(row[field])
    half = int(len(text) * share / 2)
    gap = f"\n\n[… {len(text) - 2 * half} characters are left out here …]\n\n"
    return {**row, field: text[:half] + gap + text[len(text) - half :]}, 2 * half


def budget(sampling: Mapping[str, Any]) -> int:
    """Return the tokens that an answer may have, 0 where nothing says so."""
    named = [sampling.get(name) for name in ("max_tokens", "max_completion_tokens")]
    return next((value for value in named if isinstance(value, int)), 0)


def skipped_record(request: Request, reason: str, seed: int, now: float) -> dict[str, Any]:
    """Return what the store keeps of a sample that was left out: no answer, and why; `now` in epoch seconds."""
    return {
        "id": request.id,
        "generation": "",
        "num_generated_tokens": 0,
        "finish_reason": "skipped",
        "generation_start_time": now,
        "generation_end_time": now,
        "generation_time": 0.0,
        "seedbed": {
            "status": "empty",
            "reason": f"the prompt does not fit the served context and was skipped: {reason}",
            "flags": [SKIP_FLAG],
            "key": request.key,
            "request_sha256": request.sha256,
            "model": None,
            "seed": seed,
            "attempts": 1,
        },
    }


def policy_of(snapshot: Snapshot, context: str | None) -> str:
    """Return what is done with an overlong prompt; cutting needs a benchmark that names its context."""
    return ERROR if snapshot.context_overflow == CUT and context is None else snapshot.context_overflow
