"""Health: what a worker said is told while it is fresh, and nobody waits for one that hangs."""

from __future__ import annotations

import json
import math
import socket
from typing import TYPE_CHECKING

import pytest
from prometheus_client.parser import text_string_to_metric_families

from pettui.build import build
from pettui.ssh.apps.app_factory import Watched
from pettui.ssh.health import DRAINS, FRESH, LONGEST, PATIENCE, Health
from pettui.ssh.load import Load, Report
from pettui.ssh.metrics import Metrics
from pettui.ssh.worker_link import Link, WorkerProcess
from tests.clock import Clock

if TYPE_CHECKING:
    from collections.abc import Iterator

WATCHED = Watched({"state": ("full", "locked")}, {"animals_waiting": "Animals that wait."})
STATUS = dict.fromkeys(
    ("sessions", "max_sessions", "queue", "max_queue", "clients", "workers"), 1
)  # fmt: skip


class Worker:
    """A worker that serves: a socket alone."""

    def __init__(self, ours: socket.socket, theirs: socket.socket) -> None:
        self.end = theirs
        self.processes = [WorkerProcess(0, 4_194_305, Link(ours), 0.0, messages=1)]

    @property
    def is_asked(self) -> bool:
        """Whether it was asked to look since the last time."""
        self.end.setblocking(False)
        try:
            return self.end.recv(1000) == b'["look"]\n'
        except BlockingIOError:
            return False


@pytest.fixture
def worker() -> Iterator[Worker]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield Worker(ours, theirs)


@pytest.fixture
def clock() -> Clock:
    return Clock(100.0)


@pytest.fixture
def health(clock: Clock) -> Health:
    return Health(WATCHED, clock)


def body(health: Health, obstacle: str = "") -> dict[str, str | None]:
    return json.loads(health.response(obstacle)[1])


def test_who_asks_waits_for_a_look_and_the_next_ones_share_it(
    health: Health, worker: Worker, clock: Clock
) -> None:
    assert not health.is_known(worker.processes)
    assert not health.is_known(worker.processes)
    assert worker.is_asked
    health.told({"state": "full"}, {"animals_waiting": 3})
    assert health.is_known(worker.processes)
    assert body(health) == {"status": "ok", "state": "full"}
    assert health.number("animals_waiting") == 3
    clock.now += FRESH
    assert health.is_known(worker.processes)
    clock.now += 0.1
    assert not health.is_known(worker.processes)
    assert worker.is_asked


def test_a_worker_that_hangs_holds_up_nobody_for_long(
    health: Health, worker: Worker, clock: Clock
) -> None:
    assert not health.is_known(worker.processes)
    clock.now += PATIENCE
    assert health.is_known(worker.processes)
    assert body(health) == {"status": "ok", "state": None}
    assert math.isnan(health.number("animals_waiting"))


def test_what_was_said_too_long_ago_is_not_told(health: Health, clock: Clock) -> None:
    health.told({"state": "ok"}, {})
    clock.now += LONGEST
    assert body(health)["state"] == "ok"
    clock.now += 0.1
    assert body(health)["state"] is None


def test_a_server_that_drains_is_503_and_one_whose_state_is_away_is_not(health: Health) -> None:
    health.told({"state": "locked"}, {})
    assert health.response("")[0] == "200 OK"
    assert health.response(DRAINS)[0] == "503 Service Unavailable"
    assert body(health, DRAINS) == {"status": "draining", "state": "locked"}


def metrics_of(health: Health, worker: Worker, obstacle: str = "") -> Metrics:
    return Metrics(lambda: STATUS, health, lambda: obstacle, lambda: worker.processes)


def values(metrics: Metrics) -> dict[tuple[str, ...], float]:
    text = metrics.respond(b"GET /metrics HTTP/1.1\r\n\r\n").partition(b"\r\n\r\n")[2].decode()
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_all_series_are_there_from_the_start(health: Health, worker: Worker) -> None:
    found = values(metrics_of(health, worker))
    for reason in ("unknown key", "no key"):
        assert found["pettui_ssh_refused_logins_total", reason] == 0
    assert found["pettui_ssh_worker_ends_total",] == 0
    assert found["pettui_ssh_log_lines_dropped_total",] == 0
    assert found["pettui_ssh_healthy",] == 1
    assert found["pettui_ssh_draining",] == 0
    assert math.isnan(found["pettui_ssh_state_up",])
    for reason in ("full", "locked", "other"):
        assert math.isnan(found["pettui_ssh_state_away", reason])
    assert math.isnan(found["pettui_ssh_animals_waiting",])
    assert ("pettui_ssh_worker_memory_bytes", "0") in found
    assert ("pettui_ssh_worker_cpu_seconds_total", "0") in found
    assert found["pettui_ssh_key_seconds_count",] == 0
    [version] = [each for each in found if each[0] == "pettui_ssh_build_info"]
    assert build() in version


def test_the_reason_of_a_part_is_one_of_those_that_were_declared(
    health: Health, worker: Worker
) -> None:
    metrics = metrics_of(health, worker)
    health.told({"state": "full"}, {"animals_waiting": 2})
    found = values(metrics)
    assert found["pettui_ssh_state_up",] == 0
    assert found["pettui_ssh_state_away", "full"] == 1
    assert found["pettui_ssh_state_away", "locked"] == 0
    assert found["pettui_ssh_animals_waiting",] == 2
    health.told({"state": "any text from outside"}, {})
    assert values(metrics)["pettui_ssh_state_away", "other"] == 1


def test_the_histogram_of_keys_is_that_of_the_workers(health: Health, worker: Worker) -> None:
    metrics, load = metrics_of(health, worker), Load()
    for seconds in (0.004, 0.004, 0.3, 100.0):
        load.drew(seconds)
    load.typed(9)
    load.refused("unknown key")
    load.dropped_lines(5)
    metrics.report(load.drain())
    load.dropped_lines(7)
    metrics.report(Report(*json.loads(json.dumps(load.drain()))))
    found = values(metrics)
    assert found["pettui_ssh_key_seconds_bucket", "0.002"] == 0
    assert found["pettui_ssh_key_seconds_bucket", "0.005"] == 2
    assert found["pettui_ssh_key_seconds_bucket", "0.5"] == 3
    assert found["pettui_ssh_key_seconds_bucket", "+Inf"] == 4
    assert found["pettui_ssh_key_seconds_sum",] == pytest.approx(100.3, rel=0.1)
    assert found["pettui_ssh_keys_total",] == 9
    assert found["pettui_ssh_refused_logins_total", "unknown key"] == 1
    assert found["pettui_ssh_log_lines_dropped_total",] == 7
