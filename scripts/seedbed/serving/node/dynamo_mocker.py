"""Give Dynamo's simulated workers a model to pretend: a tokenizer whose every generated token says one of our phrases.

A simulated worker draws its tokens from the ids 1000 to 1999 and knows nothing of words. What those ids say is decided
here, so that the counts of a whole run are known beforehand. It thinks before it answers if SGLANG_ENABLE_THINKING is 1
in its environment, as the real workers do. Used as `... mocker FOLDER --say TEXT -- COMMAND ...`: the
folder is written, unless another worker has done so, and the command takes the place of this process.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from seedbed.core.errors import InputError, exit_code

SAID = range(1000, 2000)  # the ids a simulated worker draws from
SPECIAL = ("<|end|>", "<|start|>")
TEMPLATE = "{% for m in messages %}<|start|>{{ m['content'] }}<|end|>{% endfor %}<|start|>"
THINKING = "SGLANG_ENABLE_THINKING"
THOUGHT = {"start_thinking_token_id": 2000, "end_thinking_token_id": 2001}  # <think> and </think> of the vocabulary
SHARE = 0.5  # of an answer's tokens that are thought


def alphabet() -> dict[int, str]:
    """Return the letter that stands for each byte in a byte-level vocabulary: itself where it can be seen."""
    seen = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in seen]
    return {**{byte: chr(byte) for byte in seen}, **{byte: chr(256 + place) for place, byte in enumerate(hidden)}}


def spelled(text: str) -> str:
    """Return `text` in the letters of the alphabet."""
    letters = alphabet()
    return "".join(letters[byte] for byte in text.encode())


def vocabulary(phrases: Sequence[str]) -> dict[str, int]:
    """Return the tokens by their ids: the bytes, what is never said, the phrases in turn (each numbered), a thought."""
    words = [*SPECIAL, *alphabet().values()]
    words += [spelled(f" unsaid{number}") for number in range(len(words), SAID.start)]
    words += [spelled(f" [{number}] {phrases[number % len(phrases)]}") for number in SAID]
    words += ["<think>", "</think>"]
    return {word: number for number, word in enumerate(words)}


def write_model(folder: Path, phrases: Sequence[str]) -> None:
    """Write the folder of a model without weights atomically; one that is there already is left."""
    if folder.exists():
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    bytes_alone = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    special = [
        {"id": number, "content": word, "special": True, "normalized": False, **dict.fromkeys(_STRIPPED, False)}
        for number, word in enumerate(SPECIAL)
    ]
    words = vocabulary(phrases)
    tokenizer = {
        "version": "1.0",
        "added_tokens": special,
        "pre_tokenizer": bytes_alone,
        "decoder": bytes_alone,
        "model": {"type": "BPE", "vocab": words, "merges": []},
    }
    shape = {"vocab_size": len(words), "hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1}
    heads = {"num_attention_heads": 1, "num_key_value_heads": 1, "max_position_embeddings": 1 << 20, "eos_token_id": 0}
    files = {
        "tokenizer.json": tokenizer,
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "eos_token": SPECIAL[0],
            "chat_template": TEMPLATE,
        },
        "config.json": {"architectures": ["LlamaForCausalLM"], "model_type": "llama", **shape, **heads},
        "generation_config.json": {"eos_token_id": [0]},
    }
    for name, content in files.items():
        (draft / name).write_text(json.dumps(content), encoding="utf-8")
    draft.chmod(0o755)
    try:
        draft.rename(folder)
    except OSError:  # another worker was faster
        for name in files:
            (draft / name).unlink()
        draft.rmdir()


_STRIPPED = ("single_word", "lstrip", "rstrip")


def main(argv: Sequence[str] | None = None) -> int:
    """Write the model's folder, then become the command after `--`."""
    given = list(sys.argv[1:] if argv is None else argv)
    cut = given.index("--") if "--" in given else len(given)
    parser = argparse.ArgumentParser(prog="mocker", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--say", action="append", required=True, metavar="TEXT", help="a phrase; several take turns")
    arguments = parser.parse_args(given[:cut])
    write_model(arguments.folder, arguments.say)
    command = given[cut + 1 :]
    if not command:
        return 0
    if os.environ.get(THINKING) == "1":
        command.append(f"--reasoning={json.dumps({**THOUGHT, 'thinking_ratio': SHARE})}")
    sys.stdout.flush()
    try:
        os.execvp(command[0], command)
    except OSError as error:
        raise InputError(
            f"{command[0]}: {error.strerror}; site.yaml's programs say where Dynamo's Python is"
        ) from error


if __name__ == "__main__":
    sys.exit(exit_code(main))
