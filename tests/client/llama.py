"""A real llama.cpp server with the real small model, for the tests and measurements of the client."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Self

from tests.client.workplace import ROOT

KEY = "key-of-this-test"


class Llama:
    """One server process with a key; may be killed and started again on another port."""

    def __init__(self, model: Path, folder: Path, slots: int = 4, context: int = 2048) -> None:
        """`context` in tokens, shared by the slots."""
        self._model = model
        self._folder = folder
        self._slots = slots
        self._context = context
        self._starts = 0
        self._process: subprocess.Popen[bytes] | None = None
        self.url = ""

    def __enter__(self) -> Self:
        """Start the server and wait until it has loaded the model."""
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        self.kill()

    def start(self) -> None:
        """Start on a free port."""
        self._starts += 1
        (self._folder / "server-key").write_text(KEY)
        log = self._folder / f"server-{self._starts}.log"
        words = [
            sys.executable,
            "-m",
            "seedbed.serving.node.llama_server",
            "--model",
            str(self._model),
            "--alias",
            "smollm2",
        ]
        words += ["--slots", str(self._slots), "--context", str(self._context)]
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT / "scripts"),
            "SEEDBED_API_KEY_FILE": str(self._folder / "server-key"),
        }
        with log.open("wb") as file:
            self._process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=file, stderr=file, env=environment)
        end = time.monotonic() + 60
        while (
            found := re.search(r"serving smollm2 at (http://[0-9.]+:[0-9]+)", log.read_text(errors="replace"))
        ) is None:
            assert self._process.poll() is None, log.read_text(errors="replace")[-2000:]
            assert time.monotonic() < end, "llama.cpp did not come up"
            time.sleep(0.05)
        self.url = found[1] + "/v1"

    def kill(self) -> None:
        """Kill it with SIGKILL, as an out-of-memory killer would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
