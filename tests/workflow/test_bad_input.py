"""Bad input ends in one clear message with file, key or line, found and expected; nothing is lost, nothing exits 0."""

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from seedbed.serving.broker import control
from tests.client.stub_server import StubServer, wait_until
from tests.workflow.test_verdict import small
from tests.workflow.workplace import Workplace, server_file

AS_ROOT = os.geteuid() == 0


@pytest.fixture
def place(tmp_path: Path, stub: StubServer) -> Workplace:
    """Return a workplace with one model behind the stub and one benchmark of three rows."""
    return small(tmp_path, stub)


Change = Callable[[Workplace], None]


def setting(key: str, value: Any) -> Change:
    """Return a change of one key of the configuration, its path joined by dots."""

    def change(place: Workplace) -> None:
        part = place.config
        *path, last = key.split(".")
        for name in path:
            part = part.setdefault(name, {})
        part[last] = value

    return change


def rows(content: bytes) -> Change:
    """Return a change of the benchmark's rows."""

    def change(place: Workplace) -> None:
        Path(place.config["benchmarks"][0]).with_suffix(".jsonl").write_bytes(content)

    return change


ROW = b'{"id": "a", "problem": "What is 1 plus 1?", "expected_answer": "2"}\n'


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (setting("sedes", {}), r"config.yaml: unknown key 'sedes'; did you mean 'seeds'\?"),
        (setting("benchmarks", ["aime52"]), r"config.yaml: unknown benchmark 'aime52'; did you mean 'aime\d\d'\?"),
        (
            setting("models.m", {"server": "smolm2-local"}),
            r"config.yaml: unknown server .*did you mean 'smollm2-local'",
        ),
        (setting("scorers", ["regexp"]), r"config.yaml: unknown scorer 'regexp'; did you mean 'regex'\?"),
        (setting("sampling.temperature", "hot"), r"config.yaml: sampling.temperature: found 'hot'; expected number"),
        (setting("models.m.api_key", "sk-abcdefgh12345678"), r"config.yaml: models.m.api_key looks like a secret"),
        (setting("seeds.count", 0), r"config.yaml: seeds.count: found 0; expected at least 1"),
        (rows(ROW + b'{"id": "b", "problem": "2?"}\n'), r"sums.jsonl, line 2: the field 'expected_answer' is missing"),
        (rows(ROW + ROW), r"sums.jsonl, line 2: id 'a' is on line 1 already"),
        (rows(ROW + b'{"id": "\xff"}\n'), r"sums.jsonl, line 2: byte 8 of the line is not UTF-8"),
        (rows(ROW + b'{"id": "b", "pro'), r"sums.jsonl, line 2: not whole JSON"),
        (rows(b""), r"sums.jsonl: found no row; expected at least one JSON object a line"),
        (setting("models.m.served_name", "stubb"), r"stub.*stubb|stubb.*stub"),
    ],
)
def test_bad_input_is_named_and_fails_the_run(place: Workplace, change: Change, message: str) -> None:
    change(place)
    ran = place.run()
    assert ran.code == 1
    logs = "".join(path.read_text() for path in (place.work / "logs").rglob("*.log")) if ran.jobs else ""
    assert re.search(message, ran.text + logs), ran.text + logs
    assert "Traceback" not in ran.text + logs
    assert "sk-abcdefgh" not in ran.text + logs
    assert not list(place.work.rglob("metrics*.json"))
    if ran.jobs:
        assert re.search(rf"^sums / m: INVALID: .*(?:{message})", ran.text, re.MULTILINE)


def test_what_is_wrong_stands_on_one_line_without_a_line_of_our_rules(place: Workplace) -> None:
    scorer = place.work.parent / "own.yaml"
    scorer.write_text("description: a: b\n")
    place.config["scorers"] = ["strict", str(scorer)]
    for arguments in ([], ["--dry-run"]):
        ran = place.run(*arguments)
        (line,) = [line for line in ran.text.splitlines() if "own.yaml" in line]
        assert (ran.code, line.startswith(f"error: {scorer}, line 1: ")) == (1, True)
        assert "Error in" not in ran.text
        assert ".smk" not in ran.text


def test_a_key_that_stands_twice_in_the_configuration_is_named(place: Workplace) -> None:
    words = place.command()
    path = Path(words[words.index("--configfile") + 1])
    path.write_text(path.read_text() + "seeds: {count: 1}\n")
    done = subprocess.run(words, capture_output=True, text=True, env=place.environment(), cwd=path.parent)
    assert done.returncode == 1
    assert re.search(r"config\.yaml, line \d+: the key 'seeds' appears twice", done.stdout + done.stderr)


def test_a_relative_path_is_meant_from_its_own_configuration_or_from_the_call(tmp_path: Path, stub: StubServer) -> None:
    place = small(tmp_path, stub)
    place.config["benchmarks"] = ["sums.yaml"]
    for name in ("sums.yaml", "sums.jsonl"):
        shutil.copy(tmp_path / "own" / name, place.work.parent / name)
    assert place.plan()["generate"] == 2
    (place.work.parent / "sums.yaml").unlink()
    assert place.run("--dry-run", PWD=str(tmp_path / "own")).jobs["generate"] == 2


def test_an_unknown_target_names_what_is_missing(place: Workplace) -> None:
    ran = place.run("results/n/eval-results/sums/metrics.json")
    assert ran.code == 1
    assert "results/n/eval-results/sums/metrics.json" in ran.text


