"""The broker with local processes: servers live while seeds want them, and none is left behind."""

import os
import signal
import socket
import time
from pathlib import Path

import pytest
import yaml

from seedbed.serving.node.readiness import not_ready
from tests.serving.workplace import ROOT, Workplace, stub_server


def key_of(place: Workplace, endpoint: dict[str, str]) -> str:
    """Return the key that guards an endpoint."""
    return (place.folder / endpoint["api_key_file"]).read_text()


def test_a_server_starts_when_it_is_wanted_and_ends_when_it_is_not(place: Workplace) -> None:
    place.start({"m": stub_server()})
    time.sleep(0.5)
    assert place.note("m", "attempt-1.json") is None
    endpoint = place.endpoint("m")
    assert endpoint["generation"] == 1
    assert endpoint["served_name"] == "m"
    assert not_ready(endpoint["url"], "m", key_of(place, endpoint)) is None
    place.leave("m")
    place.until(lambda: place.note("m", "endpoint.json") is None, "endpoint retracted", 5)
    place.until(lambda: "is gone" in place.log(), "server ended", 10)
    assert place.endpoint("m")["generation"] == 2
    place.stop()
    assert place.family() == []
    record = place.note("m", "server_usage.json")
    assert record is not None
    assert [start["reason"] for start in record["starts"]] == ["stopped", "stopped"]
    assert 0.5 < record["server_idle_seconds"] < 6


def test_the_key_guards_the_endpoint_and_stands_on_no_command_line(place: Workplace) -> None:
    place.start({"m": stub_server()})
    endpoint = place.endpoint("m")
    key = key_of(place, endpoint)
    assert (place.folder / endpoint["api_key_file"]).stat().st_mode & 0o777 == 0o600
    assert "401" in str(not_ready(endpoint["url"], "m", "wrong"))
    for pid in place.family():
        assert key not in Path(f"/proc/{pid}/cmdline").read_text()
    for log in place.folder.glob("logs/**/*.log"):
        assert key not in log.read_text()


def test_the_server_ends_at_once_when_every_output_is_written(place: Workplace) -> None:
    place.start({"m": {"server": stub_server(), "outputs": ["a.jsonl", "b.jsonl"]}}, idle_seconds=60.0)
    (place.folder / "a.jsonl").touch()
    place.endpoint("m")
    place.leave("m")
    time.sleep(1)
    assert place.note("m", "endpoint.json") is not None
    (place.folder / "b.jsonl").touch()
    place.until(lambda: "its last seed is done" in place.log(), "stop", 5)


