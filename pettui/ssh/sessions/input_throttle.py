"""Hands an app what is typed no faster than it takes it: a flood costs its sender alone.

What is typed before the app is there, or between one app and the next, waits for it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pettui.ssh.sessions.fair_share import FairShare

if TYPE_CHECKING:
    from collections.abc import Callable

PIECE = 64  # bytes handed over at once where they are keys, of one to six bytes
PIECE_MAXIMUM = 4096  # where they are not: pastes, strings
PENDING_MAXIMUM = 8  # keys that an app may have before it and get more
HELD_MAXIMUM = 32 * 1024  # bytes held here before the client is asked to wait
PAUSE = 0.02  # seconds until an app that is behind is looked at again
BURST = 64.0  # keys that a person may type in no time; what is more has to wait for its turn
BYTES = 100  # that count as a key, where they are one long paste
RATE = 50.0  # keys a second of somebody who types, or holds a key down
SIZE = 8.0  # keys that another size counts as: a whole screen is laid out and drawn


class InputThrottle:
    """The bytes of one client on their way to its app."""

    def __init__(
        self,
        take: Callable[[bytes], int],
        pending: Callable[[], int | None],
        pause: Callable[[], None],
        resume: Callable[[], None],
    ) -> None:
        """Hold nothing yet.

        Args:
            take: gives the app bytes; returns how many keys they were.
            pending: returns how many keys the app has before it; None while no app takes any.
            pause: asks the client to send no more.
            resume: lets it send again.
        """
        self._take = take
        self._pending = pending
        self._pause = pause
        self._resume = resume
        self._held = bytearray()
        self._is_paused = False
        self._is_over = False
        self._timer: asyncio.TimerHandle | None = None
        self._room = BURST
        self._at = 0.0
        self._piece = PIECE
        self._fair_share = FairShare(self._is_done, self._run)

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

    @property
    def backlog(self) -> int:
        """The bytes that wait here for the app."""
        return len(self._held)

    def admit_resize(self) -> bool:
        """Whether another size may be drawn now: some are free, then each is a turn of its own."""
        self._earn()
        if self._room >= SIZE:
            self._room -= SIZE
            return True
        is_free = self._fair_share.is_free
        if is_free:
            self._fair_share.begin()
        return is_free

    def stop(self) -> None:
        """Drop what is left, and all that follows."""
        self._is_over = True
        self._held.clear()
        self._fair_share.stop()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _is_done(self) -> bool:
        return not self._pending()

    def _run(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        loop = asyncio.get_running_loop()
        may_go_on = self._may_go_on()
        if may_go_on:
            self._hand_over()
        if self._held:
            self._timer = loop.call_later(0.0 if may_go_on else PAUSE, self._run)
        elif self._is_paused:
            self._is_paused = False
            self._resume()

    def _earn(self) -> None:
        now = asyncio.get_running_loop().time()
        if self._fair_share.is_free:  # whoever floods earns nothing
            self._room = min(self._room + (now - self._at) * RATE, BURST)
        self._at = now

    def _may_go_on(self) -> bool:
        self._earn()
        pending = self._pending()
        if not self._held or pending is None or pending > PENDING_MAXIMUM:
            return False
        return self._room >= 1 or self._fair_share.is_free

    def _hand_over(self) -> None:
        piece = bytes(self._held[: self._piece])
        del self._held[: self._piece]
        count = self._take(piece)
        is_flood = self._room < 1
        self._room = max(self._room - max(count, len(piece) / BYTES), -BURST)
        if is_flood and count:
            self._fair_share.begin()
        # Of a paste a byte costs next to nothing until it has ended.
        self._piece = PIECE if count > 1 else min(2 * self._piece, PIECE_MAXIMUM)