def test_a_scorer_that_can_never_match_stops_the_run_before_the_broker_and_any_request(
    place: Workplace, stub: StubServer
) -> None:
    path = place.work.parent / "own.yaml"
    shipped = yaml.safe_load((place.project / "config" / "scorers" / "seed-compat.yaml").read_text())
    shipped["stages"][0]["pattern"] = shipped["stages"][0]["pattern"].replace(r"\\boxed", r"\boxed", 1)
    path.write_text(yaml.safe_dump(shipped))
    place.config["scorers"] = ["strict", str(path)]
    ran = place.run()
    assert ran.code == 1
    assert re.search(r"own\.yaml:\d+: .*word boundary", ran.text)
    assert "Traceback" not in ran.text
    assert stub.asks == []
    assert not (place.results / "m").exists()
    assert not (place.work / "logs" / "broker.err").exists()
    assert not control.is_locked(place.work / "run")


def test_a_port_in_use_is_named(tmp_path: Path, stub: StubServer) -> None:
    server = tmp_path / "own" / "llama.yaml"
    server.parent.mkdir()
    shipped = yaml.safe_load((Path(__file__).parents[2] / "config" / "servers" / "smollm2-local.yaml").read_text())
    server.write_text(yaml.safe_dump(shipped | {"port": stub.port}))
    place = small(
        tmp_path, stub, models={"m": {"server": str(server)}}, servers={"max_restarts": 0, "lease_seconds": 6}
    )
    weights = place.work / "resources" / "models" / Path(shipped["model"]["member"]).name
    weights.parent.mkdir(parents=True)
    weights.write_bytes(b"GGUF")
    ran = place.run("--keep-going")
    assert ran.code == 1
    assert re.search(rf"port {stub.port} on 127\.0\.0\.1(?: cannot be used)?: Address already in use", ran.text)
    assert not place.processes()


@pytest.mark.skipif(not AS_ROOT, reason="needs root to mount a small file system")
def test_a_full_disk_is_named_and_loses_nothing(tmp_path: Path, stub: StubServer) -> None:
    place = small(tmp_path, stub, rows=60)
    store = place.work / "store"
    store.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24k", "none", str(store)], capture_output=True)
    if mounted.returncode:
        pytest.skip("this machine lets nobody mount a file system")
    try:
        ran = place.run()
        assert ran.code == 1
        assert re.search(r"store/.*No space left on device", ran.text)
        kept = store.with_name("kept")
        shutil.copytree(store, kept)
    finally:
        subprocess.run(["umount", str(store)], check=True)
    whole = [line for path in kept.rglob("*.jsonl") for line in path.read_bytes().splitlines() if line.endswith(b"}")]
    assert whole
    shutil.rmtree(store)
    kept.rename(store)
    asked = len(stub.samples)
    assert place.run().code == 0
    assert len(stub.samples) - asked == 120 - len(whole)


@pytest.mark.skipif(AS_ROOT and shutil.which("chattr") is None, reason="root writes into any folder")
def test_a_read_only_folder_is_named(place: Workplace) -> None:
    folder = place.work / "store"
    folder.mkdir()
    if AS_ROOT:
        if subprocess.run(["chattr", "+i", str(folder)], capture_output=True).returncode:
            pytest.skip("this file system knows no immutable folder")
    else:
        folder.chmod(0o555)
    try:
        ran = place.run()
    finally:
        subprocess.run(["chattr", "-i", str(folder)], check=True) if AS_ROOT else folder.chmod(0o755)
    assert ran.code == 1
    assert re.search(r"store.*(Operation not permitted|Permission denied)", ran.text)
    assert "Traceback" not in ran.text


def test_a_run_uses_the_configuration_it_started_with(tmp_path: Path, stub: StubServer) -> None:
    own = tmp_path / "own"
    server = server_file(own, "slow", "--token-delay", "0.2")
    place = small(tmp_path, stub, models={"m": {"server": str(server)}})
    driver = place.start()
    wait_until(lambda: (place.work / "run" / "m" / "progress").exists())
    for path in (place.work.parent / "config.yaml", own / "sums.yaml"):
        path.write_text(path.read_text().replace("temperature: 1.0", "temperature: 0.1").replace("Solve it.", "Do."))
    (place.project / "config" / "scorers" / "regex.yaml").write_text("nonsense")
    assert driver.wait(timeout=120) == 0, place.log()
    record = json.loads((place.outputs("m", "sums") / "output-rs42.jsonl").read_text().splitlines()[0])
    client = json.loads((place.work / "run" / "m" / "client.json").read_text())["benchmarks"]["sums"]
    assert record["seedbed"]["fingerprint"] == client["answer_fingerprint"]
    assert client["sampling"]["temperature"] == 1.0
    assert client["prompt"].startswith("Solve it.")
    assert "sums / m: COMPLETE" in place.log()


def test_a_job_of_another_configuration_stops_and_says_so(place: Workplace) -> None:
    assert place.run().code == 0
    words = ["--run", "run/m/client.json", "--benchmark", "sums", "--seed", "42", "--data", "resources/sums/test.jsonl"]
    words += ["--server", "results/m/server.spec.json", "--request-fingerprint", "0" * 64, "--out", str(time.time())]
    done = place.module("generate", *words)
    assert done.returncode == 1
    assert "config changed during the run" in done.stderr


def test_a_value_of_the_command_line_is_not_laid_to_the_file_alone(place: Workplace) -> None:
    ran = place.run("--config", "seeds={count: x}")
    assert ran.code == 1
    assert re.search(r"config\.yaml, --config: seeds\.count: found 'x'; expected integer", ran.text), ran.text
