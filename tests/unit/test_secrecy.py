"""Secrets on command lines: struck out of what is kept, refused where they are written down."""

import pytest

from seedbed.core.errors import InputError
from seedbed.core.secrets import STRUCK, refuse_secrets, strike


@pytest.mark.parametrize(
    "flag",
    ["--api-key", "--api_key", "--hf-token", "-password", "--admin-api-keys", "--s3_access_key", "--Credentials"],
)
def test_the_value_of_a_flag_that_takes_a_secret_is_struck_out_and_refused(flag: str) -> None:
    for words in ([flag, "word"], [f"{flag}=word"]):
        assert STRUCK in "".join(strike(["serve", *words, "--port", "1"]))
        assert "word" not in "".join(strike(["serve", *words, "--port", "1"])).replace("password", "")
        with pytest.raises(InputError, match=rf"s\.yaml: command\.1 \({flag}\) looks like a secret"):
            refuse_secrets({"command": ["serve", *words]}, "", "s.yaml")


@pytest.mark.parametrize(
    "words",
    [
        ["--max-tokens", "128"],
        ["--max-token=128"],
        ["--tokenizer", "word"],
        ["--api-key", "{key}"],
        ["--api-key", "$KEY"],
        ["--api-key=${KEY}"],
        ["--pad-token", "<pad>"],
        ["--token", "--verbose"],
        ["--api-key"],
    ],
)
def test_words_that_only_speak_of_secrets_are_kept_and_passed(words: list[str]) -> None:
    assert strike(["serve", *words]) == ["serve", *words]
    refuse_secrets({"command": ["serve", *words]}, "", "s.yaml")


def test_what_is_known_to_be_secret_is_struck_out_wherever_it_stands() -> None:
    told = {"command": ["a", "b=xyzzy"], "reason": "role ended: xyzzy", "code": 3, "": [["xyzzy"]]}
    hidden = {"command": ["a", f"b={STRUCK}"], "reason": f"role ended: {STRUCK}", "code": 3, "": [[STRUCK]]}
    assert strike(told, ["xyzzy", ""]) == hidden


def test_a_server_file_names_its_secrets_and_holds_none() -> None:
    named = {"secrets": ["HF_TOKEN", "hub"], "roles": [{"secrets": ["HF_TOKEN"]}]}
    refuse_secrets(named, "", "s.yaml")
    assert strike(named) == named
    with pytest.raises(InputError, match=r"s\.yaml: secrets\.0 looks like a secret"):
        refuse_secrets({"secrets": ["hf_abcdefghijkl"]}, "", "s.yaml")
    with pytest.raises(InputError, match=r"s\.yaml: secrets looks like a secret"):
        refuse_secrets({"secrets": "word"}, "", "s.yaml")
