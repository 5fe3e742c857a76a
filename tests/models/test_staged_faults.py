"""Which faults are staged, and for how long."""

from __future__ import annotations

from pettui.models.staged_faults import Fault, StagedFaults
from tests.clock import Clock


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
