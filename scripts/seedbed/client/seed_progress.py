"""How far a seed has come: a small file for the screen of the run, one line a minute for the log."""

import json
import os
import sys
import time
from collections import deque
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any

LINE_SECONDS = 60.0
WINDOW_SECONDS = 30.0
RUNNING = "running"


class Progress:
    """Counts of one generate job; `done` includes what came from the store."""

    def __init__(self, path: Path, name: str, total: int) -> None:
        """`path` is replaced whole each time; `name` opens every line."""
        self.path = path
        self.name = name
        self.total = total
        self.done = 0
        self.restored = 0
        self.correct = 0
        self.truncated = 0
        self.errors = 0
        self.tokens = 0
        self.live_tokens = 0
        self.state = "starting"
        self.seen = ""
        self._began = time.monotonic()
        self._window: deque[tuple[float, int]] = deque([(self._began, 0)])
        self._line_at = self._began
        self._waits_for = ""

    def count(self, record: Mapping[str, Any], correct: bool | Future[bool], restored: bool = False) -> None:
        """Count one finished sample; whether it is right may become known later."""
        self.done += 1
        self.truncated += record["seedbed"]["status"] == "truncated"
        if restored:
            self.restored += 1
        else:
            self.tokens += record["num_generated_tokens"]
        if isinstance(correct, Future):
            correct.add_done_callback(self._right)
        else:
            self.correct += correct

    def _right(self, graded: Future[bool]) -> None:
        """Count a sample that was graded beside the streams."""
        if not graded.cancelled() and graded.exception() is None:
            self.correct += graded.result()

    @property
    def tokens_per_second(self) -> float:
        """Return the tokens a second of this job over the last half minute."""
        (first, before), (last, now) = self._window[0], self._window[-1]
        return max(0.0, (now - before) / (last - first)) if last > first else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Return the expected time to the last sample from the pace so far, None before the first of this job."""
        fresh = self.done - self.restored
        if fresh <= 0:
            return None
        return (time.monotonic() - self._began) / fresh * (self.total - self.done)

    def line(self) -> str:
        """Return the progress in one line."""
        parts = [f"{self.done}/{self.total} done"]
        if self.done:
            parts.append(f"{100 * self.correct / self.done:.1f} % right so far")
        parts += [f"{self.truncated} truncated", f"{self.errors} errors", f"{self.tokens_per_second:.0f} tokens/s"]
        left = self.seconds_left
        if left is not None and self.done < self.total:
            parts.append(f"{_span(left)} left")
        seen = f" ({self.seen})" if self.seen else ""
        return f"{self.name} {self.state}{seen}: {', '.join(parts)}"

    def enter(self, state: str) -> None:
        """Go on to another state and tell it."""
        self.state, self.seen = state, ""
        if state == RUNNING:
            self._began = time.monotonic()
        self.tick()

    def tick(self) -> None:
        """Replace the file; write the line once a minute or when the reason to wait changes, on a terminal always."""
        now = time.monotonic()
        reason = self.seen.partition(",")[0]  # what follows counts the minutes
        news, self._waits_for = reason not in ("", self._waits_for), reason
        self._window.append((now, self.tokens + self.live_tokens))
        while now - self._window[0][0] > WINDOW_SECONDS and len(self._window) > 2:
            self._window.popleft()
        # Progress is for the eye: a full disk must be noticed by the store, not here.
        with suppress(OSError):
            self._write()
        if sys.stderr.isatty():
            print(f"\r\x1b[K{self.line()}", end="", file=sys.stderr, flush=True)
        elif news or now >= self._line_at:
            self._line_at = now + LINE_SECONDS
            print(self.line(), file=sys.stderr, flush=True)

    def last(self, state: str) -> None:
        """Write the final state, on a line of its own."""
        self._line_at = 0.0
        self.enter(state)
        if sys.stderr.isatty():
            print(file=sys.stderr)

    def _write(self) -> None:
        """Replace the file as a whole."""
        left = self.seconds_left
        content = {
            "done": self.done,
            "total": self.total,
            "correct": self.correct,
            "truncated": self.truncated,
            "errors": self.errors,
            "restored": self.restored,
            "tokens": self.tokens + self.live_tokens,
            "tokens_per_second": round(self.tokens_per_second, 1),
            "seconds_left": None if left is None else round(left, 1),
            "updated": time.time(),
            "state": self.state,
            "waits_for": self.seen,
        }
        self.path.parent.mkdir(parents=True, exist_ok=True)
        part = self.path.with_name(f".{self.path.name}.part")
        part.write_text(json.dumps(content), encoding="ascii")
        os.replace(part, self.path)


def _span(seconds: float) -> str:
    """Return a time in the unit a person would say it in."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
