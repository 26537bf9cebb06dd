"""Ask a model every problem of a benchmark with one seed: the complete `output-rs{seed}.jsonl`, or a clear failure."""

import argparse
import asyncio
import json
import os
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from seedbed.client.endpoint import Demand
from seedbed.client.job_config import Benchmark, Snapshot, benchmark, read
from seedbed.client.nemo_partial import take_over
from seedbed.client.output_writer import Output, StrictScorer, check_writable, write_output
from seedbed.client.requests import Request, all_requests
from seedbed.client.sample_store import Store, path_of
from seedbed.client.seed_progress import Progress
from seedbed.client.seed_run import Samples, SeedRun, build_client
from seedbed.client.transport import open_session
from seedbed.core.digests import with_server
from seedbed.core.errors import InputError, RunError, exit_code
from seedbed.records.coverage import ROUNDING
from seedbed.records.dataset import RowFile
from seedbed.serving.launch import allocation


@dataclass(frozen=True, slots=True)
class Job:
    """One seed of one benchmark on one model."""

    run: Path
    name: str
    seed: int
    out: Path
    answer_fingerprint: str
    snapshot: Snapshot
    benchmark: Benchmark
    requests: list[Request]


def generate(job: Job) -> None:
    """Make the output file of a job from the store and, for what is missing there, from the server."""
    folder = job.run.parent
    label = f"{job.name}-rs{job.seed}"
    progress = Progress(folder / "progress" / f"{label}.json", label, len(job.requests))
    scorer = StrictScorer(job.benchmark.answer_type)
    state = "failed"
    try:
        check_writable(job.out)
        with Store(path_of(job.snapshot.model, job.name, job.seed)) as store:
            for warning in [*store.warnings, *take_over(job.out, job.requests, store, job.seed)]:
                print(f"warning: {warning}", file=sys.stderr)
            pending = _restore(job, store, progress, scorer)
            failed = asyncio.run(_ask(job, pending, Samples(job.seed, store, scorer, progress))) if pending else {}
            scorer.close()
            progress.errors = len(failed)
            _judge(job, failed, store)
            progress.enter("finishing")
            output = Output(job.out, job.requests, job.seed, job.answer_fingerprint)
            progress.correct = write_output(output, store, failed, scorer)
        state = "done"
    except asyncio.CancelledError as error:
        state = "interrupted"
        raise RunError(f"interrupted; {progress.done} of {progress.total} samples are kept in the store") from error
    finally:
        scorer.close()
        progress.last(state)


def _restore(job: Job, store: Store, progress: Progress, scorer: StrictScorer) -> list[Request]:
    """Count what the store already holds and return what is still to be asked."""
    pending = []
    for request in job.requests:
        if request.key in store:
            record = store.get(request.key, request.id)
            progress.count(record, scorer.soon(record["generation"], request.row), restored=True)
        else:
            pending.append(request)
    return pending


async def _ask(job: Job, pending: list[Request], samples: Samples) -> dict[str, str]:
    """Ask for the pending samples and return the reason of each that failed for good."""
    task = asyncio.current_task()
    assert task is not None
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    snapshot, folder = job.snapshot, job.run.parent
    _keep_request(folder / "requests" / f"{job.name}-rs{job.seed}.json", job.requests[0])
    brokered = snapshot.endpoint is None
    if brokered:
        allocation.watch(folder, snapshot.lease_seconds)
    with Demand(folder, f"{job.name}-rs{job.seed}", snapshot.concurrency, snapshot.lease_seconds, brokered) as demand:
        async with open_session() as session:
            client = build_client(session, snapshot, job.benchmark, demand)
            stat = job.run.stat()
            check = partial(client.preflight.check, folder, [stat.st_mtime_ns, stat.st_ino], job.requests)
            seed_run = SeedRun(samples, client)
            await seed_run.run(check, pending)
            await client.chat.settle()
            return seed_run.failed


def _keep_request(path: Path, request: Request) -> None:
    """Keep one request of the run in clear; the records of the others hold its hash."""
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(request.body)


