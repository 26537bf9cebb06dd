"""How often a sample is asked again."""

import random

import pytest

from seedbed.client.job_config import Retries
from seedbed.client.outcomes import Kind
from seedbed.client.retries import FAULTS, Patience

BOUNDS = Retries(attempts=6, backoff=1.0, backoff_max=10.0)
QUEUE = 100.0


def patience() -> Patience:
    """Return fresh patience."""
    return Patience(BOUNDS, QUEUE, random.Random(1))


def waits(kind: Kind, times: int = 50) -> list[float]:
    """Return the waits until there is none, at most `times`."""
    kept, found = patience(), []
    for _ in range(times):
        wait = kept.after(kind, now=0.0)
        if wait is None:
            break
        found.append(wait)
    return found


@pytest.mark.parametrize("kind", [Kind.REJECTED, Kind.FATAL])
def test_what_the_server_refuses_is_never_asked_again(kind: Kind) -> None:
    assert waits(kind) == []


@pytest.mark.parametrize("kind", [Kind.CUT, Kind.UNREACHABLE])
def test_what_passes_is_asked_again_up_to_the_bound(kind: Kind) -> None:
    assert len(waits(kind)) == BOUNDS.attempts - 1


def test_a_bare_500_is_asked_again_a_few_times_only() -> None:
    assert len(waits(Kind.FAULT)) == FAULTS - 1 == 2


def test_an_overloaded_server_may_refuse_for_as_long_as_it_may_keep_a_request_waiting() -> None:
    kept = patience()
    found = [kept.after(Kind.BUSY, now=now) is None for now in range(0, 120, 4)]
    assert found == [now > QUEUE for now in range(0, 120, 4)]


def test_an_overloaded_server_that_answers_others_may_refuse_for_ever() -> None:
    kept = patience()
    assert all(kept.after(Kind.BUSY, now=50.0 * number, moved=number) is not None for number in range(100))
    assert kept.after(Kind.BUSY, now=5051.0, moved=99) is None


def test_without_a_bound_on_the_first_byte_refusals_have_none() -> None:
    kept = Patience(BOUNDS, None, random.Random(1))
    assert all(kept.after(Kind.BUSY, now=1e6 * number) is not None for number in range(100))


def test_refusals_do_not_use_up_the_attempts_and_other_failures_do() -> None:
    kept = patience()
    kinds = [Kind.BUSY, Kind.CUT] * BOUNDS.attempts
    found = [kept.after(kind, now=0.0) for kind in kinds]
    assert found.index(None) == 2 * BOUNDS.attempts - 1


def test_the_wait_doubles_up_to_a_bound_and_half_of_it_is_random() -> None:
    found = waits(Kind.CUT)
    for number, wait in enumerate(found):
        longest = min(10.0, 2.0**number)
        assert longest / 2 <= wait <= longest


def test_the_server_may_name_the_wait() -> None:
    wait = patience().after(Kind.BUSY, now=0.0, retry_after=30.0)
    assert wait is not None
    assert 30.0 <= wait <= 33.0


def test_a_server_that_says_at_once_is_not_asked_at_once() -> None:
    wait = patience().after(Kind.BUSY, now=0.0, retry_after=0.0)
    assert wait is not None
    assert 1.0 <= wait <= 2.0


def test_an_outage_that_was_waited_for_is_not_counted_but_not_for_ever() -> None:
    kept = patience()
    found = [kept.after(Kind.UNREACHABLE, now=0.0, outage=True) for _ in range(20)]
    assert found.index(None) == 2 * BOUNDS.attempts - 1
