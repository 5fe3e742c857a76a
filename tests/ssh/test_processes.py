"""The parent of all workers, its workers, and the sockets that all share."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import signal
import socket
import subprocess
import sys
from base64 import b64decode
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from selectors import EVENT_READ
from typing import TYPE_CHECKING, Any

import asyncssh
import pytest

from pettui.ssh import listening_sockets, processes
from pettui.ssh.connection import connection_options
from pettui.ssh.options import SshOptions, SshSetupError
from pettui.ssh.processes import Supervisor
from pettui.ssh.watchdog import CHECKS, Activity, Step, Watchdog, parsed_stack, read_activity
from pettui.ssh.worker import Hooks, Setup, accepted, until_grown
from pettui.ssh.worker_link import Link, WorkerProcess, encoded
from pettui.system.logs import LogWriter
from tests.peers.ssh_server import wait_until
from tests.ssh.conftest import KEY, OTHER, KeyFile, line, serve
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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


def test_a_line_without_end_of_a_worker_is_not_kept_for_ever(
    parent: Parent, killed: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pettui.ssh.worker_link.MESSAGE_MAXIMUM", 100)
    parent.worker.sendall(b"x" * 101)
    parent._turn()
    assert killed == [(WORKER, signal.SIGKILL)]


def test_a_process_may_have_any_name() -> None:
    program = "import sys; open('/proc/self/comm', 'wb').write(b'\\xff) R'); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE) as named:
        comm = Path(f"/proc/{named.pid}/comm")
        wait_until(lambda: comm.read_bytes().startswith(b"\xff"), "its name")
        activity = read_activity(named.pid)
        assert activity is not None
        assert activity.state in "SR"


# A worker as its parent knows it: whether it responds, and the messages between them


LIMIT = 30.0
STEP = LIMIT / CHECKS
ASLEEP = Activity("S", is_runnable=False, cpu=1.0)
STOPPED = Activity("T", is_runnable=False, cpu=1.0)


class Watched:
    """Workers with the process ids 100, 101 … whose activity a test sets."""

    def __init__(self, *activities: Activity | None) -> None:
        self.now = 1000.0
        self.activities = dict(enumerate(activities, 100))
        self.unresponsive: list[int] = []
        self.steps: list[Step] = []
        self.messages = dict.fromkeys(self.activities, 1)
        self._watchdog = Watchdog(LIMIT, clock=lambda: self.now, read=self._read)

    def _read(self, process: int) -> Activity | None:
        return ASLEEP if process == os.getpid() else self.activities[process]

    def check(self, count: int = 1, seconds: float = STEP) -> None:
        for _ in range(count):
            self.now += seconds
            due = self._watchdog.due(self.messages)
            self.unresponsive += [one for one, step in due.items() if step is Step.REPLACE]
            self.steps += due.values()

    def send(self) -> None:
        self.messages[100] += 1


def test_a_worker_that_does_nothing_for_the_limit_is_unresponsive() -> None:
    watched = Watched(ASLEEP)
    watched.check(CHECKS + 1)
    assert watched.unresponsive == []
    watched.check()
    assert watched.unresponsive == [100]
    watched.check()  # it was killed, and has not ended yet
    assert watched.unresponsive == [100]


def test_what_runs_is_noted_then_interrupted_until_it_responds_or_is_replaced() -> None:
    watched = Watched(ASLEEP)
    watched.check(1 + 2 * CHECKS // 6)
    assert watched.steps == [Step.NOTE]
    watched.check()
    assert watched.steps == [Step.NOTE, Step.INTERRUPT]
    watched.send()
    watched.check(2 + CHECKS // 6)
    assert watched.steps == [Step.NOTE, Step.INTERRUPT, Step.NOTE]
    watched.check(CHECKS - CHECKS // 6)
    interrupts = [Step.INTERRUPT] * (CHECKS - CHECKS // 3)
    assert watched.steps[3:] == [*interrupts, Step.REPLACE]


def test_the_stack_of_a_process_is_told_in_the_order_of_a_traceback() -> None:
    written = b'Current thread 0x1 (most recent call first):\n  File "b", line 2 in g\n  File "a", line 1 in f\n'
    assert parsed_stack(written) == '  File "a", line 1 in f\n  File "b", line 2 in g'
    assert parsed_stack(b"") == ""


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
        watched.activities[100] = now if state else None
        watched.check()
    assert bool(watched.unresponsive) is is_unresponsive


def test_time_in_which_all_processes_were_suspended_does_not_count() -> None:
    watched = Watched(ASLEEP)
    for _ in range(9):
        watched.check(2)
        watched.check(1, seconds=3600.0)
        watched.send()
    assert watched.unresponsive == []


def test_checks_in_quick_succession_count_no_more() -> None:
    watched = Watched(ASLEEP)
    watched.check(25, seconds=STEP / 25)
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
    text = encoded(("ask", 1, WHO)) + encoded(("release", 7))
    assert link.receive() == []
    worker.sendall(text[:5])
    assert link.receive() == []
    worker.sendall(text[5:])
    assert link.receive() == [["ask", 1, WHO], ["release", 7]]


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


# The sockets that all processes share, and addresses that cannot be used


def test_a_port_in_use_is_an_error() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(SshSetupError, match=f"cannot listen on 127.0.0.1:{port}"):
            listening_sockets.bind("127.0.0.1", port)


def test_the_error_of_the_metrics_names_their_option() -> None:
    with pytest.raises(SshSetupError, match=r"cannot listen on .*: .*; choose another --metrics$"):
        listening_sockets.bind("no.such.name.invalid", 1, "--metrics")


def test_processes_share_one_port() -> None:
    shares = listening_sockets.share(listening_sockets.bind("127.0.0.1", 0), 3)
    assert len({one.getsockname() for share in shares for one in share}) == 1
    assert len(shares) == 3
    for share in shares:
        for one in share:
            one.close()


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


async def test_a_client_counts_before_its_connection_is_made(running: Running) -> None:
    """On a busy machine that takes a while, in which its process must not be replaced."""
    state = running.state
    async with await running.connect():
        assert not state.accepted
        assert not state.is_empty
    await running.wait_until(lambda: state.is_empty)
    key = asyncssh.generate_private_key("ssh-ed25519")
    connection = accepted(state, connection_options(state, key))
    assert not state.is_empty
    assert connection not in state.connections


# Errors of the event loop are logged or reported once a minute


async def test_a_shortage_is_logged_once_a_minute(running: Running) -> None:
    loop = asyncio.get_running_loop()
    for _ in range(1000):
        error = OSError(errno.EMFILE, "Too many open files")
        loop.call_exception_handler({"message": "socket.accept()", "exception": error})
    assert [event["reason"] for event in running.events("shortage")] == ["too many open files"]
    assert not running.bugs


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


async def test_an_error_in_a_callback_is_reported_once_a_minute_for_each_line(
    running: Running,
) -> None:
    loop = asyncio.get_running_loop()
    for _ in range(10):
        loop.call_soon(lambda: 1 // 0)
    await running.wait_until(lambda: bool(running.bugs))
    await asyncio.sleep(0)
    assert [type(bug) for bug in running.bugs] == [ZeroDivisionError]
    loop.call_soon(lambda: 2 // 0)
    await running.wait_until(lambda: len(running.bugs) > 1)
