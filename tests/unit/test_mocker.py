"""The vocabulary of Dynamo's simulated workers."""

import json
from pathlib import Path

import pytest

from seedbed.serving.node.dynamo_mocker import SAID, THOUGHT, alphabet, main, vocabulary, write_model


def read(folder: Path, name: str = "tokenizer.json") -> dict[str, object]:
    """Return a file of the model's folder."""
    found: dict[str, object] = json.loads((folder / name).read_text())
    return found


def said(word: str) -> str:
    """Return the text that a token stands for."""
    bytes_of = {letter: byte for byte, letter in alphabet().items()}
    return bytes(bytes_of[letter] for letter in word).decode()


def test_every_byte_has_a_letter_of_its_own() -> None:
    assert len(set(alphabet().values())) == 256
    assert alphabet()[ord(" ")] == "Ġ"
    assert alphabet()[ord("A")] == "A"


def test_every_token_that_may_be_drawn_says_a_phrase_in_turn_and_is_told_apart() -> None:
    words = {number: word for word, number in vocabulary(["The answer is 7.", r"\boxed{7} é"]).items()}
    assert [said(words[number]) for number in (1000, 1001, 1999)] == [
        " [1000] The answer is 7.",
        r" [1001] \boxed{7} é",
        r" [1999] \boxed{7} é",
    ]
    assert len({words[number] for number in SAID}) == len(SAID)
    assert [words[THOUGHT[name]] for name in sorted(THOUGHT)] == ["</think>", "<think>"]


def test_a_folder_is_written_once_whoever_comes_second(tmp_path: Path) -> None:
    write_model(tmp_path / "run" / "model", ["a"])
    write_model(tmp_path / "run" / "model", ["b"])
    assert " [1000] a" in {said(word) for word in list(read(tmp_path / "run/model")["model"]["vocab"])[1000:1001]}  # type: ignore[index]
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["model"]


def test_the_vocabulary_is_as_large_as_the_model_says(tmp_path: Path) -> None:
    write_model(tmp_path / "model", ["a"])
    assert read(tmp_path / "model", "config.json")["vocab_size"] == 2002


def test_without_a_command_the_folder_is_all(tmp_path: Path) -> None:
    assert main([str(tmp_path / "model"), "--say", "x"]) == 0
    assert (tmp_path / "model" / "tokenizer_config.json").exists()


def test_a_command_that_is_not_there_is_named(tmp_path: Path) -> None:
    from seedbed.core.errors import InputError

    with pytest.raises(InputError, match=r"no-such-python: No such file.*programs"):
        main([str(tmp_path / "model"), "--say=x", "--", "no-such-python", "-m", "dynamo.mocker"])
