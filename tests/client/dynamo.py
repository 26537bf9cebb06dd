"""A real Dynamo frontend with simulated SGLang workers, from an interpreter that has it (DYNAMO_PYTHON names it)."""

import json
import os
import socket
import subprocess
import time
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

PYTHON = os.environ.get("DYNAMO_PYTHON")
NAME = "tiny"
CONTEXT = 2048
_TOKENIZER = """
import json, pathlib, sys
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
folder = pathlib.Path(sys.argv[1])
folder.mkdir()
tokenizer = Tokenizer(models.BPE())
tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
alphabet, special = pre_tokenizers.ByteLevel.alphabet(), ["<|end|>", "<|start|>"]
trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=special, initial_alphabet=alphabet, show_progress=False)
tokenizer.train_from_iterator(["Add the numbers and box the sum."], trainer)
tokenizer.add_tokens([f" n{number}" for number in range(2500)])
tokenizer.save(str(folder / "tokenizer.json"))
template = "{% for m in messages %}<|start|>{{ m['content'] }}<|end|>{% endfor %}<|start|>"
told = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<|end|>", "chat_template": template}
(folder / "tokenizer_config.json").write_text(json.dumps(told))
shape = {"vocab_size": tokenizer.get_vocab_size(), "hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1}
heads = {"num_attention_heads": 1, "num_key_value_heads": 1, "max_position_embeddings": 8192, "eos_token_id": 0}
config = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", **shape, **heads}
(folder / "config.json").write_text(json.dumps(config))
(folder / "generation_config.json").write_text(json.dumps({"eos_token_id": [0]}))
"""


def free_port() -> int:
    """Return a loopback port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Dynamo:
    """Frontend, one prefill worker and one decode worker, which can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        """Prepare a folder; nothing runs yet."""
        self._folder = folder
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._port = free_port()
        self.url = f"http://127.0.0.1:{self._port}/v1"

    def __enter__(self) -> Self:
        """Start all three and wait until the model is listed."""
        assert PYTHON is not None
        subprocess.run([PYTHON, "-c", _TOKENIZER, str(self._folder / "model")], check=True)
        (self._folder / "discovery").mkdir()
        self._start("frontend", "dynamo.frontend", "--http-host", "127.0.0.1", "--http-port", str(self._port))
        self.start_worker("prefill", "--bootstrap-ports", str(free_port()))
        self.start_worker("decode")
        end = time.monotonic() + 60
        while NAME not in self.models():
            assert time.monotonic() < end, "Dynamo did not come up"
            time.sleep(0.1)
        return self

    def __exit__(self, *_: object) -> None:
        """End every process."""
        for name in list(self._processes):
            self.kill(name)

    def start_worker(self, role: str, *more: str) -> None:
        """Start a worker of a role."""
        words = ["--model-path", str(self._folder / "model"), "--model-name", NAME, "--engine-type", "sglang"]
        words += ["--disaggregation-mode", role, "--speedup-ratio", "1.0", "--max-model-len", str(CONTEXT)]
        self._start(role, "dynamo.mocker", *words, *more)

    def kill(self, name: str) -> None:
        """Kill one process with SIGKILL."""
        process = self._processes.pop(name)
        process.kill()
        process.wait()

    def models(self) -> list[str]:
        """Return the models that the frontend lists."""
        with suppress(OSError), urllib.request.urlopen(f"{self.url}/models", timeout=5) as reply:
            listed: dict[str, Any] = json.load(reply)
            return [entry["id"] for entry in listed["data"]]
        return []

    def _start(self, name: str, module: str, *words: str) -> None:
        """Start one process."""
        assert PYTHON is not None
        alone = {"DYN_DISCOVERY_BACKEND": "file", "DYN_FILE_KV": str(self._folder / "discovery"), "HF_HUB_OFFLINE": "1"}
        planes = {"DYN_REQUEST_PLANE": "tcp", "DYN_EVENT_PLANE": "zmq", "DYN_TCP_RPC_HOST": "127.0.0.1"}
        with (self._folder / f"{name}.log").open("ab") as log:
            self._processes[name] = subprocess.Popen(
                [PYTHON, "-m", module, *words],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **alone, **planes},
            )
