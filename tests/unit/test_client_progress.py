"""How far a seed has come, in a file and in one line."""

import io
import json
import sys
import time
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from seedbed.client.seed_progress import RUNNING, Progress


def record(status: str = "ok", tokens: int = 10) -> dict[str, Any]:
    """Return what is counted of a record."""
    return {"num_generated_tokens": tokens, "seedbed": {"status": status}}


class Terminal(io.StringIO):
    """A screen."""

    def isatty(self) -> bool:
        """Say so."""
        return True


def test_samples_tokens_and_right_answers_are_counted(tmp_path: Path) -> None:
    progress = Progress(tmp_path / "p.json", "b-rs42", 4)
    progress.count(record(), True, restored=True)
    progress.count(record("truncated", 30), False)
    later: Future[bool] = Future()
    progress.count(record("ok", 5), later)
    assert (progress.done, progress.restored, progress.correct, progress.truncated, progress.tokens) == (3, 1, 1, 1, 35)
    later.set_result(True)
    assert progress.correct == 2
    progress.tick()
    told = json.loads((tmp_path / "p.json").read_text())
    assert (told["done"], told["total"], told["correct"], told["tokens"], told["state"]) == (3, 4, 2, 35, "starting")


def test_pace_and_time_left_are_those_of_this_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    progress = Progress(tmp_path / "p.json", "b-rs42", 10)
    for _ in range(4):
        progress.count(record(), True, restored=True)
    assert progress.seconds_left is None
    now[0] += 1000
    progress.enter(RUNNING)
    now[0] += 20
    for _ in range(2):
        progress.count(record(tokens=500), False)
    progress.tick()
    assert progress.seconds_left == 40
    assert progress.tokens_per_second == 50
    assert progress.line() == (
        "b-rs42 running: 6/10 done, 66.7 % right so far, 0 truncated, 0 errors, 50 tokens/s, 40 s left"
    )


def test_a_log_gets_a_line_a_minute_and_a_terminal_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    progress = Progress(tmp_path / "p.json", "b-rs42", 1)
    for _ in range(181):
        progress.tick()
        now[0] += 1
    assert len(capsys.readouterr().err.splitlines()) == 4
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    for _ in range(3):
        progress.tick()
    progress.last("done")
    assert screen.getvalue().count("\n") == 1
    assert screen.getvalue().count("\r\x1b[K") == 4


def test_a_folder_that_takes_nothing_does_not_end_the_job(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    Progress(tmp_path / "file" / "p.json", "b-rs42", 1).tick()
