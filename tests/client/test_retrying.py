"""How long to wait before the next attempt."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pettui.client import Backoff, Pace, granted


@given(failures=st.integers(1, 10**6))
def test_a_wait_doubles_at_most_and_is_bounded(failures: int) -> None:
    bound = min(60.0, 2.0 ** min(failures - 1, 10))
    assert 0 <= Backoff(first=1.0, longest=60.0).after(failures) <= bound


@given(asked=st.floats(allow_nan=False))
def test_what_the_service_asks_for_is_honoured_within_a_bound(asked: float) -> None:
    assert granted(asked) == min(max(asked, 0.0), 4600.0)
    assert granted(asked) <= Backoff().at_least(1, asked) <= max(granted(asked), 1.0)


@given(failures=st.integers(1, 10**6))
def test_after_429s_a_wait_doubles_and_is_not_shorter(failures: int) -> None:
    least = min(60.0, 2.0 ** min(failures - 1, 10))
    assert least <= Backoff(first=1.0, longest=60.0).after_too_many(failures) <= least * 1.1


def test_after_429s_what_is_asked_for_counts_and_no_wait_at_all_is_none() -> None:
    backoff = Backoff()
    assert backoff.after_too_many(7, 1.0) == 1.0
    assert backoff.after_too_many(1, 1e9) == 4600.0
    assert max(backoff.after_too_many(7, 0.0) for _ in range(50)) > 1.0


def passing(every: float, requests: int) -> tuple[float, int]:
    """Return the seconds that so many requests take at a limit, and how many met a 429."""
    pace, now, passed_at, refused = Pace(), 0.0, -every, 0
    for _ in range(requests):
        while now < passed_at + every:
            refused += 1
            pace.too_fast(1.0)
            now += max(1.0, pace.seconds)
        passed_at = now
        pace.passed()
        now += max(pace.seconds, 0.001)  # a request takes a moment
    return now, refused


@given(every=st.floats(0.01, 2.0))
def test_a_pace_comes_near_the_limit_of_requests_and_costs_few_refusals(every: float) -> None:
    seconds, refused = passing(every, 500)
    assert seconds <= 500 * every * 1.6 + 20
    assert refused <= 25


def test_a_pace_ends_after_requests_that_pass_and_others_go_at_once_again() -> None:
    pace = Pace()
    pace.too_fast(1.0)
    for _ in range(40):
        pace.passed()
    assert pace.seconds == 0.0
    pace.too_fast(0.0)
    assert pace.seconds > 0
    pace.passed()
    assert pace.seconds == 0.0
