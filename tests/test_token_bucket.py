"""TokenBucket: what one client may use, on average and at once."""

from __future__ import annotations

import pytest

from pettui import token_bucket
from pettui.token_bucket import TokenBucket

RATE, BURST = 0.25, 0.1  # of the packets of a client over SSH


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(token_bucket, "monotonic", lambda: now[0])
    return now


def test_a_client_that_types_never_waits(clock: list[float]) -> None:
    bucket = TokenBucket(RATE, BURST)
    for _ in range(1000):
        clock[0] += 0.02
        assert bucket.use(0.002) == 0


def test_a_flood_gets_no_more_than_its_rate(clock: list[float]) -> None:
    bucket, used, began = TokenBucket(RATE, BURST), 0.0, clock[0]
    while clock[0] < began + 100:
        clock[0] += 0.01 + bucket.use(0.01)
        used += 0.01
    assert used <= 100 * RATE + BURST + 0.01


def test_what_was_used_is_forgotten_after_a_while(clock: list[float]) -> None:
    bucket = TokenBucket(RATE, BURST)
    assert bucket.use(5 * BURST) > 0
    clock[0] += 5 * BURST / RATE
    assert bucket.use(BURST / 2) == 0


def test_what_is_remembered_of_too_much_may_be_bounded(clock: list[float]) -> None:
    bucket = TokenBucket(RATE, BURST, debt=BURST)
    assert bucket.use(100 * BURST) == BURST / RATE
    assert bucket.left == -BURST


def test_skipped_time_adds_nothing(clock: list[float]) -> None:
    bucket = TokenBucket(RATE, BURST)
    bucket.use(BURST)
    clock[0] += 100
    bucket.skip_time()
    assert bucket.left == 0
    clock[0] += BURST / RATE / 2
    assert bucket.left == pytest.approx(BURST / 2)
