"""FairShare: limits a session that floods its process to a quarter of the time.

The cost of a key, a click or a resize is known only afterwards, and most of it arises in tasks of
the app. So it is measured in the loop: after input was passed to an app, the thread uses CPU time
between two checks until the app is done. Then the session pauses for three times as long, in which
the loop is free for others. CPU time is measured because a timer is also late on a busy machine.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

CHECK_INTERVAL = 0.005  # seconds between two checks of whether the app is done
BUSY = 0.003  # seconds of CPU time between two checks, above which the thread is busy
QUIET = 0.03  # seconds without work until the app is done, since a frame may still follow
TURN_MAXIMUM = 1.0  # seconds after which a turn ends, since the work may be of other sessions
IDLE_FACTOR = 3.0  # length of the pause, in lengths of the turn


class FairShare:
    """The turns of one session."""

    def __init__(self, is_done: Callable[[], bool], on_turn: Callable[[], None]) -> None:
        """Start without a turn.

        Args:
            is_done: returns whether the app has processed all its input.
            on_turn: called when the next turn may begin.
        """
        self._is_done = is_done
        self._on_turn = on_turn
        self._timer: asyncio.TimerHandle | None = None
        self._began_at = 0.0  # of the turn, by the loop's clock
        self._worked_at = 0.0  # the last check that found work
        self._cpu_time = 0.0  # of the thread, at the last check

    @property
    def is_free(self) -> bool:
        """Whether the next turn may begin."""
        return self._timer is None

    def begin(self) -> None:
        """Begin a turn: the app gets input now."""
        self.stop()
        self._began_at = self._worked_at = asyncio.get_running_loop().time()
        self._check_soon()

    def stop(self) -> None:
        """Stop the checks."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _check_soon(self) -> None:
        loop = asyncio.get_running_loop()
        self._cpu_time = time.thread_time()
        self._timer = loop.call_later(CHECK_INTERVAL, self._check)

    def _check(self) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        if time.thread_time() - self._cpu_time > BUSY or not self._is_done():
            self._worked_at = now
        if now - self._worked_at < QUIET and now - self._began_at < TURN_MAXIMUM:
            self._check_soon()
        else:
            self._timer = loop.call_later(
                IDLE_FACTOR * (self._worked_at - self._began_at), self._next_turn
            )

    def _next_turn(self) -> None:
        self._timer = None
        self._on_turn()
