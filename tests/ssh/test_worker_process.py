"""A worker as its parent knows it: whether it responds, and the messages between them."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pettui.ssh.worker_process import CHECKS, Activity, Link, Watchdog, encoded, read_activity
from tests.peers.ssh_server import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LIMIT = 30.0
STEP = LIMIT / CHECKS
ASLEEP = Activity("S", is_runnable=False, cpu=1.0)
STOPPED = Activity("T", is_runnable=False, cpu=1.0)
DISK = Activity("D", is_runnable=False, cpu=1.0)
TRACED = Activity("t", is_runnable=False, cpu=1.0)
RUNNING = Activity("R", is_runnable=True, cpu=1.0)
# Waits for a lock of another thread, such as the interpreter's.
WAITING = Activity("S", is_runnable=True, cpu=1.0)


class Watched:
    """Workers with the process ids 100, 101 … whose activity a test sets."""

    def __init__(self, *activities: Activity | None) -> None:
        self.now = 1000.0
        self.activities = dict(enumerate(activities, 100))
        self.unresponsive: list[int] = []
        self.messages = dict.fromkeys(self.activities, 1)
        self._watchdog = Watchdog(LIMIT, clock=lambda: self.now, read=self._read)

    def _read(self, process: int) -> Activity | None:
        return ASLEEP if process == os.getpid() else self.activities[process]

    def check(self, count: int = 1, seconds: float = STEP) -> None:
        """Check so often, with so much time in between."""
        for _ in range(count):
            self.now += seconds
            self.unresponsive += self._watchdog.unresponsive(self.messages)

    def send(self) -> None:
        """Have the first worker send a message."""
        self.messages[100] += 1

    def use_cpu(self, seconds: float) -> None:
        """Check until long after the limit, while each uses so much CPU between two checks."""
        for _ in range(3 * CHECKS):
            self.check()
            for process, activity in self.activities.items():
                self.activities[process] = replace(activity, cpu=activity.cpu + seconds)


@pytest.mark.parametrize("activity", [ASLEEP, STOPPED])
def test_a_worker_that_does_nothing_for_the_limit_is_unresponsive(activity: Activity) -> None:
    watched = Watched(activity)
    watched.check(CHECKS + 1)
    assert watched.unresponsive == []
    watched.check()
    assert watched.unresponsive == [100]


def test_an_endless_loop_is_unresponsive() -> None:
    watched = Watched(RUNNING)
    watched.use_cpu(STEP)
    assert watched.unresponsive[:1] == [100]


@pytest.mark.parametrize("activity", [RUNNING, WAITING])
def test_a_worker_that_hardly_gets_the_processor_is_not(activity: Activity) -> None:
    watched = Watched(activity)
    watched.use_cpu(0.01 * STEP)
    assert watched.unresponsive == []


@pytest.mark.parametrize("activity", [DISK, TRACED, None])
def test_a_worker_that_a_disk_or_a_debugger_holds_up_or_that_is_not_known_is_not(
    activity: Activity | None,
) -> None:
    watched = Watched(activity)
    watched.check(9 * CHECKS)
    assert watched.unresponsive == []


def test_time_in_which_all_processes_were_suspended_does_not_count() -> None:
    watched = Watched(ASLEEP)
    for _ in range(9):
        watched.check(2)
        watched.check(1, seconds=3600.0)
        watched.send()
    assert watched.unresponsive == []


def test_checks_in_quick_succession_count_no_more() -> None:
    watched = Watched(ASLEEP)
    watched.check(50, seconds=0.1)
    watched.check(CHECKS)
    assert watched.unresponsive == []


def test_a_worker_that_has_not_begun_to_serve_is_not_watched() -> None:
    watched = Watched(ASLEEP)
    watched.messages[100] = 0
    watched.check(9 * CHECKS)
    assert watched.unresponsive == []


def test_of_several_those_that_respond_are_not() -> None:
    watched = Watched(ASLEEP, STOPPED, ASLEEP)
    for _ in range(CHECKS + 2):
        watched.check()
        watched.send()
    assert watched.unresponsive == [101, 102]


@contextmanager
def running(program: str) -> Iterator[int]:
    with subprocess.Popen([sys.executable, "-c", program]) as process:
        try:
            yield process.pid
        finally:
            process.kill()


def is_so(process: int, condition: Callable[[Activity], bool]) -> bool:
    activity = read_activity(process)
    return activity is not None and condition(activity)


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_the_activity_of_a_process_can_be_read() -> None:
    with running("import signal; signal.pause()") as process:
        wait_until(lambda: is_so(process, lambda now: now.state == "S"), "a pause")
        os.kill(process, signal.SIGSTOP)
        wait_until(lambda: is_so(process, lambda now: now.state == "T"), "a stop")
        assert is_so(process, lambda now: not now.is_runnable)
    with running("while True: pass") as process:
        wait_until(lambda: is_so(process, lambda now: now.is_runnable), "a loop")
        wait_until(lambda: is_so(process, lambda now: now.cpu > 0.1), "use of the processor")
    assert read_activity(process) is None


# Messages

MANY = 20_000  # more than a socket holds


@pytest.fixture
def pair() -> Iterator[tuple[Link, socket.socket]]:
    """The parent's link, and the worker's end."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield Link(ours), theirs


def test_a_message_in_parts_arrives_once_it_is_whole(pair: tuple[Link, socket.socket]) -> None:
    link, worker = pair
    text = encoded(("ask", 1, "192.0.2.1")) + encoded(("release", 7))
    assert link.receive() == []
    worker.sendall(text[:5])
    assert link.receive() == []
    worker.sendall(text[5:])
    assert link.receive() == [["ask", 1, "192.0.2.1"], ["release", 7]]


def test_what_a_worker_does_not_read_waits_for_it(pair: tuple[Link, socket.socket]) -> None:
    link, worker = pair
    for number in range(MANY):
        link.send("admitted", number)
    assert link.is_behind
    received = b""
    while link.is_behind:
        received += worker.recv(65_536)
        link.flush()
    link.close()
    while more := worker.recv(65_536):
        received += more
    numbers = [json.loads(line)[1] for line in received.splitlines()]
    assert numbers == list(range(MANY))


def test_the_end_of_a_worker_comes_after_its_messages(pair: tuple[Link, socket.socket]) -> None:
    link, worker = pair
    link.send("stop")  # which it does not read
    worker.sendall(encoded(("release", 7)) + b'["rel')
    worker.close()
    assert link.receive() == [["release", 7]]
    assert link.receive() is None
    link.send("stop")
    assert not link.is_behind
