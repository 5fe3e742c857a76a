"""What signals do while the service starts and ends; in between the server handles them."""

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
    """A server that can be stopped, and reads its certificate again."""

    def stop(self, *, at_once: bool = False) -> None:
        """Stop soon, or at once."""
        ...

    def reload(self) -> None:
        """Read the certificate again."""
        ...


class ServiceSignals:
    """SIGTERM and SIGINT end a service, and SIGHUP has it read its certificate again.

    While it starts, SIGTERM exits with 0 and SIGINT interrupts. Afterwards both let the server end,
    and a further SIGINT ends it at once. A hangup ends what was started on a terminal that is gone.
    """

    def __init__(self) -> None:
        self._server: Stoppable | None = None
        self._is_reload_due = False  # a SIGHUP came before there was a server
        self._had_terminal = has_terminal()

    def hand_over(self, server: Stoppable) -> None:
        """From now on, signals stop a server and not the process."""
        self._server = server
        if self._is_reload_due:
            server.reload()

    @contextmanager
    def handled(self) -> Iterator[ServiceSignals]:
        """Handle signals until the end of the block; only in the main thread."""
        # asyncio would only note a first SIGINT, and its loop may be blocked for a long time.
        ending = (signal.SIGTERM, signal.SIGINT)
        former = {number: signal.signal(number, self._end) for number in ending}
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # under nohup
            former[signal.SIGHUP] = signal.signal(signal.SIGHUP, self._hang_up)
        try:
            yield self
        finally:
            for number, handler in former.items():
                signal.signal(number, handler)

    def _end(self, number: int, _frame: FrameType | None) -> None:
        if self._server is not None:
            self._server.stop(at_once=number == signal.SIGINT)
        elif number == signal.SIGINT:
            raise KeyboardInterrupt
        else:
            sys.exit(0)

    def _hang_up(self, number: int, frame: FrameType | None) -> None:
        if self._had_terminal and not has_terminal():
            self._end(number, frame)
        elif self._server is not None:
            self._server.reload()
        else:
            self._is_reload_due = True


def has_terminal() -> bool:
    """Whether there is a controlling terminal; after a hangup there is none (tty(4))."""
    try:
        descriptor = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError:
        return False
    os.close(descriptor)
    return True
