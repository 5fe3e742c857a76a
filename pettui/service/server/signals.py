"""What signals do while the service starts and ends; in between its server minds them."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType


class Stoppable(Protocol):
    """What has begun to serve, or is about to."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop soon."""
        ...


class StartingSignals:
    """SIGTERM ends a service that starts with 0, SIGINT interrupts it; SIGHUP asks for a reload."""

    def __init__(self) -> None:
        self.is_reload_due = False  # whether a SIGHUP came before there was anything to read again
        self._server: Stoppable | None = None
        self._had_terminal = has_terminal()

    def hand_over(self, server: Stoppable) -> None:
        """Let a server be stopped from now on, however often, and not the process."""
        self._server = server

    @contextmanager
    def minded(self) -> Iterator[StartingSignals]:
        """Mind signals until the end of the block; not in a thread, where there are none."""
        # asyncio would only take note of a first SIGINT: its loop may not turn for a long time.
        ending = (signal.SIGTERM, signal.SIGINT)
        former = {number: signal.signal(number, self._end) for number in ending}
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as nohup has it
            former[signal.SIGHUP] = signal.signal(signal.SIGHUP, self._hang_up)
        try:
            yield self
        finally:
            for number, handler in former.items():
                signal.signal(number, handler)

    def _end(self, number: int, frame: FrameType | None) -> None:
        if self._server is not None:
            self._server.handle_exit(number, frame)
        elif number == signal.SIGINT:
            raise KeyboardInterrupt
        else:
            sys.exit(0)

    def _hang_up(self, number: int, frame: FrameType | None) -> None:
        if self._had_terminal and not has_terminal():
            self._end(number, frame)
        else:
            self.is_reload_due = True


def has_terminal() -> bool:
    """Whether there is a controlling terminal; after it hung up there is none (tty(4))."""
    try:
        descriptor = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError:
        return False
    os.close(descriptor)
    return True
