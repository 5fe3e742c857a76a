"""The parent of all workers waits no longer than it may, and frees what a worker leaves."""

from __future__ import annotations

import json
import os
import signal
import socket
from functools import partial
from selectors import EVENT_READ
from typing import TYPE_CHECKING, Any

import pytest

from pettui.logs import LogWriter
from pettui.ssh import processes
from pettui.ssh.options import SshOptions
from pettui.ssh.processes import Supervisor
from pettui.ssh.status import this_server
from pettui.ssh.worker import Hooks, Setup
from pettui.ssh.worker_process import Link, WorkerProcess, encoded

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WORKER = 4_194_305  # its process id, larger than any is
BRIEFLY = 0.05


class Parent(Supervisor):
    """A parent with one worker, which is a socket alone."""

    def __init__(self, log: Path) -> None:
        options: Any = SshOptions(max_sessions=1, unresponsive_after=1e6)
        setup = Setup(options, Hooks(NotImplemented, repr, print), NotImplemented, log, None)
        with log.open("w") as stream:
            super().__init__(setup, this_server("::1", 22), [], None, LogWriter(stream))
        ours, self.worker = socket.socketpair()
        self.process = WorkerProcess(0, WORKER, Link(ours), 0.0)
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
        parent.worker.sendall(encoded(("ask", number, "192.0.2.1")))
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


@pytest.mark.usefixtures("killed")
def test_the_parent_waits_while_its_last_worker_ends_and_another_is_missing(
    parent: Parent, waits: list[float]
) -> None:
    parent._missing, parent._exit_code = [1], 0
    parent._stop()
    assert waits[0] > 0


def test_a_child_of_a_dead_worker_that_has_its_link_holds_up_nobody(
    parent: Parent, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited = [(WORKER, signal.SIGKILL)]
    monkeypatch.setattr(os, "waitpid", lambda *_: waited.pop() if waited else (0, 0))
    parent.worker.sendall(encoded(("release", 2)))  # not read yet
    parent._reap()
    assert parent._missing == [0]
    assert parent.ended() == LEFT[:1]
