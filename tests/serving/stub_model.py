"""A stand-in for a model server, as a process: lists a model, streams a fixed answer, and fails as it is told to."""

import argparse
import json
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


def main() -> None:
    """Serve until killed, or until the fault that the command line asks for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--lists", help="the name it lists instead of --model")
    parser.add_argument("--load", type=float, default=0.0, help="seconds until the model is listed")
    parser.add_argument("--die-at-load", type=int, help="exit with this code instead of serving")
    parser.add_argument("--die-after", type=float, help="exit with code 9 this many seconds after it is ready")
    parser.add_argument("--token-delay", type=float, default=0.0, help="seconds between two tokens of an answer")
    parser.add_argument("--answer", default="The answer is \\boxed{7}.")
    parser.add_argument("--requests", type=Path, help="append one line a completion of more than one token")
    arguments = parser.parse_args()
    print(f"stub loading, {os.environ.get('STUB_WORD', 'no word')}", flush=True)
    if arguments.die_at_load is not None:
        print("cannot allocate 96 GB for the weights", flush=True)
        os._exit(arguments.die_at_load)
    if arguments.load < 0:
        time.sleep(3600)
    ready = time.monotonic() + arguments.load
    file = os.environ.get("SEEDBED_API_KEY_FILE")
    key = Path(file).read_text().strip() if file else None
    words = [word + " " for word in arguments.answer.split(" ")]

    class Handler(BaseHTTPRequestHandler):
        """Answers /v1/models and /v1/chat/completions."""

        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def send(self, status: int, value: object) -> None:
            """Send JSON."""
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def allowed(self) -> bool:
            """Return whether the server is up and the key fits, after saying no if not."""
            if time.monotonic() < ready:
                self.send(503, {"error": {"message": "Loading model", "code": 503}})
            elif key is not None and self.headers.get("Authorization") != f"Bearer {key}":
                self.send(401, {"error": {"message": "Invalid API Key", "code": 401}})
            else:
                return True
            return False

        def do_GET(self) -> None:
            """List the model."""
            if self.allowed():
                self.send(200, {"object": "list", "data": [{"id": arguments.lists or arguments.model}]})

        def do_POST(self) -> None:
            """Answer a completion, streamed if that is asked."""
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if not self.allowed():
                return
            if body.get("max_tokens") != 1 and arguments.requests:
                with open(arguments.requests, "a") as log:
                    log.write(f"{body.get('seed')} {body['messages'][-1]['content']!r}\n")
            base = {"id": "1", "created": 1, "model": arguments.model}
            usage = {"prompt_tokens": 1, "completion_tokens": len(words), "total_tokens": len(words) + 1}
            if not body.get("stream"):
                message = {"role": "assistant", "content": "".join(words)}
                choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
                self.send(200, {**base, "object": "chat.completion", "choices": choices, "usage": usage})
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            base["object"] = "chat.completion.chunk"
            for word in words:
                time.sleep(arguments.token_delay)
                choice = {"index": 0, "delta": {"content": word}, "finish_reason": None}
                self.wfile.write(f"data: {json.dumps({**base, 'choices': [choice]})}\n\n".encode())
                self.wfile.flush()
            last: dict[str, object] = {"index": 0, "delta": {}, "finish_reason": "stop"}
            for chunk in ({**base, "choices": [last]}, {**base, "choices": [], "usage": usage}):
                self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            self.wfile.write(b"data: [DONE]\n\n")
            self.close_connection = True

    server = ThreadingHTTPServer((arguments.host, arguments.port), Handler)
    server.daemon_threads = True
    if arguments.die_after is not None:
        threading.Timer(
            arguments.load + arguments.die_after, lambda: (print("worker fell over", flush=True), os._exit(9))
        ).start()
    print(f"stub serving on {server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