def _judge(job: Job, failed: dict[str, str], store: Store) -> None:
    """Raise RunError, naming the samples, if more failed for good than the config tolerates."""
    if len(failed) <= job.snapshot.errors.max_failed_fraction * len(job.requests) + ROUNDING:
        for row, reason in failed.items():
            print(f"warning: sample {row} failed for good and counts as an error: {reason}", file=sys.stderr)
        return
    reasons: dict[str, list[str]] = {}
    for row, reason in failed.items():
        reasons.setdefault(reason, []).append(row)
    failures = "; ".join(f"{', '.join(rows)}: {reason}" for reason, rows in reasons.items())
    raise RunError(
        f"{len(failed)} of {len(job.requests)} samples failed for good ({failures}); "
        f"errors.max_failed_fraction {job.snapshot.errors.max_failed_fraction:g} does not allow it; "
        f"the others are kept in {store.path}"
    )


def _job(arguments: argparse.Namespace) -> Job:
    """Return the job that the command line names; raises InputError or, for a config edited meanwhile, RunError."""
    snapshot = read(arguments.run)
    described = benchmark(snapshot, arguments.benchmark, arguments.run)
    if described.request_fingerprint != arguments.request_fingerprint:
        raise RunError(
            f"config changed during the run: {arguments.run} has fingerprint {described.request_fingerprint[:12]} for "
            f"{arguments.benchmark}, this job was made for {arguments.request_fingerprint[:12]}; start the run again"
        )
    try:
        server = json.loads(arguments.server.read_bytes())
    except OSError as error:
        raise InputError(f"{arguments.server}: {error.strerror}; expected the spec of the server") from error
    except ValueError as error:
        raise InputError(f"{arguments.server}: no JSON ({error}); expected the spec of the server") from error
    requests = all_requests(snapshot, described, RowFile(arguments.data), arguments.seed, server)
    return Job(
        arguments.run,
        arguments.benchmark,
        arguments.seed,
        arguments.out,
        with_server(arguments.request_fingerprint, server),
        snapshot,
        described,
        requests,
    )


PAUSE = 0.5  # seconds between two looks for a server


def run_beside_server(folder: Path, label: str, snapshot: Snapshot) -> int:
    """Run this command again beside the server of `folder`, run/{model}; returns its exit code.

    While there is none, a want named after `label` asks for it; raises RunError where waiting is in vain.
    """

    def find() -> allocation.Allocation:
        with Demand(folder, f"{label}-outside", snapshot.concurrency, snapshot.lease_seconds, True) as demand:
            while (found := allocation.allocation(folder)) is None:
                demand.check()
                time.sleep(PAUSE)
        return found

    return allocation.run(["-m", "seedbed", "generate", *sys.argv[1:]], find)


def run(arguments: argparse.Namespace) -> int:
    """Do the job here, or beside its server where the config places the seeds there."""
    snapshot = read(arguments.run)
    if snapshot.placement == "server" and snapshot.endpoint is None and allocation.INSIDE not in os.environ:
        return run_beside_server(arguments.run.parent, f"{arguments.benchmark}-rs{arguments.seed}", snapshot)
    generate(_job(arguments))
    return 0


def main() -> int:
    """Run the command line and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m seedbed generate", description=__doc__)
    parser.add_argument("--run", type=Path, required=True, help="snapshot of the run: run/{model}/client.json")
    parser.add_argument("--benchmark", required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--data", type=Path, required=True, help="resources/{benchmark}/test.jsonl")
    parser.add_argument("--server", type=Path, required=True, help="results/{model}/server.spec.json")
    parser.add_argument(
        "--request-fingerprint", required=True, help="of all that shapes the answers; must be the snapshot's"
    )
    parser.add_argument("--out", type=Path, required=True, help="the output-rs{seed}.jsonl to make")
    arguments = parser.parse_args()
    try:
        return exit_code(lambda: run(arguments))
    except KeyboardInterrupt:
        print("error: interrupted; what had been stored is kept", file=sys.stderr)
        return 130
