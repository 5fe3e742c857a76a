"""Load: keys per second and the 99th percentile of the last minute, as workers report them."""

from __future__ import annotations

import json

import pytest

from pettui.ssh.load import Load, LoadHistory, LoadSummary, summary
from tests.clock import Clock


class Worker:
    """A worker's counters, and what its parent knows of them."""

    def __init__(self, clock: Clock) -> None:
        self.load = Load(clock)
        self.history = LoadHistory(clock)

    def report(self) -> LoadSummary:
        """Report, as JSON, and return the summary of this worker alone."""
        self.history.add(*json.loads(json.dumps(self.load.take())))
        return summary([self.history])


@pytest.fixture
def clock() -> Clock:
    return Clock(1_000.0)


@pytest.fixture
def workers(clock: Clock) -> tuple[Worker, Worker]:
    return Worker(clock), Worker(clock)


def test_keys_per_second_are_counted(workers: tuple[Worker, Worker], clock: Clock) -> None:
    first, other = workers
    for _ in range(30):
        first.load.typed(2)
        first.report()
        clock.now += 1
    assert first.report().keys_per_second == 2
    assert other.report().keys_per_second == 0
    assert summary([first.history, other.history]).keys_per_second == 2


def test_what_is_older_than_a_minute_does_not_count(
    workers: tuple[Worker, Worker], clock: Clock
) -> None:
    first, _ = workers
    first.load.typed(500)
    first.load.drew(3.0)
    first.report()
    clock.now += 45
    first.load.drew(0.01)
    assert first.report().p99 == pytest.approx(3.0, rel=0.1)
    clock.now += 20
    assert first.report().keys_per_second == 0
    assert first.report().p99 == pytest.approx(0.01, rel=0.1)
    clock.now += 3_600
    assert first.report().p99 is None


@pytest.mark.parametrize(
    ("seconds", "p99"),
    [(0.0, 0.0001), *((each, each) for each in (0.0003, 0.004, 0.05, 1.0, 30.0)), (1e9, 104)],
)
def test_times_are_accurate_to_a_tenth_up_to_the_outer_bins(
    workers: tuple[Worker, Worker], seconds: float, p99: float
) -> None:
    workers[0].load.drew(seconds)
    assert workers[0].report().p99 == pytest.approx(p99, rel=0.1)


def test_the_99th_percentile_is_of_all_processes(workers: tuple[Worker, Worker]) -> None:
    for worker, slowest in zip(workers, (0.1, 60.0), strict=True):
        for _ in range(49):
            worker.load.drew(0.005)
        worker.load.drew(slowest)
        worker.report()
    assert summary([worker.history for worker in workers]).p99 == pytest.approx(0.1, rel=0.1)


def test_what_was_reported_is_not_reported_again(workers: tuple[Worker, Worker]) -> None:
    load = workers[0].load
    load.typed(9)
    load.drew(1.0)
    assert not load.is_empty
    load.take()
    assert load.is_empty
    assert load.take() == (0, [])


def test_only_a_sample_of_keys_is_timed(workers: tuple[Worker, Worker], clock: Clock) -> None:
    wanted = 0
    for _ in range(1_000):
        wanted += workers[0].load.wants_sample()
        clock.now += 0.001
    assert wanted == pytest.approx(20, abs=1)
