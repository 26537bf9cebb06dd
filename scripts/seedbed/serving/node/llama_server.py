"""llama.cpp's own HTTP server, from the prebuilt wheel xllamacpp, as a process that ends with its run."""

import argparse
import ast
import importlib.metadata
import os
import signal
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any

from seedbed.core.errors import InputError, RunError, exit_code
from seedbed.serving.broker.lease import Watch

# Set before the import of xllamacpp: spinning OpenMP threads are over ten times slower on a busy machine.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
PROMPT_CACHE_MIB = 256  # llama.cpp's own default is 8 GB


def parser() -> argparse.ArgumentParser:
    """Return the command line; the key is never on it, but in the file that SEEDBED_API_KEY_FILE names."""
    parser = argparse.ArgumentParser(prog="llama_server", description=__doc__)
    parser.add_argument("--model", required=True, type=Path, help="GGUF file")
    parser.add_argument("--alias", required=True, help="the name by which requests ask for the model")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--engine", default="xllamacpp", help="refuse to start with another version of xllamacpp")
    parser.add_argument("--context", type=int, default=8192, help="tokens, shared by the slots")
    parser.add_argument("--slots", type=int, default=4)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="any other parameter")
    return parser


def check(model: Path, engine: str, host: str, port: int) -> None:
    """Raise InputError when the engine, the model file or the port is not what this server needs."""
    name, _, wanted = engine.partition("==")
    found = importlib.metadata.version(name)
    if wanted and found != wanted:
        raise InputError(f"engine: {name} {found} is installed, the server file asks for {wanted}")
    if not model.is_file():
        raise InputError(f"model: no file {model}")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise InputError(f"port {port} on {host} cannot be used: {error.strerror}") from error


def parameters(arguments: argparse.Namespace, key: str | None) -> Any:
    """Return xllamacpp's parameters for the command line; raises InputError for one it does not have."""
    import xllamacpp

    wanted = xllamacpp.CommonParams()
    wanted.model.path, wanted.model_alias = str(arguments.model), {arguments.alias}
    wanted.hostnames, wanted.port = [arguments.host], arguments.port
    wanted.n_ctx, wanted.n_parallel = arguments.context, arguments.slots
    wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = arguments.threads
    wanted.api_keys, wanted.ui, wanted.cache_ram_mib = [key] if key else [], False, PROMPT_CACHE_MIB
    for pair in arguments.set:
        name, _, text = pair.partition("=")
        if not hasattr(wanted, name):
            raise InputError(f"flags: llama.cpp has no parameter {name!r}")
        try:
            value: object = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            value = text
        setattr(wanted, name, value)
    return wanted


def watch() -> None:
    """End this process when its lease is lost or its parent gone; a server started by hand has neither."""
    path, parent = os.environ.get("SEEDBED_LEASE"), os.getppid()
    if path is None:
        return
    seconds, probe = float(os.environ["SEEDBED_LEASE_SECONDS"]), Path(os.environ["SEEDBED_CLOCK"])
    lease = Watch(Path(path), os.environ["SEEDBED_RUN"], seconds, probe)
    while True:
        reason = "the process that started this server is gone" if os.getppid() != parent else lease.lost()
        if reason is not None:
            print(f"ending: {reason}", file=sys.stderr, flush=True)
            os._exit(1)  # at once: the library would wait for running generations, whose readers are gone
        time.sleep(1.0)


def main(argv: list[str] | None = None) -> int:
    """Serve until a signal ends the process, the lease is lost or the parent is gone; returns the exit code."""
    arguments = parser().parse_args(argv)
    threading.Thread(target=watch, daemon=True).start()
    check(arguments.model, arguments.engine, arguments.host, arguments.port)
    key_file = os.environ.get("SEEDBED_API_KEY_FILE")
    settings = parameters(arguments, Path(key_file).read_text(encoding="utf-8").strip() if key_file else None)
    import xllamacpp

    try:
        server = xllamacpp.Server(settings)
    except RuntimeError as error:
        raise RunError(f"llama.cpp could not load {arguments.model}: {error}") from error
    print(f"serving {arguments.alias} at {server.listening_address}", file=sys.stderr, flush=True)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    while True:
        signal.pause()


if __name__ == "__main__":
    sys.exit(exit_code(main))