def test_seeds_share_the_concurrency(place: Workplace) -> None:
    place.start({"m": {"server": stub_server(), "concurrency": 512}})
    place.endpoint("m")
    place.want("m", "a", "b", "c")
    place.until(lambda: (place.note("m", "share.json") or {}).get("streams") == 512 // 3, "share of three", 5)


def test_one_server_at_a_time_in_the_order_of_the_plan(place: Workplace) -> None:
    place.start({"first": stub_server(), "second": stub_server()}, max_servers=1)
    place.want("first")
    place.want("second")
    place.until(lambda: place.note("first", "endpoint.json"), "first", 15, ["first", "second"])
    assert place.note("second", "attempt-1.json") is None
    status = place.note("second", "status.json")
    assert status is not None
    assert status["line"] == "server second: WAITING (for another server to end), 1 seed waiting 0 min"
    place.leave("first")
    place.until(lambda: place.note("second", "endpoint.json"), "second", 15, ["second"])
    assert place.log().count(": start 1 as") == 2


def test_a_server_that_dies_is_started_again_and_then_given_up_with_its_own_last_lines(place: Workplace) -> None:
    place.start({"m": stub_server("--die-after", "0.3")}, max_restarts=3)
    place.until(lambda: place.failed("m"), "given up", 30, ["m"])
    assert "worker fell over" in place.failed("m")
    assert "role stub ended (exit code 9)" in place.failed("m")
    assert place.log().count("1 seed(s) want it") == 2  # the same reason twice: more starts would say it again
    assert place.note("m", "endpoint.json") is None


def test_a_server_that_crashes_at_load_says_why(place: Workplace) -> None:
    place.start({"m": stub_server("--die-at-load", "3")}, max_restarts=3)
    place.until(lambda: place.failed("m"), "given up", 30, ["m"])
    assert "cannot allocate 96 GB for the weights" in place.failed("m")
    assert "two starts in a row ended" in place.failed("m")
    assert place.log().count("1 seed(s) want it") == 2


@pytest.mark.parametrize(
    ("words", "said"), [(("--load", "-1"), "refused"), (("--load", "99"), "503"), (("--lists", "x"), "lists x")]
)
def test_a_server_that_is_never_ready_is_given_up(place: Workplace, words: tuple[str, ...], said: str) -> None:
    server = stub_server(*words) | {"readiness": {"timeout": 1.5}}
    place.start({"m": server}, max_restarts=0)
    place.until(lambda: place.failed("m"), "given up", 30, ["m"])
    assert "not ready after 1.5 s" in place.failed("m")
    assert said in place.failed("m")


def test_a_port_in_use_is_an_error_that_no_restart_mends(place: Workplace) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        place.start({"m": stub_server(port=port)})
        place.until(lambda: place.failed("m"), "given up", 30, ["m"])
    assert f"port {port} on 127.0.0.1: Address already in use" in place.failed("m")
    assert place.log().count("want it") == 1


def test_an_environment_variable_reaches_its_own_role_alone_and_secrets_go_by_name(place: Workplace) -> None:
    place.environment["HUB_TOKEN"] = "not-for-all"
    server = stub_server(frontend=True, environment={"STUB_WORD": "a word of its own"})
    other = ["{python}", "-c", "import os, time; print('other', os.environ.get('STUB_WORD')); time.sleep(60)"]
    server["roles"].append({"name": "other", "command": other, "secrets": ["HUB_TOKEN"]})
    place.start({"m": server})
    place.endpoint("m")
    seen = Path(f"/proc/{place.process('stub_model')}/environ").read_text()
    assert "STUB_WORD=a word of its own" in seen
    assert "HUB_TOKEN" not in seen
    seen = Path(f"/proc/{place.process('import os, time')}/environ").read_text()
    assert "STUB_WORD" not in seen
    assert "HUB_TOKEN=not-for-all" in seen
    assert (place.folder / "logs/server/m-1-stub.log").read_text().count("a word of its own") == 1


def test_a_secret_that_is_not_set_is_named(place: Workplace) -> None:
    place.start({"m": stub_server(secrets=["NO_SUCH_TOKEN"])})
    place.until(lambda: place.failed("m"), "given up", 30, ["m"])
    assert "role stub: secret NO_SUCH_TOKEN is not set" in place.failed("m")


def test_secrets_that_a_role_prints_are_struck_out_of_what_the_broker_tells(place: Workplace) -> None:
    place.environment["HUB_TOKEN"] = "not-for-any-log"
    command = ["sh", "-c", 'echo "token $HUB_TOKEN, key $(cat $SEEDBED_API_KEY_FILE)"; exit 3']
    role = {"name": "stub", "command": command, "secrets": ["HUB_TOKEN"]}
    place.start({"m": {"kind": "roles", "roles": [role]}}, max_restarts=0)
    place.until(lambda: place.failed("m"), "given up", 30, ["m"])
    assert "token ***, key ***" in place.failed("m")
    for told in (place.folder / "logs/broker.log", place.folder / "run/m/server_usage.json"):
        assert "not-for-any-log" not in told.read_text()


def test_logs_that_cannot_be_written_end_no_server(place: Workplace) -> None:
    (place.folder / "logs").mkdir()
    (place.folder / "logs/broker.log").symlink_to("/dev/full")
    for name in ("share.json", "server_usage.json"):
        (place.folder / "run/m" / name / "x").mkdir(parents=True)
    place.start({"m": stub_server()})
    assert place.endpoint("m")["generation"] == 1
    place.stop()
    assert place.family() == []


def test_the_death_of_any_role_ends_the_server(place: Workplace) -> None:
    server = stub_server(frontend=True)
    server["roles"].append({"name": "worker", "command": ["{python}", "-c", "import time; time.sleep(999)"]})
    place.start({"m": server}, max_restarts=0)
    place.endpoint("m")
    place.kill(place.process("time.sleep(999)"))
    place.until(lambda: place.failed("m"), "given up", 30, ["m"])
    assert "role worker ended (killed by SIGKILL)" in place.failed("m")
    place.stop()
    assert place.family() == []


@pytest.mark.parametrize(
    ("killed", "within"), [(["driver"], 3), (["broker"], 3), (["driver", "broker"], 3), (["supervisor"], 3)]
)
def test_no_process_is_left_when_any_of_them_is_killed(place: Workplace, killed: list[str], within: float) -> None:
    driver = place.start({"m": stub_server()}, max_restarts=0)
    place.endpoint("m")
    pids = {"driver": driver.pid, "broker": place.process("serving.broker.broker")}
    pids["supervisor"] = place.process("serving.node.supervisor")
    stub = place.process("stub_model")
    at = place.kill(*(pids[name] for name in killed))
    place.until(lambda: stub not in place.family(), "the server's end", within + 1)
    assert time.monotonic() - at < within
    if "driver" in killed:
        place.until(lambda: place.family() == [], "everybody's end", 10)


def test_a_server_whose_supervisor_and_all_above_are_killed_ends_with_them(place: Workplace, real_model: Path) -> None:
    driver, _ = place.start({"m": real_server(place, real_model)}), place.endpoint("m")
    llama = place.process("llama_server")
    above = [driver.pid, place.process("serving.broker.broker"), place.process("serving.node.supervisor")]
    place.kill(*above)
    place.until(lambda: llama not in place.family(), "the server's end", 4)


def test_a_stopped_broker_loses_its_servers_to_the_lease(place: Workplace) -> None:
    place.start({"m": stub_server()}, lease_seconds=3.0)
    place.endpoint("m")
    broker, stub = place.process("serving.broker.broker"), place.process("stub_model")
    place.kill(broker, number=signal.SIGSTOP)
    try:
        place.until(lambda: stub not in place.family(), "the server's end", 10)
    finally:
        place.kill(broker, number=signal.SIGCONT)
    assert "driver and broker are gone" in (place.folder / "logs/server/m-1.log").read_text()


def test_a_second_driver_is_refused_and_the_first_goes_on(place: Workplace) -> None:
    first = place.start({"m": stub_server()})
    place.endpoint("m")
    second = place.spawn()
    _, err = second.communicate(timeout=20)
    assert second.returncode == 2
    assert f"another run holds this folder (process {first.pid} on " in err
    assert "snakemake --unlock" in err
    assert place.note("m", "endpoint.json") is not None


def test_the_next_driver_takes_over_from_a_killed_one(place: Workplace) -> None:
    driver = place.start({"m": stub_server()})
    place.endpoint("m")
    driver.kill()
    place.start({"m": stub_server()})
    driver.communicate()
    assert place.note("m", "endpoint.json") is None
    assert place.endpoint("m")["generation"] == 1


def test_ctrl_c_reaches_the_driver_alone(place: Workplace) -> None:
    driver = place.start({"m": stub_server()})
    place.endpoint("m")
    broker = place.process("serving.broker.broker")
    assert os.getsid(broker) != os.getsid(driver.pid)
    driver.send_signal(signal.SIGINT)
    driver.communicate(timeout=30)
    assert place.family() == []
    assert "the driver says stop" in place.log()


def test_marks_of_an_earlier_run_are_removed(place: Workplace) -> None:
    place.want("m", "old")
    for name in ("endpoint.json", "failed"):
        (place.folder / "run" / "m" / name).write_text("{}")
    place.start({"m": stub_server()})
    assert place.note("m", "endpoint.json") is None
    assert place.failed("m") == ""
    time.sleep(0.5)
    assert place.note("m", "attempt-1.json") is None


def real_server(place: Workplace, model: Path) -> dict[str, object]:
    """Return the shipped server with its model linked into the working directory."""
    (place.folder / "resources/models").mkdir(parents=True)
    (place.folder / "resources/models" / model.name).symlink_to(model)
    definition: dict[str, object] = yaml.safe_load((ROOT / "config/servers/smollm2-local.yaml").read_text())
    return definition


def test_a_real_model_answers_and_leaves_nothing(place: Workplace, real_model: Path) -> None:
    place.start({"smollm2": real_server(place, real_model)})
    endpoint = place.endpoint("smollm2", 60)
    assert not_ready(endpoint["url"], "smollm2", key_of(place, endpoint)) is None
    assert "401" in str(not_ready(endpoint["url"], "smollm2", None))
    environ = Path(f"/proc/{place.process('llama_server')}/environ").read_text()
    assert "SEEDBED_API_KEY_FILE" in environ
    place.stop()
    assert place.family() == []


def test_a_model_file_that_is_none_is_told_at_once(place: Workplace, tmp_path: Path) -> None:
    bad = tmp_path / "SmolLM2-135M-Instruct.Q4_1.gguf"
    bad.write_bytes(b"GGUF no more")
    place.start({"m": real_server(place, bad)}, max_restarts=0)
    place.until(lambda: place.failed("m"), "given up", 30, ["m"])
    assert "llama.cpp could not load" in place.failed("m")


def test_another_version_of_the_engine_is_refused(place: Workplace, real_model: Path) -> None:
    place.start({"m": {**real_server(place, real_model), "engine": "xllamacpp==1.0"}}, max_restarts=0)
    place.until(lambda: place.failed("m"), "given up", 30, ["m"])
    assert "the server file asks for 1.0" in place.failed("m")


def test_sigterm_to_the_broker_ends_its_servers(place: Workplace) -> None:
    place.start({"m": stub_server()})
    place.endpoint("m")
    place.kill(place.process("serving.broker.broker"), number=signal.SIGTERM)
    place.until(lambda: place.family() == [], "everybody's end", 10)


def test_a_broken_plan_stops_the_driver_before_any_job(place: Workplace) -> None:
    (place.folder / "plan.json").write_text('{"servers": {"m": {}}}')
    process = place.spawn()
    _, err = process.communicate(timeout=20)
    assert process.returncode == 2
    assert "not a plan of servers: KeyError 'server'" in err
