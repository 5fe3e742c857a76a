"""A service that is away is tried again, less and less often; so is one that is watched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pettui.tui.lists.refreshing import Refreshing, RefreshPace

if TYPE_CHECKING:
    from collections.abc import Callable

PACE = RefreshPace(first=2.0, longest=15.0, longest_watch=60.0)


def latest(_: float, most: float) -> float:
    return most


def earliest(least: float, _: float) -> float:
    return least


def waits(timing: Refreshing, failures: int, *, is_away: bool = True) -> list[float | None]:
    """Return the seconds after each of so many failures."""
    found = []
    for _ in range(failures):
        timing.failed(is_away=is_away)
        found.append(timing.seconds())
    return found


@pytest.mark.parametrize(
    ("every", "expected"),
    [
        (None, [2.0, 4.0, 8.0, 15.0, 15.0]),
        (10.0, [20.0, 40.0, 60.0, 60.0, 60.0]),
        (1.0, [2.0, 4.0, 8.0, 16.0, 32.0]),
        (120.0, [120.0, 120.0, 120.0, 120.0, 120.0]),
    ],
    ids=str,
)
def test_each_failure_in_a_row_waits_longer_up_to_a_bound(
    every: float | None, expected: list[float]
) -> None:
    timing = Refreshing(PACE, latest)
    timing.every = every
    assert waits(timing, 5) == expected
    assert timing.is_backing_off
    timing.succeeded()
    assert timing.seconds() == every
    assert not timing.is_backing_off
    assert waits(timing, 1) == expected[:1]


def test_thousands_of_failures_wait_no_longer_than_the_bound() -> None:
    assert waits(Refreshing(PACE, latest), 5_000)[-1] == 15.0


def test_a_permanent_failure_is_retried_only_while_the_list_is_watched() -> None:
    timing = Refreshing(PACE, latest)
    assert waits(timing, 2, is_away=False) == [None, None]
    assert not timing.is_backing_off
    timing.every = 10.0
    assert timing.seconds() == 40.0


@pytest.mark.parametrize("spread", [latest, earliest])
def test_a_service_that_asks_for_time_gets_it(spread: Callable[[float, float], float]) -> None:
    timing = Refreshing(PACE, spread)
    timing.failed(is_away=True, retry_after=30.0)
    assert timing.seconds() == 30.0
    timing.failed(is_away=True, retry_after=0.0)
    assert timing.seconds() == spread(3.2, 4.0)


def test_a_service_that_asks_for_years_is_asked_again_after_77_minutes() -> None:
    timing = Refreshing(PACE, latest)
    timing.failed(is_away=True, retry_after=999_999_999.0)
    assert timing.seconds() == 4600.0


def test_clients_do_not_all_come_back_at_the_same_moment() -> None:
    timing = Refreshing(PACE)
    timing.failed(is_away=True)
    found = {timing.seconds() for _ in range(50)}
    assert len(found) > 1
    assert all(seconds is not None and 1.6 <= seconds <= 2.0 for seconds in found)
