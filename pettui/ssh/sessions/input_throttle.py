"""InputThrottle: limits a client's input, so that a flood slows down only its sender.

Input before the app is ready, or between one app and the next, is buffered.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pettui.ssh.sessions.fair_share import FairShare
from pettui.token_bucket import TokenBucket

if TYPE_CHECKING:
    from collections.abc import Callable

CHUNK = 64  # bytes at once of keys, which have one to six bytes
CHUNK_MAXIMUM = 4096  # bytes at once of pastes and control strings
PENDING_MAXIMUM = 8  # keys in the app's queue, above which it gets no more
BUFFER_MAXIMUM = 32 * 1024  # bytes, above which the channel is not read
RETRY_SECONDS = 0.02  # between two attempts while the app is behind
WITHOUT_APP = 0.25  # the same while there is no app, unless it wakes the throttle
BURST = 64.0  # keys that are free at once; further ones wait for their turn
BYTES_A_KEY = 100  # bytes of a long paste that count as a key
RATE = 50.0  # keys a second that become free again: more than a person types, or a held key repeats
RESIZE_COST = 8.0  # keys, since the whole screen is laid out and drawn


class InputThrottle:
    """The bytes of one client on their way to its app."""

    def __init__(
        self,
        deliver: Callable[[bytes], int],
        pending: Callable[[], int | None],
        pause: Callable[[], None],
        resume: Callable[[], None],
    ) -> None:
        """Start with an empty buffer.

        Args:
            deliver: passes bytes to the app; returns the number of keys.
            pending: returns the number of keys in the app's queue; None while no app accepts
                input.
            pause: stops reading from the client.
            resume: continues reading.
        """
        self._deliver = deliver
        self._pending = pending
        self._pause = pause
        self._resume = resume
        self._buffer = bytearray()
        self._is_paused = False
        self._is_over = False
        self._timer: asyncio.TimerHandle | None = None
        self._free_keys = TokenBucket(RATE, BURST, debt=BURST)
        self._chunk_size = CHUNK
        self._fair_share = FairShare(self._is_done, self._run)

    def feed(self, data: bytes) -> None:
        """Add bytes from the client."""
        if self._is_over:
            return
        self._buffer += data
        if self._timer is None:
            self._run()
        if len(self._buffer) > BUFFER_MAXIMUM and not self._is_paused:
            self._is_paused = True
            self._pause()

    def wake(self) -> None:
        """Pass on what is buffered, now that there is an app that accepts input."""
        if self._buffer and not self._is_over:
            self._run()

    @property
    def backlog(self) -> int:
        """The number of buffered bytes."""
        return len(self._buffer)

    def admit_resize(self) -> bool:
        """Whether the app may be resized now; where nothing is free each resize takes a turn."""
        if self._free() >= RESIZE_COST:
            self._free_keys.use(RESIZE_COST)
            return True
        is_free = self._fair_share.is_free
        if is_free:
            self._fair_share.begin()
        return is_free

    def stop(self) -> None:
        """Discard the buffer and all further input."""
        self._is_over = True
        self._buffer.clear()
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
        may_deliver = self._may_deliver()
        if may_deliver:
            self._deliver_chunk()
        if self._buffer:
            retry = WITHOUT_APP if self._pending() is None else RETRY_SECONDS
            self._timer = loop.call_later(0.0 if may_deliver else retry, self._run)
        elif self._is_paused:
            self._is_paused = False
            self._resume()

    def _free(self) -> float:
        """Return how many keys are free; during a flood none become free again."""
        if not self._fair_share.is_free:
            self._free_keys.skip_time()
        return self._free_keys.left

    def _may_deliver(self) -> bool:
        free, pending = self._free(), self._pending()
        if not self._buffer or pending is None or pending > PENDING_MAXIMUM:
            return False
        return free >= 1 or self._fair_share.is_free

    def _deliver_chunk(self) -> None:
        chunk = bytes(self._buffer[: self._chunk_size])
        del self._buffer[: self._chunk_size]
        count = self._deliver(chunk)
        is_flood = self._free_keys.left < 1
        self._free_keys.use(max(count, len(chunk) / BYTES_A_KEY))
        if is_flood and count:
            self._fair_share.begin()
        # A paste costs little until its end, so larger chunks are fine.
        self._chunk_size = CHUNK if count > 1 else min(2 * self._chunk_size, CHUNK_MAXIMUM)
