"""Signals between the processes of the server, also on systems that have fewer of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from pettui.ssh.process_signals import signal_supervisor, wait_for_signal
from pettui.ssh.watchdog import read_activity
from tests.peers.ssh_server import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def blocked() -> Iterator[int]:
    """SIGUSR1, blocked; one that is still pending at the end is received."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    yield signal.SIGUSR1
    if signal.SIGUSR1 in signal.sigpending():
        signal.sigwait([signal.SIGUSR1])
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGUSR1])


@pytest.fixture
def macos(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without what macOS lacks."""
    monkeypatch.delattr(signal, "sigwaitinfo")


@pytest.mark.parametrize("seconds", [None, 60.0])
def test_a_signal_is_received_with_its_sender(blocked: int, seconds: float | None) -> None:
    signal.raise_signal(blocked)  # of this thread: others of the tests do not block it
    assert wait_for_signal([blocked], seconds) == (blocked, os.getpid(), False)


@pytest.mark.usefixtures("macos")
@pytest.mark.parametrize("seconds", [None, 60.0])
def test_where_senders_are_unknown_a_signal_is_received(
    blocked: int, seconds: float | None
) -> None:
    signal.raise_signal(blocked)  # of this thread: others of the tests do not block it
    assert wait_for_signal([blocked], seconds) == (blocked, 0, False)


# In a process of its own: the timer is not only of one thread.
WAIT = """
import signal, sys
for name in sys.argv[2:]:
    delattr(signal, name)
from pettui.ssh.process_signals import wait_for_signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM, signal.SIGUSR1])
print(flush=True)
print(wait_for_signal([signal.SIGUSR1, signal.SIGALRM], float(sys.argv[1])))
"""


@contextmanager
def waiting(seconds: float, *without: str) -> Iterator[subprocess.Popen[str]]:
    """Wait for SIGUSR1 or SIGALRM in another process, which prints the result."""
    command = [sys.executable, "-c", WAIT, str(seconds), *without]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
        process.wait(60)


def is_asleep(process: int) -> bool:
    activity = read_activity(process)
    return activity is not None and activity.state == "S"


def result(process: subprocess.Popen[str]) -> str:
    return process.communicate(timeout=60)[0].strip()


@pytest.mark.parametrize("without", [[], ["sigwaitinfo"]], ids=["Linux", "macOS"])
def test_without_a_signal_the_wait_ends(without: list[str]) -> None:
    with waiting(0.01, *without) as process:
        assert result(process) == "None"


@pytest.mark.skipif(not hasattr(signal, "sigwaitinfo"), reason="as on macOS")
def test_sigalrm_from_a_process_is_not_taken_for_the_timer() -> None:
    with waiting(60.0) as process:
        process.send_signal(signal.SIGALRM)
        assert (
            result(process)
            == f"ReceivedSignal(number=14, sender={os.getpid()}, is_of_terminal=False)"
        )


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_a_stop_that_is_longer_than_the_wait_is_no_signal() -> None:
    with waiting(0.5) as process:
        wait_until(lambda: is_asleep(process.pid), "the wait")
        process.send_signal(signal.SIGSTOP)
        time.sleep(1.0)  # nothing happens in a stopped process
        process.send_signal(signal.SIGCONT)
        assert result(process) == "None"


def test_a_process_that_is_not_the_parent_gets_no_signal(blocked: int) -> None:
    """Once the supervisor has ended, the parent is init."""
    signal_supervisor(os.getpid(), blocked)
    assert blocked not in signal.sigpending()
