"""What the client costs: CPU of whole processes on a stub server in C, ours beside others, in one run.

usage: python -m tests.bench.client [--others PYTHON] [stream] [short] [memory] [start] [llama]

PYTHON is an interpreter that has openai, httpx and litellm; without it only bare aiohttp stands beside ours.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.client.workplace import ROOT, Workplace

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Cost:
    """What a finished process has used: CPU and wall seconds, peak memory in bytes."""

    cpu: float
    wall: float
    peak: int


def run(command: Sequence[str], folder: Path, **environment: str) -> Cost:
    """Run a command to its end and return its cost; raises RuntimeError with its words if it fails."""
    with tempfile.TemporaryFile() as said:
        began = time.monotonic()
        process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.DEVNULL, stderr=said, env={**os.environ, **environment}
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            raise RuntimeError(f"{command}: {said.read().decode()[-2000:]}")
        return Cost(used.ru_utime + used.ru_stime, time.monotonic() - began, used.ru_maxrss * 1024)


@contextmanager
def stub(tokens: int, interval: int, piece: int) -> Iterator[str]:
    """Run the stub server and yield its URL; `interval` in microseconds."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    assert compiler is not None, "the stub server of the measurements needs a C compiler"
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/stub_stream"
        subprocess.run([compiler, "-O2", "-o", program, str(HERE / "stub_stream.c")], check=True)
        words = [program, str(tokens), str(interval), str(piece)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            try:
                yield f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
            finally:
                server.kill()


def ours(url: str, rows: int, concurrency: int) -> Cost:
    """Return the cost of a whole generate job: requests, streams, store, score, final file."""
    with tempfile.TemporaryDirectory() as folder:
        place = Workplace(Path(folder), rows)
        place.snapshot |= {"endpoint": url, "concurrency": concurrency, "loops": {"flag_chars": 8000}}
        place.snapshot["benchmarks"]["b"]["sampling"]["max_tokens"] = 100000
        cost = run(place.command(), place.folder, PYTHONPATH=str(ROOT / "scripts"), PYTHONSAFEPATH="1")
        assert len(place.out().read_bytes().splitlines()) == rows
        return cost


def reader(name: str, python: str, url: str, requests: int, concurrency: int) -> Cost:
    """Return the cost of another client."""
    return run([python, str(HERE / "client_readers.py"), name, url, str(requests), str(concurrency)], HERE)


def idle(name: str, python: str) -> float:
    """Return the CPU seconds of another client that is imported and asks nothing."""
    return reader(name, python, "http://127.0.0.1:9/v1", 0, 1).cpu


def stream(
    others: str | None, streams: int = 480, seconds: int = 8, rate: int = 50, rounds: int = 2
) -> dict[str, float]:
    """Return CPU microseconds a token by client, each of `streams` streams at `rate` tokens a second; medians.

    What importing costs is left out: of ours, no more than of bare aiohttp.
    """
    tokens = seconds * rate
    # What needs more than a core would read late and in lumps: fewer streams for those.
    counts = {"bare aiohttp": streams, "seedbed": streams, "httpx": 120, "openai": 60, "litellm": 12}
    found: dict[str, list[Cost]] = {}
    with stub(tokens, 1_000_000 // rate, 4) as url:
        for _ in range(rounds):
            found.setdefault("bare aiohttp", []).append(reader("bare", sys.executable, url, streams, streams))
            found.setdefault("seedbed", []).append(ours(url, streams, streams))
        for name in list(counts)[2:] if others is not None else ():
            found[name] = [reader(name, str(others), url, counts[name], counts[name])]
    before = dict.fromkeys(found, idle("bare", sys.executable))
    before |= {name: idle(name, str(others)) for name in list(found)[2:]}
    costs = {
        name: 1e6 * (statistics.median(cost.cpu for cost in each) - before[name]) / (counts[name] * tokens)
        for name, each in found.items()
    }
    print(f"\nstreams of {rate} tokens/s for {seconds} s, CPU without imports:")
    print("client            streams   µs/token   × bare   cores for 480 × 50/s   wall s   import s")
    for name, cost in costs.items():
        wall = statistics.median(each.wall for each in found[name])
        print(
            f"{name:15} {counts[name]:9} {cost:10.1f} {cost / costs['bare aiohttp']:8.2f} "
            f"{cost * 480 * 50 / 1e6:22.2f} {wall:8.1f} {before[name]:10.2f}"
        )
    return costs


def short(others: str | None, requests: int = 6000, concurrency: int = 64) -> dict[str, float]:
    """Return short requests a CPU second by client: answers of 5 tokens that come at once; of ours, the whole job."""
    found: dict[str, float] = {}
    with stub(5, 0, 4) as url:
        found["bare aiohttp"] = requests / reader("bare", sys.executable, url, requests, concurrency).cpu
        found["seedbed"] = requests / ours(url, requests, concurrency).cpu
        for name in ("httpx", "openai", "litellm") if others is not None else ():
            count = requests // 10
            used = reader(name, str(others), url, count, concurrency).cpu - idle(name, str(others))
            found[name] = count / used
    print("\nshort requests (5 tokens) a CPU second:")
    for name, rate in found.items():
        print(f"{name:15} {rate:8.0f}")
    return found


def memory(streams: int = 64, size: int = 1_000_000) -> float:
    """Return the memory over that of an idle job, as a multiple of the text that is held at once."""
    with stub(1, 0, 4) as url:
        small = ours(url, 1, 1).peak
    tokens = 200
    with stub(tokens, 20_000, size // tokens) as url:
        full = ours(url, streams, streams).peak
    ratio = (full - small) / (streams * size)
    print(f"\nmemory: {streams} answers of {size / 1e6:g} MB held at once cost {(full - small) / 1e6:.0f} MB more")
    print(f"than a job of one token ({small / 1e6:.0f} MB): {ratio:.2f} × the text")
    return ratio


def start(rounds: int = 5) -> float:
    """Return the CPU of a whole job of one sample as a multiple of that of importing aiohttp."""
    with stub(1, 0, 4) as url:
        job = statistics.median(ours(url, 1, 1).cpu for _ in range(rounds))
        bare = statistics.median(run([sys.executable, "-c", "import aiohttp"], HERE).cpu for _ in range(rounds))
    print(f"\nstart: a job of one sample {job:.3f} s CPU, `import aiohttp` {bare:.3f} s: {job / bare:.2f} ×")
    return job / bare


def llama(model: Path, rows: int = 12, tokens: int = 64, rounds: int = 3) -> float:
    """Return our tokens a second as a share of a bare aiohttp loop's, on llama.cpp with 4 slots."""
    from tests.client.llama import KEY, Llama

    with tempfile.TemporaryDirectory() as folder, Llama(model, Path(folder)) as server:
        asked = {"url": server.url, "key": KEY, "rows": rows, "tokens": tokens}
        rates: dict[str, list[float]] = {"bare aiohttp": [], "seedbed": []}
        for number in range(rounds):
            run([sys.executable, "-m", "tests.bench.client_llama", json.dumps(asked), f"{folder}/bare"], ROOT)
            rates["bare aiohttp"].append(float(Path(folder, "bare").read_text()))
            place = Workplace(Path(folder) / str(number), rows)
            place.snapshot |= {"endpoint": server.url, "api_key_env": "KEY", "served_name": "smollm2", "concurrency": 4}
            place.snapshot["benchmarks"]["b"]["sampling"] = {
                "temperature": 1.0,
                "max_tokens": tokens,
                "ignore_eos": True,
            }
            run(place.command(), place.folder, PYTHONPATH=str(ROOT / "scripts"), PYTHONSAFEPATH="1", KEY=KEY)
            records = place.records()
            begun = min(record["generation_start_time"] for record in records)
            ended = max(record["generation_end_time"] for record in records)
            rates["seedbed"].append(sum(record["num_generated_tokens"] for record in records) / (ended - begun))
    share = max(rates["seedbed"]) / max(rates["bare aiohttp"])
    print("\nllama.cpp, 4 slots, tokens/s: " + ", ".join(f"{name} {max(rate):.1f}" for name, rate in rates.items()))
    print(f"share of a bare loop {share:.3f}")
    return share


def main() -> None:
    """Run the measurements that are named, all but llama's if none is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--others", help="an interpreter with openai, httpx and litellm")
    parser.add_argument("--model", type=Path, help="GGUF file, for llama")
    parser.add_argument("what", nargs="*", help="stream, short, memory, start (all four if none is named), llama")
    arguments = parser.parse_args()
    measurements: dict[str, Callable[[], object]] = {
        "stream": partial(stream, arguments.others),
        "short": partial(short, arguments.others),
        "memory": memory,
        "start": start,
        "llama": partial(llama, arguments.model),
    }
    for what in arguments.what or ["stream", "short", "memory", "start"]:
        measurements[what]()


if __name__ == "__main__":
    main()
