"""Signals before the service serves, and after."""

from __future__ import annotations

import os
import signal

import pytest

from pettui.service.server.signals import StartingSignals


class Server:
    """Takes note of how often it was to stop."""

    def __init__(self) -> None:
        self.stops = 0

    def handle_exit(self, _sig, _frame) -> None:
        self.stops += 1


def test_before_there_is_a_server_sigterm_ends_the_process_with_0():
    with StartingSignals().minded(), pytest.raises(SystemExit) as raised:
        os.kill(os.getpid(), signal.SIGTERM)
    assert raised.value.code == 0


def test_once_there_is_a_server_sigterm_cuts_nothing_that_is_still_being_closed():
    server = Server()
    with StartingSignals().minded() as signals:
        signals.hand_over(server)
        for _ in range(3):
            os.kill(os.getpid(), signal.SIGTERM)
    assert server.stops == 3


def test_a_hangup_is_kept_until_there_is_something_to_read_again():
    with StartingSignals().minded() as signals:
        assert not signals.is_reload_due
        os.kill(os.getpid(), signal.SIGHUP)
        assert signals.is_reload_due


def test_signals_are_as_they_were_afterwards():
    numbers = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
    before = [signal.getsignal(number) for number in numbers]
    with StartingSignals().minded():
        pass
    assert [signal.getsignal(number) for number in numbers] == before
