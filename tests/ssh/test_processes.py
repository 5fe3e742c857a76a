"""The parent of all workers, its workers, and the sockets that all share."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
from base64 import b64decode
from dataclasses import replace
from functools import partial
from selectors import EVENT_READ
from typing import TYPE_CHECKING, Any

import pytest

from pettui.ssh import processes
from pettui.ssh.options import SshOptions
from pettui.ssh.processes import Supervisor
from pettui.ssh.watchdog import CHECKS, INTERRUPT, WRITE_STACK, Activity, Watchdog
from pettui.ssh.worker import Hooks, Setup, until_grown
from pettui.ssh.worker_link import Link, WorkerProcess, encoded
from pettui.system.logs import LogWriter
from tests.ssh.conftest import KEY, OTHER, KeyFile, line, serve
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.ssh.conftest import PassTime, Running


# The parent waits no longer than it may, and frees what a worker leaves


WORKER = 4_194_305  # its process id, larger than any is
WHO = {"address": "192.0.2.1"}
BRIEFLY = 0.05


class Parent(Supervisor):
    """A parent with one worker, which is a socket alone."""

    def __init__(self, log: Path) -> None:
        options: Any = SshOptions(max_sessions=1, unresponsive_after=1e6)
        setup = Setup(options, Hooks(NotImplemented, repr, print), NotImplemented, log, None)
        with log.open("w") as stream:
            super().__init__(setup, ("::1", 22), [], None, LogWriter(stream))
        ours, self.worker = socket.socketpair()
        self.process = WorkerProcess(0, WORKER, Link(ours), 0.0, os.dup(ours.fileno()))
        self._processes[WORKER] = self.process
        self._selector.register(ours, EVENT_READ, partial(self._talk, self.process))
        self.log_path = log

    def ended(self) -> list[tuple[str, int, str]]:
        """Return the events that say how a session, or a wait, ended."""
        self._log.drain(10.0)
        events = map(json.loads, self.log_path.read_text().splitlines())
        return [
            (one["event"], one["session"], one["reason"])
            for one in events
            if one["event"] in ("end", "left")
        ]


@pytest.fixture
def parent(tmp_path: Path) -> Iterator[Parent]:
    """A parent whose worker has a session, and a client that waits."""
    parent = Parent(tmp_path / "log")
    for number in (1, 2):
        parent.worker.sendall(encoded(("ask", number, WHO)))
    parent._turn()
    yield parent
    parent.worker.close()
    parent.process.link.close()
    parent._close_descriptors()


@pytest.fixture
def killed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Who was sent which signal, after a short time to stop."""
    monkeypatch.setattr(processes, "STOP_SECONDS", BRIEFLY)
    killed: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "kill", lambda *sent: killed.append(sent))
    return killed


