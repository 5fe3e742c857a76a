"""A rate that may be exceeded for a while: who types never waits, and a flood does."""

from __future__ import annotations

import pytest

from pettui.ssh import token_bucket
from pettui.ssh.token_bucket import TokenBucket
from tests.clock import Clock

RATE, BURST = 0.25, 0.1  # of the packets of a client over SSH


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock(100.0)
    monkeypatch.setattr(token_bucket, "monotonic", clock)
    return clock


def test_a_client_that_types_never_waits(clock: Clock) -> None:
    bucket = TokenBucket(RATE, BURST)
    for _ in range(1000):
        clock.now += 0.02
        assert bucket.use(0.002) == 0


def test_a_flood_gets_no_more_than_its_rate(clock: Clock) -> None:
    bucket, used, began = TokenBucket(RATE, BURST), 0.0, clock.now
    while clock.now < began + 100:
        clock.now += 0.01 + bucket.use(0.01)
        used += 0.01
    assert used <= 100 * RATE + BURST + 0.01


def test_what_was_used_is_forgotten_after_a_while(clock: Clock) -> None:
    bucket = TokenBucket(RATE, BURST)
    assert bucket.use(5 * BURST) > 0
    clock.now += 5 * BURST / RATE
    assert bucket.use(BURST / 2) == 0


def test_what_is_remembered_of_too_much_may_be_bounded(clock: Clock) -> None:
    bucket = TokenBucket(RATE, BURST, debt=BURST)
    assert bucket.use(100 * BURST) == BURST / RATE
    assert bucket.available == -BURST


def test_skipped_time_adds_nothing(clock: Clock) -> None:
    bucket = TokenBucket(RATE, BURST)
    bucket.use(BURST)
    clock.now += 100
    bucket.skip_time()
    assert bucket.available == 0
    clock.now += BURST / RATE / 2
    assert bucket.available == pytest.approx(BURST / 2)
