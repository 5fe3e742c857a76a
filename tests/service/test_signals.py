"""Signals while the service starts and ends."""

from __future__ import annotations

import os
import signal

import pytest

from pettui.signals import ServiceSignals


class Server:
    """Records how often it is to stop, and to reload."""

    def __init__(self) -> None:
        self.stops: list[bool] = []
        self.reloads = 0

    def stop(self, *, at_once: bool = False) -> None:
        self.stops.append(at_once)

    def reload(self) -> None:
        self.reloads += 1


def test_before_there_is_a_server_sigterm_exits_with_0() -> None:
    with ServiceSignals().handled(), pytest.raises(SystemExit) as raised:
        os.kill(os.getpid(), signal.SIGTERM)
    assert raised.value.code == 0


def test_once_there_is_a_server_sigterm_goes_to_it_every_time() -> None:
    server = Server()
    with ServiceSignals().handled() as signals:
        signals.hand_over(server)
        for _ in range(3):
            os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGINT)
    assert server.stops == [False, False, False, True]


def test_a_hangup_requests_a_reload_even_before_there_is_a_server() -> None:
    server = Server()
    with ServiceSignals().handled() as signals:
        os.kill(os.getpid(), signal.SIGHUP)
        assert server.reloads == 0
        signals.hand_over(server)
        assert server.reloads == 1
        os.kill(os.getpid(), signal.SIGHUP)
        assert server.reloads == 2


def test_the_former_signal_handlers_are_restored() -> None:
    numbers = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
    before = [signal.getsignal(number) for number in numbers]
    with ServiceSignals().handled():
        pass
    assert [signal.getsignal(number) for number in numbers] == before
