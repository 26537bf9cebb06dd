"""Whether all workers behind a Dynamo frontend are registered."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from seedbed.serving.node.readiness import PATIENCE, Roll, expected, lacking, missing
from seedbed.serving.spec.server_file import Role

WANTED = {"prefill": 1, "backend": 2}


class Health:
    """A frontend that is always healthy, whatever is registered."""

    def __init__(self) -> None:
        """Serve on a free port."""
        self.components: list[str] = []
        self.status = 200
        health = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                names = [{"component": name, "endpoint": "generate"} for name in health.components]
                other = [{"component": "backend", "endpoint": "clear_kv_blocks"}]
                body = json.dumps({"status": "healthy", "instances": names + other}).encode()
                self.send_response(health.status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, args=[0.02], daemon=True).start()


@pytest.fixture
def health() -> Iterator[Health]:
    """A frontend."""
    frontend = Health()
    yield frontend
    frontend.server.shutdown()
    frontend.server.server_close()


def test_as_many_are_expected_as_the_roles_count() -> None:
    found = [
        Role("frontend", ("x",), frontend=True),
        Role("prefill", ("x",), count=3, readiness={"component": "prefill"}),
        Role("decode", ("x",), nodes=2, readiness={"component": "backend"}),
    ]
    assert expected(found) == {"prefill": 3, "backend": 1}


def test_what_lacks_is_told_with_numbers() -> None:
    assert lacking({"backend": 1}, WANTED) == "workers registered: 0 of 1 prefill, 1 of 2 backend"
    assert lacking({"backend": 3, "prefill": 1}, WANTED) is None


def test_a_healthy_frontend_without_its_workers_is_not_ready(health: Health) -> None:
    assert missing(health.url, WANTED) == "workers registered: 0 of 1 prefill, 0 of 2 backend"
    health.components = ["prefill", "backend", "backend"]
    assert missing(health.url, WANTED) is None


def test_a_server_without_workers_of_its_own_is_not_asked() -> None:
    assert missing("http://127.0.0.1:1/v1", {}) is None
    assert Roll("http://127.0.0.1:1/v1", {}).call() is None


def test_a_frontend_that_does_not_answer_is_not_ready_but_has_lost_nobody(health: Health) -> None:
    health.status = 500
    assert "500" in (missing(health.url, WANTED) or "")
    assert Roll(health.url, WANTED).call() is None


def test_a_worker_that_stays_away_is_lost_after_the_patience(health: Health) -> None:
    now = [0.0]
    roll = Roll(health.url, WANTED, clock=lambda: now[0])
    health.components = ["prefill", "backend", "backend"]
    assert roll.call() is None
    health.components.pop()
    assert roll.call() is None
    now[0] += PATIENCE + 0.1
    assert roll.call() == "workers registered: 1 of 2 backend"


def test_a_worker_that_comes_back_was_never_lost(health: Health) -> None:
    now = [0.0]
    roll = Roll(health.url, WANTED, clock=lambda: now[0])
    health.components = ["backend"]
    assert roll.call() is None
    health.components = ["prefill", "backend", "backend"]
    now[0] += PATIENCE + 0.1
    assert roll.call() is None
    health.components = ["prefill", "backend"]
    assert roll.call() is None
