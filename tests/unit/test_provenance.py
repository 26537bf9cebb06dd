import json
import shutil
from pathlib import Path

import pytest
import yaml

from seedbed.config.settings import load
from seedbed.core.environment import ROOT
from seedbed.core.errors import InputError
from seedbed.core.secrets import STRUCK, looks_secret, refuse_secrets, strike
from seedbed.records import run_record
from seedbed.workflow.provenance import code, of_run, versions
from seedbed.workflow.snapshot import effective

KEY = "sk-abcdefgh12345678"


def test_secrets_are_struck_out_by_key_by_form_and_because_they_are_known() -> None:
    told = {
        "environment": {"HF_TOKEN": "anything", "THREADS": "2", "API_KEY": ""},
        "command": ["--api-key plain-word", f"Bearer {KEY}", "http://me:pass@host/v1", "tokens=5", KEY],
        "max_tokens": 128,
        "api_key_env": "OPENAI_API_KEY",
        "note": "the word xyzzy is known",
    }
    struck = strike(told, ["xyzzy"])
    assert struck["environment"] == {"HF_TOKEN": STRUCK, "THREADS": "2", "API_KEY": ""}
    assert struck["command"] == [
        f"--api-key {STRUCK}",
        f"Bearer {STRUCK}",
        f"http://{STRUCK}@host/v1",
        "tokens=5",
        STRUCK,
    ]
    assert struck["max_tokens"] == 128
    assert struck["api_key_env"] == "OPENAI_API_KEY"
    assert struck["note"] == f"the word {STRUCK} is known"


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("authorization", "Basic dXNlcjpwYXNzd29yZA==", STRUCK),
        ("Authorization", "word", STRUCK),
        ("auth", "SEKRETvalue1", STRUCK),
        ("apikey", "plainsecret123", STRUCK),
        ("x-api-key", "plain", STRUCK),
        ("accessToken", "plain", STRUCK),
        ("header", "Basic dXNlcjpwYXNzd29yZA==", f"Basic {STRUCK}"),
        ("header", f"Bearer {KEY}", f"Bearer {STRUCK}"),
        ("url", "https://host/v1?auth=abc&n=1", f"https://host/v1?auth={STRUCK}&n=1"),
        ("args", '--headers {"X-Auth": "abc"} --port 1', f'--headers {{"X-Auth": "{STRUCK}"}} --port 1'),
        ("command", "serve --api-key plain --port 1", f"serve --api-key {STRUCK} --port 1"),
    ],
)
def test_one_pattern_refuses_secrets_and_strikes_them_out(name: str, value: str, kept: str) -> None:
    assert looks_secret(name, value)
    told = {"extra_body": {"chat_template_kwargs": {name: value}, "list": [{name: [value]}]}}
    assert strike(told)["extra_body"] == {"chat_template_kwargs": {name: kept}, "list": [{name: [kept]}]}
    with pytest.raises(InputError, match=rf"^c.yaml: extra_body.chat_template_kwargs.{name} looks like a secret"):
        refuse_secrets(told, "", "c.yaml")
    assert not looks_secret(name, kept) or name not in ("header", "url", "args", "command")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("prompt", "Basic arithmetic and/or algebra; write a token and the author"),
        ("api_key_env", "MY_KEY"),
        ("author", "me"),
        ("pattern", "x"),
        ("chat_template", "{{ bos_token }}"),
        ("max_tokens", "5"),
        ("command", "serve --max-token 5 --api-key $KEY"),
        ("authorization", ""),
    ],
)
def test_what_only_speaks_of_secrets_is_none(name: str, value: str) -> None:
    assert not looks_secret(name, value)
    assert strike({name: value}) == {name: value}


def test_a_run_tells_all_that_it_needs_to_be_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MY_KEY", "hidden-word")
    config = {
        "models": {
            "m": {"endpoint": "http://127.0.0.1:9/v1", "served_name": "x", "api_key_env": "MY_KEY"},
            "s": {"server": "smollm2-local", "sampling": {"temperature": 0.7}},
        },
        "benchmarks": ["warmup"],
        "sampling": {"temperature": 1.0, "max_tokens": 64},
    }
    settings = load(config, "c.yaml", [tmp_path])
    pairs = [{"model": "m", "benchmark": "warmup", "fingerprint": settings.request_fingerprint("m", "warmup")}]
    told = of_run(settings, pairs)
    assert told["seeds"] == list(range(42, 58))
    assert told["config"]["sampling"] == {"temperature": 1.0, "max_tokens": 64}
    assert told["models"]["m"]["requests"]["warmup"] == {
        "model": "x",
        "temperature": 1.0,
        "max_tokens": 64,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    assert told["models"]["m"]["fingerprints"] == {"warmup": pairs[0]["fingerprint"]}
    assert told["models"]["s"]["server"]["kind"] == "llama-cpp"
    assert set(told["scorers"]) == {"strict", "regex"}
    assert len(told["benchmarks"]["warmup"]["prompt_sha256"]) == 64
    assert "hidden-word" not in json.dumps(told)
    assert load(told["config"], "again", [Path("/")]).config == settings.config


def test_the_effective_configuration_means_the_same_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own"
    (own / "ref").mkdir(parents=True)
    (own / "ref" / "output-rs42.jsonl").touch()
    (own / "prompt.txt").write_text("Do it. {problem}")
    for kind, name, copy in (
        ("benchmarks", "warmup.yaml", "mine.yaml"),
        ("benchmarks", "warmup.jsonl", "warmup.jsonl"),
        ("scorers", "regex.yaml", "broad.yaml"),
        ("servers", "smollm2-local.yaml", "server.yaml"),
    ):
        shutil.copy(ROOT / "config" / kind / name, own / copy)
    config = {
        "models": {"m": {"server": "own/server.yaml"}, "n": {"endpoint": "http://127.0.0.1:9/v1"}},
        "benchmarks": ["own/mine.yaml", "warmup"],
        "scorers": ["strict", "own/broad.yaml"],
        "prompts": {"warmup": "own/prompt.txt"},
        "comparisons": [{"a": "m", "b": "own/ref"}],
        "gates": ["not worse than own/ref by 2 points", {"require": "pass@1 >= 3", "benchmarks": ["mine"]}],
    }
    one = load(config, "c.yaml", [tmp_path])
    written = yaml.safe_load(yaml.safe_dump(effective(one)))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    other = load(written, "again", [tmp_path / "elsewhere"])
    assert effective(other) == effective(one)
    for model in one.models:
        for benchmark in one.benchmarks:
            assert other.answer_fingerprint(model, benchmark) == one.answer_fingerprint(model, benchmark)


def test_the_code_has_a_digest_also_without_git() -> None:
    found = code()
    assert len(found["sha256"]) == 64
    assert (found["commit"] is None) == (found["clean"] is None)


def test_versions_of_what_matters() -> None:
    assert {"python", "snakemake", "msgspec"} <= set(versions())


def test_a_record_of_an_older_version_is_read_by_the_new_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("results").mkdir()
    Path("results/run.json").write_text(json.dumps({"made_of": {"code": {"commit": "abc"}, "host": 3}}))
    assert run_record.read() == {"provenance": {"code": {"commit": "abc"}}}
    run_record.begin([], provenance={"seeds": [42]})
    written = json.loads(Path("results/run.json").read_text())
    assert (written["provenance"], "made_of" in written) == ({"seeds": [42]}, False)
