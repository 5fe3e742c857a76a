"""Hands an app what is typed no faster than it takes it: a flood costs its sender alone.

What is typed before the app is there, or between one app and the next, waits for it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

PIECE = 1024  # bytes handed over at once; a key is one to six
WAITING_MAXIMUM = 64  # keys that an app may have before it
HELD_MAXIMUM = 32 * 1024  # bytes held here before the client is asked to wait
PAUSE = 0.02  # seconds until an app that is behind is looked at again
BURST = 2_000.0  # keys that nobody types in a second, but a terminal may paste
RATE = 500.0  # keys a second, for long


class Pump:
    """The bytes of one client on their way to its app."""

    def __init__(
        self,
        take: Callable[[bytes], int],
        waiting: Callable[[], int | None],
        pause: Callable[[], None],
        resume: Callable[[], None],
    ) -> None:
        """Take the ends.

        Args:
            take: gives the app bytes; gives how many keys they were.
            waiting: gives how many keys the app has before it; None while no app takes any.
            pause: asks the client to send no more.
            resume: lets it send again.
        """
        self._take = take
        self._waiting = waiting
        self._pause = pause
        self._resume = resume
        self._held = bytearray()
        self._is_paused = False
        self._is_over = False
        self._timer: asyncio.TimerHandle | None = None
        self._room = BURST
        self._at = 0.0

    def feed(self, data: bytes) -> None:
        """Take bytes from the client."""
        if self._is_over:
            return
        self._held += data
        if self._timer is None:
            self._run()
        if len(self._held) > HELD_MAXIMUM and not self._is_paused:
            self._is_paused = True
            self._pause()

    def stop(self) -> None:
        """Drop what is left, and all that follows."""
        self._is_over = True
        self._held.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _run(self) -> None:
        self._timer = None
        loop = asyncio.get_running_loop()
        now = loop.time()
        self._room = min(self._room + (now - self._at) * RATE, BURST)
        self._at = now
        waiting = self._waiting()
        may_go_on = self._room >= 1 and waiting is not None and waiting <= WAITING_MAXIMUM
        if may_go_on:
            piece = bytes(self._held[:PIECE])
            del self._held[:PIECE]
            self._room -= self._take(piece)
        if self._held:
            self._timer = loop.call_later(0.0 if may_go_on else PAUSE, self._run)
        elif self._is_paused:
            self._is_paused = False
            self._resume()