@pytest.fixture
def waits(parent: Parent, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """For how long the parent was ready to wait, each time that it looked."""
    waits: list[float] = []
    select = parent._selector.select

    def noted(timeout: float) -> Any:
        waits.append(timeout)
        return select(min(timeout, BRIEFLY))

    monkeypatch.setattr(parent._selector, "select", noted)
    return waits


LEFT = [("end", 1, "worker ended"), ("left", 2, "worker ended")]


def test_a_worker_that_does_not_end_is_killed_at_the_deadline_and_its_sessions_with_it(
    parent: Parent,
    waits: list[float],
    killed: list[tuple[int, int]],
) -> None:
    parent._stop()
    assert max(waits) <= BRIEFLY
    assert killed == [(WORKER, signal.SIGKILL)]
    assert parent.ended() == LEFT


def test_a_child_of_a_dead_worker_that_has_its_link_holds_up_nobody(
    parent: Parent, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited = [(WORKER, signal.SIGKILL)]
    monkeypatch.setattr(os, "waitpid", lambda *_: waited.pop() if waited else (0, 0))
    parent.worker.sendall(encoded(("release", 2)))  # not read yet
    parent._reap()
    assert parent._missing == [0]
    assert parent.ended() == LEFT[:1]


def test_the_workers_are_told_of_other_keys_that_may_log_in(parent: Parent, tmp_path: Path) -> None:
    file = KeyFile(tmp_path / "keys", line(KEY))
    parent._setup = replace(parent._setup, keys=file.keys)
    parent.worker.recv(65_536)
    parent._turn()
    file.write(line(OTHER))
    parent._updates_at = parent._ticks_at = 0.0
    parent._turn()
    [kind, content] = json.loads(parent.worker.recv(65_536).splitlines()[-1])
    assert (kind, b64decode(content)) == ("keys", f"{line(OTHER)}\n".encode())


NO_MESSAGES = [
    b"x", b"5", b"[]", b"[[]]", b"{}", b"[" * 100_000, b"[" + b"9" * 5_000 + b"]", b"\xff", b"",
    b'["report"]', b'["report",1,7,[]]', b'["report",1,[[0]],[]]', b'["report","x",[],[]]',
    b'["report",1,[["a",1]],[]]', b'["report",1,[[0,"x"]],[]]', b'["report",1,[[99999,1]],[]]',
    b'["report",1,[[0,99999999999]],[]]', b'["report",99999999999,[],[]]',
    b'["ask",1]', b'["ask",1,2]',
    b'["ask",1,{"address":2}]', b'["none",1]',
]  # fmt: skip


@pytest.mark.parametrize("line", NO_MESSAGES, ids=lambda line: ascii(line[:40]))
def test_whatever_a_worker_says_it_ends_at_most_the_worker(
    parent: Parent, killed: list[tuple[int, int]], line: bytes
) -> None:
    parent.worker.sendall(line + b"\n")
    while not killed:
        parent._turn()
    assert killed == [(WORKER, signal.SIGKILL)]
    assert parent.ended() == LEFT
    assert '"event":"worker malformed","worker":0' in parent.log_path.read_text()


# A worker as its parent knows it: whether it responds, and the messages between them


LIMIT = 30.0
STEP = LIMIT / CHECKS
ASLEEP = Activity("S", is_runnable=False, cpu=1.0)


class Watched:
    """A worker whose activity a test sets."""

    def __init__(self, activity: Activity | None) -> None:
        self.now = 1000.0
        self.activity = activity
        self.signals: list[int] = []
        self.messages = 1
        self._watchdog = Watchdog(LIMIT, clock=lambda: self.now, read=self._read)

    def _read(self, process: int) -> Activity | None:
        return ASLEEP if process == os.getpid() else self.activity

    def check(self, count: int = 1, seconds: float = STEP) -> None:
        for _ in range(count):
            self.now += seconds
            self.signals += self._watchdog.due({100: self.messages}).values()


def test_what_runs_is_interrupted_until_it_responds_or_is_replaced() -> None:
    watched = Watched(ASLEEP)
    watched.check(3 + CHECKS // 3)
    watched.messages += 1
    watched.check(2 + CHECKS)
    assert watched.signals == [INTERRUPT] * (4 + CHECKS - CHECKS // 3) + [WRITE_STACK]


@pytest.mark.parametrize(
    ("state", "is_runnable", "share", "is_unresponsive"),
    [
        ("T", False, 0.0, True),
        ("R", True, 1.0, True),
        ("R", True, 0.01, False),
        ("S", True, 0.01, False),
        ("D", False, 0.0, False),
        ("t", False, 0.0, False),
        ("", False, 0.0, False),
    ],
    ids=[
        "stopped",
        "endless loop",
        "busy machine",
        "lock of a thread",
        "disk",
        "debugger",
        "activity that is not known",
    ],
)
def test_a_worker_is_unresponsive_unless_something_else_holds_it_up(
    state: str, is_runnable: bool, share: float, is_unresponsive: bool
) -> None:
    watched = Watched(None)
    for number in range(9 * CHECKS):
        now = Activity(state, is_runnable=is_runnable, cpu=number * share * STEP)
        watched.activity = now if state else None
        watched.check()
    assert (WRITE_STACK in watched.signals) is is_unresponsive


def test_time_in_which_all_processes_were_suspended_does_not_count() -> None:
    watched = Watched(ASLEEP)
    for _ in range(9):
        watched.check(2)
        watched.check(1, seconds=3600.0)
        watched.messages += 1
    assert watched.signals == []


# Messages


# The sockets that all processes share, and addresses that cannot be used


# When a worker is to be replaced


@pytest.mark.parametrize(("memory", "is_due"), [(120, False), (130, True)])
async def test_a_process_that_has_grown_is_due_when_all_users_have_left(
    pass_time: PassTime, memory: int, is_due: bool
) -> None:
    measured = [100]
    asked: list[int] = []

    def measure() -> int:
        asked.append(measured[-1])
        return measured[-1]

    async with serve(renew_after=0.1) as running:
        grown = asyncio.create_task(until_grown(running.state, measure))
        await until(lambda: asked)
        async with running.session() as screen:
            measured.append(memory)
            asked.clear()
            pass_time(60)
            await screen.move_down()
            assert asked == []
        await until(lambda: len(asked) > 1 or grown.done())
        assert grown.done() is is_due
        grown.cancel()


# Errors of the event loop are logged or reported once a minute


async def test_an_os_error_in_a_callback_is_a_bug_if_a_line_of_the_app_raised_it(
    running: Running, tmp_path: Path
) -> None:
    def read_missing() -> None:
        (tmp_path / "missing").read_text()

    def be_late() -> None:
        raise TimeoutError

    asyncio.get_running_loop().call_soon((tmp_path / "missing").read_text)
    asyncio.get_running_loop().call_soon(read_missing)
    asyncio.get_running_loop().call_soon(be_late)
    await running.wait_until(lambda: running.events("error") and len(running.bugs) > 1)
    [logged] = running.events("error")
    assert logged["reason"].endswith("missing'")
    assert [type(bug) for bug in running.bugs] == [FileNotFoundError, TimeoutError]


MANY = 20_000  # more than a socket holds


@pytest.fixture
def pair() -> Iterator[tuple[Link, socket.socket]]:
    """The parent's link, and the worker's end."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield Link(ours), theirs


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
