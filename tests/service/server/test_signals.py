"""Signals while the service starts and ends."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from pettui.service.server.signals import StartingSignals

if TYPE_CHECKING:
    from types import FrameType


class Server:
    """Counts the calls of its handler."""

    def __init__(self) -> None:
        self.stops = 0

    def handle_exit(self, _sig: int, _frame: FrameType | None) -> None:
        self.stops += 1


def test_before_there_is_a_server_sigterm_exits_with_0() -> None:
    with StartingSignals().handled(), pytest.raises(SystemExit) as raised:
        os.kill(os.getpid(), signal.SIGTERM)
    assert raised.value.code == 0


def test_once_there_is_a_server_sigterm_goes_to_it_every_time() -> None:
    server = Server()
    with StartingSignals().handled() as signals:
        signals.hand_over(server)
        for _ in range(3):
            os.kill(os.getpid(), signal.SIGTERM)
    assert server.stops == 3


def test_a_hangup_requests_a_reload() -> None:
    with StartingSignals().handled() as signals:
        assert not signals.is_reload_due
        os.kill(os.getpid(), signal.SIGHUP)
        assert signals.is_reload_due


def test_the_former_signal_handlers_are_restored() -> None:
    numbers = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
    before = [signal.getsignal(number) for number in numbers]
    with StartingSignals().handled():
        pass
    assert [signal.getsignal(number) for number in numbers] == before
