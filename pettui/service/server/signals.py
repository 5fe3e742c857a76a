"""What signals do while the service starts and ends; in between the server handles them."""

from __future__ import annotations

import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from pettui.signals import handled, has_terminal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType


class Stoppable(Protocol):
    """A server that can be stopped."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop soon."""
        ...


class StartingSignals:
    """While a service starts, SIGTERM exits with 0, SIGINT interrupts, SIGHUP requests a reload."""

    def __init__(self) -> None:
        self.is_reload_due = False  # whether a SIGHUP came before there was a certificate
        self._server: Stoppable | None = None
        self._had_terminal = has_terminal()

    def hand_over(self, server: Stoppable) -> None:
        """From now on, signals stop a server and not the process."""
        self._server = server

    @contextmanager
    def handled(self) -> Iterator[StartingSignals]:
        """Handle signals until the end of the block; only in the main thread."""
        # asyncio would only note a first SIGINT, and its loop may be blocked for a long time.
        ending = dict.fromkeys((signal.SIGTERM, signal.SIGINT), self._end)
        with handled({**ending, signal.SIGHUP: self._hang_up}):
            yield self

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
