"""The bounds on what the client costs, on short loads; `python -m tests.bench.client` prints the whole picture."""

import shutil

import pytest

from tests.bench import client

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None and shutil.which("cc") is None, reason="no C compiler")


def test_a_streamed_token_costs_little_more_than_reading_it_with_bare_aiohttp() -> None:
    ratios: list[float] = []
    # On a machine that is busy with something else, streams are read in lumps, now by the one, now by the other.
    while not ratios or (min(ratios) > 1.3 and len(ratios) < 3):
        costs = client.stream(None, streams=240, seconds=4, rounds=1)
        ratios.append(costs["seedbed"] / costs["bare aiohttp"])
    assert min(ratios) <= 1.3


def test_a_core_makes_1500_short_requests_a_second() -> None:
    assert client.short(None, requests=3000)["seedbed"] >= 1500


def test_memory_is_at_most_one_and_a_half_times_the_text() -> None:
    assert client.memory(streams=48) <= 1.5


def test_a_job_starts_with_at_most_twice_the_cpu_of_importing_aiohttp() -> None:
    assert client.start() <= 2.0
