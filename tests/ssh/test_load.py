"""ProcessLoad: keys per second and the 99th percentile of the last minute, in shared memory."""

from __future__ import annotations

import os

import pytest

from pettui.ssh.load import ProcessLoad, SharedLoads, summary
from tests.clock import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock(1_000.0)


@pytest.fixture
def loads(clock: Clock) -> tuple[ProcessLoad, ...]:
    processes = SharedLoads(2, clock).processes
    for load in processes:
        load.begin()
    return processes


def test_keys_per_second_are_counted(loads: tuple[ProcessLoad, ...], clock: Clock) -> None:
    for _ in range(30):
        loads[0].typed(2)
        clock.now += 1
    assert loads[0].summary().keys_per_second == 2
    assert loads[1].summary().keys_per_second == 0
    assert summary(loads).keys_per_second == 2


def test_what_is_older_than_a_minute_does_not_count(
    loads: tuple[ProcessLoad, ...], clock: Clock
) -> None:
    loads[0].typed(500)
    loads[0].drew(3.0)
    clock.now += 45
    loads[0].drew(0.01)
    assert loads[0].summary().p99 == pytest.approx(3.0, rel=0.1)
    clock.now += 20
    assert loads[0].summary().keys_per_second == 0
    assert loads[0].summary().p99 == pytest.approx(0.01, rel=0.1)
    clock.now += 3_600
    assert loads[0].summary().p99 is None


@pytest.mark.parametrize("seconds", [0.0003, 0.004, 0.05, 1.0, 30.0])
def test_times_are_accurate_to_a_tenth(loads: tuple[ProcessLoad, ...], seconds: float) -> None:
    loads[0].drew(seconds)
    assert loads[0].summary().p99 == pytest.approx(seconds, rel=0.1)


def test_the_99th_percentile_is_of_all_processes(
    loads: tuple[ProcessLoad, ...],
) -> None:
    for _ in range(49):
        loads[0].drew(0.005)
        loads[1].drew(0.005)
    loads[0].drew(0.1)
    loads[1].drew(60.0)
    assert summary(loads).p99 == pytest.approx(0.1, rel=0.1)


def test_extreme_times_are_in_the_outer_bins(loads: tuple[ProcessLoad, ...]) -> None:
    loads[0].drew(0.0)
    assert loads[0].summary().p99 == pytest.approx(0.0001, rel=0.1)
    loads[0].drew(1e9)
    assert loads[0].summary().p99 == pytest.approx(104, rel=0.1)


def test_a_new_process_starts_with_empty_counters(
    loads: tuple[ProcessLoad, ...],
) -> None:
    loads[0].typed(9)
    loads[0].drew(1.0)
    loads[0].begin()
    assert loads[0].pid == os.getpid()
    assert loads[0].summary().keys_per_second == 0
    assert loads[0].summary().p99 is None


def test_only_a_sample_of_keys_is_timed(loads: tuple[ProcessLoad, ...], clock: Clock) -> None:
    wanted = 0
    for _ in range(1_000):
        wanted += loads[0].wants_sample()
        clock.now += 0.001
    assert wanted == pytest.approx(20, abs=1)
