"""How often a sample is asked again."""

import random

import pytest

from scripts.client.outcomes import Failure, Kind
from scripts.client.retries import FAULTS, Patience
from scripts.client.snapshot import Retries

BOUNDS = Retries(attempts=6, backoff=1.0, backoff_max=10.0)


def patience() -> Patience:
    """Return fresh patience."""
    return Patience(BOUNDS, random.Random(1))


def waits(kind: Kind, moving: bool = False, times: int = 50) -> list[float]:
    """Return the waits until there is none, at most `times`."""
    kept, found = patience(), []
    for number in range(times):
        wait = kept.after(Failure(kind, "x"), moved=number + 1 if moving else 0)
        if wait is None:
            break
        found.append(wait)
    return found


@pytest.mark.parametrize("kind", [Kind.REJECTED, Kind.FATAL])
def test_what_the_server_refuses_is_never_asked_again(kind: Kind) -> None:
    assert waits(kind) == []


@pytest.mark.parametrize("kind", [Kind.CUT, Kind.BUSY, Kind.UNREACHABLE])
def test_what_passes_is_asked_again_up_to_the_bound(kind: Kind) -> None:
    assert len(waits(kind)) == BOUNDS.attempts - 1


def test_a_bare_500_is_asked_again_a_few_times_only() -> None:
    assert len(waits(Kind.FAULT)) == FAULTS - 1 == 2


def test_an_overloaded_server_that_answers_others_is_not_counted() -> None:
    assert len(waits(Kind.BUSY, moving=True, times=50)) == 50
    assert len(waits(Kind.CUT, moving=True)) == BOUNDS.attempts - 1


def test_the_wait_doubles_up_to_a_bound_and_half_of_it_is_random() -> None:
    found = waits(Kind.CUT)
    for number, wait in enumerate(found):
        longest = min(10.0, 2.0**number)
        assert longest / 2 <= wait <= longest


def test_the_server_may_name_the_wait() -> None:
    wait = patience().after(Failure(Kind.BUSY, "x", retry_after=30.0), 0)
    assert wait is not None
    assert 30.0 <= wait <= 33.0


def test_an_outage_that_was_waited_for_is_not_counted_but_not_for_ever() -> None:
    kept = patience()
    found = [kept.after(Failure(Kind.UNREACHABLE, "x"), 0, outage=True) for _ in range(20)]
    assert found.index(None) == 2 * BOUNDS.attempts - 1


def test_refusals_in_a_row_are_counted_from_the_last_movement() -> None:
    kept = patience()
    moved = [0, 0, 0, 7, 7, 7, 7, 7, 7]
    found = [kept.after(Failure(Kind.BUSY, "x"), total) for total in moved]
    assert [wait is None for wait in found] == [False] * 8 + [True]
