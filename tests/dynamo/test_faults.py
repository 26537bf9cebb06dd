"""What breaks between a Dynamo frontend and its workers, and that it is noticed, named and mended."""

import json
import os
import signal
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.client.workplace import Workplace as ClientPlace
from tests.dynamo.place import DynamoPlace, Server, server


def health(url: str) -> dict[str, object]:
    """Return what the frontend says of itself."""
    with urllib.request.urlopen(url.removesuffix("/v1") + "/health", timeout=10) as answer:
        found: dict[str, object] = json.load(answer)
        return found


def seconds_until_lost(place: DynamoPlace, text: str, within: float) -> float:
    """Return how long it takes until the broker's log says `text`, the model wanted meanwhile."""
    began = time.monotonic()
    place.until(lambda: text in place.log(), text, within, ["m"])
    return time.monotonic() - began


@pytest.mark.parametrize("role", ["prefill", "decode", "frontend"])
def test_the_death_of_a_role_ends_the_server_by_name_and_a_new_one_comes(place: DynamoPlace, role: str) -> None:
    place.begin(server())
    assert place.endpoint("m", 60)["generation"] == 1
    os.kill(place.role(role), signal.SIGKILL)
    assert seconds_until_lost(place, f"role {role} ended (killed by SIGKILL), its last line: ", 15) < 5
    place.until(lambda: (place.note("m", "endpoint.json") or {}).get("generation") == 2, "a new server", 60, ["m"])
    ran = json.loads((place.folder / "results/m/server_runs.json").read_text())
    assert ran["restarts"] == 1
    assert ran["attempts"][0]["reason"].startswith(f"role {role} ended")


def test_a_worker_that_hangs_is_noticed_though_no_process_ended_and_the_frontend_is_healthy(
    place: DynamoPlace,
) -> None:
    place.begin(server())
    url = place.endpoint("m", 60)["url"]
    os.kill(place.role("decode"), signal.SIGSTOP)
    place.until(lambda: "backend" not in _components(url), "the frontend to forget the worker", 30, ["m"])
    assert health(url)["status"] == "healthy"
    assert seconds_until_lost(place, "a worker was lost though no process ended: workers registered: 0 of 1", 30) < 15


def _components(url: str) -> set[object]:
    """Return the components that the frontend knows workers of."""
    instances = health(url)["instances"]
    assert isinstance(instances, list)
    return {instance["component"] for instance in instances if instance["endpoint"] == "generate"}


def test_a_healthy_frontend_is_not_published_before_its_slow_worker_is_there(place: DynamoPlace) -> None:
    def slow(roles: Mapping[str, Server]) -> None:
        roles["prefill"]["command"].append("--startup-time=6")

    place.begin(server(slow))
    note = place.until(lambda: place.note("m", "attempt-1.json"), "a server", 30, ["m"])
    began = time.monotonic()
    place.until(lambda: "frontend" in _roles(place), "a frontend", 30, ["m"])
    place.until(lambda: _listed(note["url"]) is not None, "an answer of the frontend", 30, ["m"])
    assert health(note["url"])["status"] == "healthy"
    assert place.note("m", "endpoint.json") is None
    assert place.endpoint("m", 60)["url"] == note["url"]
    assert time.monotonic() - began > 5
    assert "not ready yet: workers registered: 0 of 1 prefill" in (place.folder / "logs/server/m-1.log").read_text()


def _roles(place: DynamoPlace) -> set[str]:
    """Return the roles that have a log."""
    return {path.stem.removeprefix("m-1-") for path in (place.folder / "logs/server").glob("m-1-*.log")}


def _listed(url: str) -> list[object] | None:
    """Return the models that the frontend lists, or None while it does not answer."""
    try:
        with urllib.request.urlopen(f"{url}/models", timeout=5) as answer:
            found: list[object] = json.load(answer)["data"]
            return found
    except OSError:
        return None


def test_a_server_whose_worker_never_comes_fails_with_what_lacks(place: DynamoPlace) -> None:
    def never(roles: Mapping[str, Server]) -> None:
        roles["decode"]["command"] = ["sleep", "600"]

    definition = server(never) | {"readiness": {"timeout": 8}}
    place.begin(definition, max_restarts=0)
    place.until(lambda: place.failed("m"), "the end", 60, ["m"])
    assert "server not ready after 8 s: workers registered: 0 of 1 backend" in place.failed("m")


def client(place: DynamoPlace, folder: Path, rows: int, max_tokens: int, **snapshot: object) -> ClientPlace:
    """Return a client's place whose endpoint is the ready server of `place`."""
    found = ClientPlace(folder, rows)
    found.snapshot |= {"endpoint": place.endpoint("m", 60)["url"], "served_name": "m", "concurrency": rows, **snapshot}
    found.snapshot["retries"] = {"attempts": 8, "backoff": 0.1, "backoff_max": 1.0}
    found.snapshot["benchmarks"]["b"]["sampling"] = {"temperature": 1.0, "max_tokens": max_tokens}
    return found


def test_a_burst_of_400_streams_gets_503_and_is_answered_in_the_end(place: DynamoPlace, tmp_path: Path) -> None:
    place.begin(server(), idle_seconds=120.0)
    asking = client(place, tmp_path / "client", rows=400, max_tokens=6)
    done = asking.generate()
    assert done.returncode == 0, done.stderr
    assert {record["num_generated_tokens"] for record in asking.records()} == {6}
    refused = (place.folder / "logs/server/m-1-frontend.log").read_text().count("Status code: 503 Service Unavailable")
    assert refused > 0


def test_thinking_is_seen_and_a_misspelt_variable_stops_the_run_before_the_first_sample(
    place: DynamoPlace, tmp_path: Path
) -> None:
    def misspelt(roles: Mapping[str, Server]) -> None:
        for name in ("prefill", "decode"):
            variables = roles[name]["environment"]
            variables["SGLANG_ENABLE_THINKNG"] = variables.pop("SGLANG_ENABLE_THINKING")

    place.begin(server(), idle_seconds=120.0)
    asking = client(place, tmp_path / "thinking", rows=2, max_tokens=20, reasoning="required")
    done = asking.generate()
    assert done.returncode == 0, done.stderr
    place.stop()
    place.begin(server(misspelt), idle_seconds=120.0)
    asking = client(place, tmp_path / "not", rows=2, max_tokens=20, reasoning="required")
    done = asking.generate()
    assert done.returncode == 1
    assert "says `reasoning: required`, but its answer to a test question shows none" in done.stderr
    assert not asking.out().exists()
