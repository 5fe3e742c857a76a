"""How long to wait before the next attempt."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pettui.client.backoff import Backoff


@given(failures=st.integers(1, 10**6))
def test_a_wait_doubles_at_most_and_is_bounded(failures: int) -> None:
    bound = min(60.0, 2.0 ** min(failures - 1, 10))
    assert 0 <= Backoff(first=1.0, longest=60.0).after(failures) <= bound


def test_waits_differ_so_that_clients_do_not_come_back_all_at_once() -> None:
    backoff = Backoff()
    assert len({backoff.after(5) for _ in range(20)}) > 10


@given(asked=st.floats(allow_nan=False))
def test_what_the_service_asks_for_is_honoured_within_a_bound(asked: float) -> None:
    assert Backoff().after(1, asked) == min(max(asked, 0.0), 4600.0)
