"""Write `output-rs{seed}.jsonl`: from the samples of the store to records with their strict score.

The strict score is computed here too, as the progress line shows it while the seed runs.
"""

import json
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from seedbed.client.outcomes import status_of
from seedbed.client.requests import Request
from seedbed.client.retries import Answered
from seedbed.client.sample_store import Store
from seedbed.client.stream import text
from seedbed.core.errors import RunError
from seedbed.records.dataset import Row
from seedbed.records.outputs import mark_of, seal
from seedbed.scoring.grading import grade, quick_grade
from seedbed.scoring.strict import predict


class StrictScorer:
    """Scores generations of one answer type; what needs mathematics is compared in another process, once a pair."""

    def __init__(self, answer_type: str) -> None:
        """`answer_type` as the benchmark says."""
        self._answer_type = answer_type
        self._thread: ThreadPoolExecutor | None = None

    def __call__(self, generation: str, row: Row) -> tuple[str | None, bool]:
        """Return (predicted_answer, symbolic_correct); a comparison that ran out of time is not right."""
        predicted = predict(generation, self._answer_type, row)
        return predicted, self._grade(predicted, row["expected_answer"])

    def soon(self, generation: str, row: Row) -> bool | Future[bool]:
        """Return whether the generation is right, at once where that is cheap."""
        predicted = predict(generation, self._answer_type, row)
        quick = quick_grade(predicted, row["expected_answer"], self._answer_type)
        if quick is not None:
            return quick
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="grade")
        return self._thread.submit(self._grade, predicted, row["expected_answer"])

    def _grade(self, predicted: str | None, expected: str) -> bool:
        """Return whether `predicted` is right; a comparison that runs out of time is not."""
        return bool(grade(predicted, expected, self._answer_type))

    def close(self) -> None:
        """Leave what has not been graded yet to the end of the job."""
        if self._thread is not None:
            self._thread.shutdown(wait=True, cancel_futures=True)


OURS = "seedbed"


class Scorer(Protocol):
    """Tells the answer in a generation and whether it is right."""

    def __call__(self, generation: str, row: Row) -> tuple[str | None, bool]:
        """Return (predicted_answer, symbolic_correct)."""


def stored_record(request: Request, answered: Answered, seed: int, epoch: float) -> dict[str, Any]:
    """Return what the store keeps of one answer: all but the row and the scores, which may be mended later.

    `epoch` is the time of day at the zero of the monotonic clock: a clock set back meanwhile shifts nothing.
    """
    answer, began, ended = answered.answer, answered.began, answered.ended
    generation, reasoning = text(answer.text), text(answer.reasoning)
    status, reason = status_of(answer.finish_reason, generation, reasoning)
    loop = _loop(answered)
    record: dict[str, Any] = {
        "id": request.id,
        "generation": generation,
        "num_generated_tokens": answer.tokens,
        "finish_reason": answer.finish_reason,
        "generation_start_time": epoch + began,
        "generation_end_time": epoch + ended,
        "generation_time": ended - began,
    }
    if reasoning:
        record["reasoning_content"] = reasoning
        if (counted := answer.reasoning_tokens) is not None:
            record["num_reasoning_tokens"] = counted
            record["num_answer_tokens"] = max(0, answer.tokens - counted)
    record[OURS] = {
        "status": status,
        "reason": loop or reason,
        "flags": ["loop"] if loop else [],
        "key": request.key,
        "request_sha256": request.sha256,
        "model": answer.model,
        "seed": seed,
        "attempts": answered.attempts,
        "ttft": None if answer.first is None else answer.first - began,
        "prompt_tokens": None if answer.usage is None else answer.usage.prompt,
        "tokens_counted": "usage" if answer.counted else "events",
    }
    return record


def _loop(answered: Answered) -> str | None:
    """Return a remark on a loop in the answer, None if there is none."""
    answer = answered.answer
    if not answered.loop.last(answer.text, answer.reasoning):
        return None
    return f"repeats {answered.loop.found} bytes over and over" + (", cut there" if answer.cut else "")


def error_record(request: Request, reason: str, seed: int) -> dict[str, Any]:
    """Return the record of a sample that failed for good: its row must not be missing where it is tolerated."""
    return {
        "id": request.id,
        "generation": "",
        "num_generated_tokens": 0,
        "finish_reason": "error",
        OURS: {
            "status": "error",
            "reason": reason,
            "flags": [],
            "key": request.key,
            "request_sha256": request.sha256,
            "model": None,
            "seed": seed,
        },
    }


def output_record(request: Request, record: Mapping[str, Any], scorer: Scorer, fingerprint: str) -> dict[str, Any]:
    """Return a line of the output file: the row as it is now, the answer as it was, the strict score of both."""
    message = {"role": "assistant", "content": record["generation"]}
    if "reasoning_content" in record:
        message["reasoning_content"] = record["reasoning_content"]
    if record[OURS]["status"] == "error":
        predicted, correct = None, False
    else:
        predicted, correct = scorer(record["generation"], request.row)
    return {
        **request.shown(),
        **{name: value for name, value in record.items() if name != OURS},
        "serialized_output": [message],
        "predicted_answer": predicted,
        "symbolic_correct": correct,
        OURS: {**record[OURS], "fingerprint": fingerprint},
    }


@dataclass(frozen=True)
class Output:
    """The output file of one seed: its path, the requests in the dataset's order, and what every record bears."""

    path: Path
    requests: Sequence[Request]
    seed: int
    answer_fingerprint: str


def write_output(output: Output, store: Store, failed: Mapping[str, str], scorer: Scorer) -> int:
    """Write the records in the dataset's order, check what was written, rename and mark it; return how many are right.

    Raises RunError if the file system refuses; what was at the path before is kept.
    """
    out, requests, seed = output.path, output.requests, output.seed
    right = 0
    part = out.with_name(f"{out.name}.part")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        mark_of(out).unlink(missing_ok=True)
        with part.open("w", encoding="ascii") as file:
            for request in requests:
                reason = failed.get(request.id)
                record = store.get(request.key, request.id) if reason is None else error_record(request, reason, seed)
                line = output_record(request, record, scorer, output.answer_fingerprint)
                right += line["symbolic_correct"]
                file.write(json.dumps(line) + "\n")
            file.flush()
            os.fsync(file.fileno())
        validate(part, [request.id for request in requests])
        os.replace(part, out)
        seal(out)
        return right
    except OSError as error:
        raise RunError(
            f"{out}: cannot be written: {error.strerror}; "
            f"the {len(requests) - len(failed)} answers are kept in {store.path}"
        ) from error
    finally:
        with suppress(OSError):
            part.unlink()


def check_writable(out: Path) -> None:
    """Raise RunError if the output could not be written later, when all has been paid for."""
    part = out.with_name(f"{out.name}.part")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        part.touch()
        part.unlink()
    except OSError as error:
        raise RunError(f"{out}: cannot be written: {error.strerror}; nothing was asked for") from error


def validate(path: Path, ids: Sequence[str]) -> None:
    """Raise RunError unless the file holds exactly the rows `ids`, in this order, each a whole record."""
    seen = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            record = json.loads(line)
            expected = ids[number - 1] if number <= len(ids) else "the end of the file"
            if record.get("id") != expected:
                raise RunError(f"{path}, line {number}: found row {record.get('id')!r}; expected {expected!r}")
            seen = number
    if seen != len(ids):
        raise RunError(f"{path}: holds {seen} records; expected {len(ids)}")
