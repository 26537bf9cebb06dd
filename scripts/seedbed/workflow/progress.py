"""The progress line of a run: seeds and samples done, accuracy so far, speed; read from the files that seeds write."""

import json
import os
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

TERMINAL_PAUSE = 1.0  # seconds between two lines where a line is overwritten
LOG_PAUSE = 15.0  # seconds between two lines in a log


def read(run: Path) -> list[dict[str, Any]]:
    """Return the progress of every seed of this run, as each last wrote it, with its `name` model/benchmark-rsSEED."""
    found = []
    for path in sorted(run.glob("*/progress/*.json")):
        try:
            state = json.loads(path.read_text(encoding="utf-8"))
            found.append({"name": f"{path.parent.parent.name}/{path.stem}", **state})
        except (OSError, ValueError):
            continue
    return found


def notes(run: Path, seeds: Iterable[dict[str, Any]]) -> list[str]:
    """Return one message per model whose server does not answer yet: the broker's, else one made from its seeds."""
    messages = []
    for path in sorted(run.glob("*/status.json")):
        try:
            status = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if status.get("line") and str(status.get("state")).lower() not in ("ready", "idle", "stopping"):
            messages.append(str(status["line"]))
    waiting: dict[str, list[str]] = {}
    for seed in seeds:
        model = str(seed["name"]).partition("/")[0]
        if seed.get("waits_for") and not (run / model / "status.json").exists():
            waiting.setdefault(model, []).append(str(seed["waits_for"]))
    for model, reasons in waiting.items():
        messages.append(f"{model}: {len(reasons)} seed{'s' * (len(reasons) > 1)} waiting for {reasons[0]}")
    return messages


def line(seeds: Iterable[dict[str, Any]], expected: int, servers: Iterable[str] = ()) -> str:
    """Return the progress line: seeds and samples done, accuracy so far in percent, truncated, failed, tokens/s."""
    seen = list(seeds)
    done, total, correct, truncated, errors = (
        sum(int(seed.get(key) or 0) for seed in seen) for key in ("done", "total", "correct", "truncated", "errors")
    )
    if 0 < len(seen) < expected:
        total = round(total * expected / len(seen))  # assume that seeds not yet begun have as many samples
    finished = sum(seed.get("state") == "done" for seed in seen)
    speed = sum(float(seed.get("tokens_per_second") or 0) for seed in seen if seed.get("state") == "running")
    parts = [f"seeds {finished}/{expected}", f"samples {done}/{total}"]
    if done:
        parts.append(f"right so far (strict) {100 * correct / done:.1f} %")
    parts += [f"{word} {count}" for word, count in (("truncated", truncated), ("errors", errors)) if count]
    if speed:
        parts.append(f"{speed:.0f} tokens/s")
    return " · ".join([*parts, *servers])


class Display:
    """Prints the progress line at intervals from a thread of the driver until it is stopped."""

    def __init__(self, run: Path, expected: int, stream: TextIO | None = None) -> None:
        """Show the run in the folder `run`, of which `expected` seeds are to be generated, on `stream` (stderr)."""
        self.run, self.expected, self.stream = run, expected, stream or sys.stderr
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._show, name="progress", daemon=True)

    def start(self) -> None:
        """Remove the progress files of earlier runs and start printing."""
        for path in self.run.glob("*/progress/*.json"):
            path.unlink(missing_ok=True)
        self._thread.start()

    def stop(self) -> None:
        """Print the last state and end the thread."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    def _show(self) -> None:
        """Write a line at every pause; on a terminal it replaces the one before."""
        overwrite = self.stream.isatty()
        shown = ""
        while True:
            over = self._over.wait(TERMINAL_PAUSE if overwrite else LOG_PAUSE)
            seeds = read(self.run)
            text = line(seeds, self.expected, notes(self.run, seeds))
            if text != shown or overwrite:
                self._write(text, overwrite)
                shown = text
            if over:
                self._write("", False) if overwrite else None
                return

    def _write(self, text: str, overwrite: bool) -> None:
        """Write one line, cut to the terminal's width where it is to be overwritten."""
        if overwrite:
            width = os.get_terminal_size(self.stream.fileno()).columns
            self.stream.write(f"\r\x1b[K{text[: width - 1]}")
        else:
            self.stream.write(f"{time.strftime('%H:%M:%S')} {text}\n" if text else "\n")
        self.stream.flush()
