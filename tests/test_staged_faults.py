"""Which faults are staged, and for how long."""

from __future__ import annotations

import math

from pettui.staged_faults import Fault, StagedFaults
from tests.clock import Clock


def test_a_fault_lasts_until_it_is_ended() -> None:
    faults = StagedFaults()
    assert faults.seconds_left(Fault.SLOW) == 0
    faults.stage(Fault.SLOW)
    faults.stage(Fault.KEY_REFUSED)
    assert faults.staged == (Fault.KEY_REFUSED, Fault.SLOW)
    assert faults.seconds_left(Fault.SLOW) == math.inf
    faults.end(Fault.SLOW)
    assert faults.staged == (Fault.KEY_REFUSED,)


def test_a_fault_that_is_taken_happens_once() -> None:
    faults = StagedFaults()
    faults.stage(Fault.ADD_REFUSED)
    assert faults.take(Fault.ADD_REFUSED)
    assert not faults.take(Fault.ADD_REFUSED)


def test_the_service_is_away_for_20_seconds_from_the_last_staging() -> None:
    clock = Clock()
    faults = StagedFaults(clock)
    faults.stage(Fault.AWAY)
    clock.now = 15.0
    assert faults.seconds_left(Fault.AWAY) == 5.0
    faults.stage(Fault.AWAY)
    clock.now = 34.9
    assert faults.is_staged(Fault.AWAY)
    clock.now = 35.0
    assert faults.staged == ()


def test_listeners_are_called_for_each_change_until_they_unsubscribe() -> None:
    faults, seen = StagedFaults(), []
    leave = faults.subscribe(lambda: seen.append(faults.staged))
    faults.stage(Fault.SLOW)
    faults.end(Fault.SLOW)
    faults.end(Fault.SLOW)  # no change
    leave()
    faults.stage(Fault.AWAY)
    assert seen == [(Fault.SLOW,), ()]
