"""What servers say of their versions and of who may ask them, by each engine's own way."""

import json
import os
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from seedbed.serving.node import server_versions
from seedbed.serving.node.role import Slot
from seedbed.serving.spec.server_file import Role

DYNAMO = {"info": {"title": "NVIDIA Dynamo OpenAI Frontend", "version": "1.6.1"}}


class Front:
    """A frontend that knows some paths, and answers a completion with a given status."""

    def __init__(self) -> None:
        """Serve on a free port."""
        self.paths: dict[str, Any] = {}
        self.status = 200
        self.keys: list[str | None] = []
        front = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                front.keys.append(self.headers["Authorization"])
                self.answer(200 if self.path in front.paths else 404, front.paths.get(self.path, {}))

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                front.keys.append(self.headers["Authorization"])
                self.answer(front.status, {})

            def answer(self, status: int, told: Any) -> None:
                body = told if isinstance(told, bytes) else json.dumps(told).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, args=[0.02], daemon=True).start()


@pytest.fixture
def front() -> Iterator[Front]:
    """A frontend."""
    found = Front()
    yield found
    found.server.shutdown()
    found.server.server_close()


@pytest.mark.parametrize(
    ("path", "told", "version"),
    [
        ("/version", {"version": "0.11.0"}, "0.11.0"),
        ("/get_server_info", {"version": "0.5.4", "model_path": "/m"}, "0.5.4"),
        ("/props", {"build_info": "b6000-abc"}, "b6000-abc"),
        ("/openapi.json", DYNAMO, "NVIDIA Dynamo OpenAI Frontend 1.6.1"),
    ],
)
def test_each_engine_is_asked_in_its_own_way_with_the_key(front: Front, path: str, told: object, version: str) -> None:
    front.paths = {path: told}
    assert server_versions.of_frontend(front.url, "k") == version
    assert set(front.keys) == {"Bearer k"}


@pytest.mark.parametrize("told", [{}, [], "text", b"no json", {"info": None}])
def test_a_server_that_tells_none_or_nonsense_has_no_version(front: Front, told: object) -> None:
    front.paths = {"/version": told, "/openapi.json": told, "/props": told}
    assert server_versions.of_frontend(front.url, None) is None
    assert server_versions.of_frontend("http://127.0.0.1:1/v1", None) is None


@pytest.mark.parametrize(("status", "guarded"), [(401, True), (403, True), (200, False), (400, False), (500, False)])
def test_only_a_refusal_of_who_brings_no_key_is_a_guard(front: Front, status: int, guarded: bool) -> None:
    front.status = status
    assert server_versions.guarded(front.url) is guarded
    assert front.keys == [None]


def test_a_frontend_that_does_not_answer_guards_nothing() -> None:
    assert server_versions.guarded("http://127.0.0.1:1/v1") is False


def test_a_role_is_asked_beside_itself_and_without_a_gpu() -> None:
    role = Role("w", ("serve",), gpus=4, version=("w", "--version"))
    asked = server_versions.asking(Slot(role, 0, 0, "gb1", {}))
    assert asked is not None
    assert (asked.node, asked.role.command, asked.role.gpus) == ("gb1", ("w", "--version"), 0)
    assert server_versions.asking(Slot(Role("w", ("serve",)), 0, 0, "gb1", {})) is None


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("print('loading'); print('sglang 0.5.4  ')", "sglang 0.5.4"),
        ("import sys; print('on stderr 1.0', file=sys.stderr)", "on stderr 1.0"),
        ("import os; print(os.environ['ROLE_WORD'])", "of the role"),
        ("raise SystemExit(3)", "unknown: exit code 3"),
        ("pass", "unknown: exit code 0"),
    ],
)
def test_the_last_line_of_the_command_is_the_version_or_why_there_is_none(code: str, told: str) -> None:
    assert server_versions.told_by([sys.executable, "-c", code], {**os.environ, "ROLE_WORD": "of the role"}) == told


def test_a_command_that_is_not_there_is_told() -> None:
    assert server_versions.told_by(["no-such-engine"], {}).startswith("unknown: no-such-engine: ")
