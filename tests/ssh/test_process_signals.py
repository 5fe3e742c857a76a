"""Signals between the processes of the server, also on systems that have fewer of them."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from pettui.ssh.process_signals import signal_supervisor, wait_for_signal

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
    monkeypatch.delattr(signal, "sigtimedwait")
    monkeypatch.delattr(signal, "sigwaitinfo")


@pytest.mark.parametrize("seconds", [None, 60.0])
def test_a_signal_is_received_with_its_sender(blocked: int, seconds: float | None) -> None:
    signal.raise_signal(blocked)  # of this thread: others of the tests do not block it
    assert wait_for_signal([blocked], seconds) == (blocked, os.getpid())


@pytest.mark.usefixtures("macos")
@pytest.mark.parametrize("seconds", [None, 60.0])
def test_where_senders_are_unknown_a_signal_is_received(
    blocked: int, seconds: float | None
) -> None:
    signal.raise_signal(blocked)  # of this thread: others of the tests do not block it
    assert wait_for_signal([blocked], seconds) == (blocked, 0)


def test_without_a_signal_the_wait_ends(blocked: int) -> None:
    assert wait_for_signal([blocked], 0.01) is None


@pytest.mark.usefixtures("macos")
def test_without_a_signal_the_wait_ends_on_macos(blocked: int) -> None:
    assert wait_for_signal([blocked], 0.01) is None


def test_a_process_that_is_not_the_parent_gets_no_signal(blocked: int) -> None:
    """Once the supervisor has ended, the parent is init."""
    signal_supervisor(os.getpid(), blocked)
    assert blocked not in signal.sigpending()
