"""A stand-in for a dataset hub and a file server, on 127.0.0.1: it serves what a test gives it, and fails as told.

It answers as the hub's HTTP interface does: HEAD and GET of /datasets/OWNER/NAME/resolve/REVISION/PATH, with
X-Repo-Commit, ETag and the error codes that the hub's client reads. Any other path is a plain file.
"""

import hashlib
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType

_RESOLVE = re.compile(r"/datasets/([\w.-]+/[\w.-]+)/resolve/([^/]+)/(.+)")


@dataclass
class Asked:
    """One request: method, path, Range and token."""

    method: str
    path: str
    range: str | None
    token: str | None


@dataclass
class Hub:
    """`files` by path; `gated` sets ask for `token`; `cuts` says after how many bytes each next GET breaks off."""

    files: dict[str, bytes] = field(default_factory=dict)
    gated: set[str] = field(default_factory=set)
    token: str = "hf_stub"
    cuts: list[int] = field(default_factory=list)
    ranges: bool = True
    faults: list[int] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    url: str = ""

    def dataset(self, repository: str, revision: str, path: str, content: bytes) -> None:
        """Serve a file of a dataset at a revision."""
        self.files[f"/datasets/{repository}/resolve/{revision}/{path}"] = content

    def __enter__(self) -> "Hub":
        """Start on a free port."""
        hub = self

        class Handler(_Handler):
            """Answers for this hub."""

            served = hub

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Stop."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    served: Hub
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        """Answer without a body."""
        self._answer(body=False)

    def do_GET(self) -> None:
        """Answer with the file, or a part of it."""
        self._answer(body=True)

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""

    def _answer(self, body: bool) -> None:
        """Answer as the hub would."""
        hub = self.served
        path = self.path.split("?")[0]
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ") or None
        hub.asked.append(Asked(self.command, path, self.headers.get("Range"), token))
        if body and hub.faults:
            return self._refuse(hub.faults.pop(0), {})
        resolve = _RESOLVE.fullmatch(path)
        if resolve and resolve[1] in hub.gated and token != hub.token:
            code, message = (401, "Access is restricted") if token is None else (403, "Not in the authorized list")
            return self._refuse(code, {"X-Error-Code": "GatedRepo", "X-Error-Message": message})
        if path not in hub.files:
            return self._refuse(404, self._why(resolve))
        self._send(path, resolve, body)
        return None

    def _why(self, resolve: re.Match[str] | None) -> Mapping[str, str]:
        """Return the error code of the hub for a file that is not there."""
        if resolve is None:
            return {}
        known = [_RESOLVE.fullmatch(path) for path in self.served.files]
        if not any(match and match[1] == resolve[1] for match in known):
            return {"X-Error-Code": "RepoNotFound", "X-Error-Message": "Repository not found"}
        if not any(match and match.groups()[:2] == resolve.groups()[:2] for match in known):
            return {"X-Error-Code": "RevisionNotFound", "X-Error-Message": "Invalid rev id"}
        return {"X-Error-Code": "EntryNotFound", "X-Error-Message": "Entry not found"}

    def _send(self, path: str, resolve: re.Match[str] | None, body: bool) -> None:
        """Send a file, from where Range says, up to where it is to be cut."""
        hub, content = self.served, self.served.files[path]
        start = 0
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range") or "")
        if asked and hub.ranges:
            start = int(asked[1])
            if start >= len(content):
                return self._refuse(416, {"Content-Range": f"bytes */{len(content)}"})
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(content) - start))
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        if resolve:
            self.send_header("X-Repo-Commit", resolve[2])
            self.send_header("ETag", f'"{hashlib.sha256(content).hexdigest()}"')
        self.end_headers()
        if body:
            end = hub.cuts.pop(0) if hub.cuts else len(content)
            self.wfile.write(content[start : max(start, end)])
            if end < len(content):
                self.close_connection = True
        return None

    def _refuse(self, code: int, headers: Mapping[str, str]) -> None:
        """Send an error."""
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()
