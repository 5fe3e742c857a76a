"""How much of a process's time one session may take: whoever floods it gets a quarter at most.

What a key, a click or another size costs is known only afterwards, and most of it is spent in
tasks of the app's. So the loop is asked: after something was given to an app, its thread is at work
between two timers until that is done. Then the session is idle for three times as long, and the
others have the loop. A timer that is late proves nothing: the machine may be busy with others.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

LOOK = 0.005  # seconds between looks at whether an app is done
BUSY = 0.003  # seconds of CPU that the loop's thread takes between two looks where it is busy
QUIET = 0.03  # seconds without either: some of the work waits for the next frame
LONGEST = 1.0  # seconds after which an app counts as done, though the loop is busy with others
IDLE = 3.0  # times as long as it took


class FairShare:
    """The turns of one session."""

    def __init__(self, is_done: Callable[[], bool], go_on: Callable[[], None]) -> None:
        """Begin free.

        Args:
            is_done: returns whether the app came to all that it was given.
            go_on: called when the next turn may begin.
        """
        self._is_done = is_done
        self._go_on = go_on
        self._timer: asyncio.TimerHandle | None = None
        self._began = self._worked = self._used = 0.0

    @property
    def is_free(self) -> bool:
        """Whether the next turn may begin."""
        return self._timer is None

    def begin(self) -> None:
        """Note that the app is given something now."""
        self.stop()
        self._began = self._worked = asyncio.get_running_loop().time()
        self._look_soon()

    def stop(self) -> None:
        """Look no more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look_soon(self) -> None:
        loop = asyncio.get_running_loop()
        self._used = time.thread_time()
        self._timer = loop.call_later(LOOK, self._look)

    def _look(self) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        if time.thread_time() - self._used > BUSY or not self._is_done():
            self._worked = now
        if now - self._worked < QUIET and now - self._began < LONGEST:
            self._look_soon()
        else:
            self._timer = loop.call_later(IDLE * (self._worked - self._began), self._next_turn)

    def _next_turn(self) -> None:
        self._timer = None
        self._go_on()
