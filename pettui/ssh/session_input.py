"""AppInput: a client's keys and sizes on their way to the app that runs now, if any.

An app gets a few keys at a time, and none while its client has used more than its share of the
process: so a flood slows down only its sender. What comes before the app accepts input, or between
one app and the next, is buffered.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final, Protocol

from pettui.terminal.guarded_calls import guarded

if TYPE_CHECKING:
    from pettui.ssh.apps.served_app import ServedApp
    from pettui.ssh.asyncssh_internals import SessionChannel
    from pettui.ssh.server_state import ServerState
    from pettui.terminal.channel_driver import ChannelDriver, LeftInput

ESCAPE: Final = b"\x1b"  # begins a sequence
KEY = 8  # bytes of a single key at most, which never waits for its client's share
CHUNK = 16  # bytes at once of keys, which have one to six bytes
CHUNK_MAXIMUM = 4096  # bytes at once of pastes and control strings, which cost little until the end
PENDING_MAXIMUM = 8  # keys in the app's queue, above which it gets no more
BUFFER_MAXIMUM = 32 * 1024  # bytes, above which the channel is not read
RETRY_SECONDS = 0.02  # between two attempts while the app is behind
WITHOUT_APP = 0.25  # the same while there is no app, unless ``pass_on`` is called
RESIZE_PAUSE = 0.03  # seconds after a resize in which others replace it
FRAME_CHECK_INTERVAL: Final = 0.25  # seconds between two checks for a key without a frame


class Runner(Protocol):
    """Runs the apps of a client, one after the other."""

    app: ServedApp[Any] | None  # the one that runs now

    def fail(self, error: Exception) -> None:
        """End the session because of a bug."""
        ...


class AppInput:
    """The input of one client, of which the app gets as much as is fair.

    It measures the time from a key to its frame, of one key at a time.
    """

    def __init__(self, state: ServerState, channel: SessionChannel, runner: Runner) -> None:
        """Start without input.

        Args:
            state: of the process.
            channel: of the client.
            runner: of its apps.
        """
        self.is_behind = False  # the terminal shows a first frame, but the app not its screen
        self._state = state
        self._channel = channel
        self._share = channel.get_connection().share
        self._runner = runner
        self._buffer = bytearray()
        self._chunk_size = CHUNK
        self._is_paused = self._is_over = False
        self._passing_on: asyncio.TimerHandle | None = None
        self._left: LeftInput | None = None  # by the app before this one
        self._size = (0, 0)
        self._resizing: asyncio.TimerHandle | None = None
        self._timed_since = 0.0  # by the loop's clock, a key without a frame yet; 0 for none
        self._timing: asyncio.TimerHandle | None = None

    def stop(self) -> None:
        """Discard what was not passed on, and all further input."""
        self._is_over = True
        self._buffer.clear()
        self.stop_timing()
        for timer in (self._passing_on, self._resizing):
            if timer is not None:
                timer.cancel()
        self._passing_on = self._resizing = None

    # Keys

    def feed(self, data: bytes) -> None:
        """Take keys for the app."""
        if self._is_over:
            return
        self._state.gc_schedule.typed()
        self._buffer += data
        if self._passing_on is None:
            self.pass_on()
        if len(self._buffer) > BUFFER_MAXIMUM and not self._is_paused:
            self._is_paused = True
            self._channel.pause_reading()

    def keep_left(self, app: ServedApp[Any]) -> None:
        """Keep what an app that has ended did not handle, for the next one."""
        if app.channel_driver is not None:
            self._left = app.channel_driver.left_input(app.unhandled_input)

    def pass_on(self) -> None:
        """Pass on as much as the app may get now, and the rest later."""
        guarded(self._pass_on, self._runner.fail)()

    def _pass_on(self) -> None:
        if self._passing_on is not None:
            self._passing_on.cancel()
            self._passing_on = None
        self._resume()
        wait = self._wait()
        if self._buffer and not wait:
            self._deliver_chunk()
        if self._buffer:
            self._passing_on = asyncio.get_running_loop().call_later(wait, self.pass_on)
        elif self._is_paused:
            self._is_paused = False
            self._channel.resume_reading()

    def _resume(self) -> None:
        """Pass on what the app before has left, if this one accepts input."""
        driver = self._driver
        if self._left is not None and driver is not None and self._pending() is not None:
            left, self._left = self._left, None
            driver.resume_input(left)

    def _wait(self) -> float:
        """Return the seconds until the app may get more, 0 for now."""
        pending = self._pending()
        if pending is None:
            return WITHOUT_APP
        if pending > PENDING_MAXIMUM:
            return RETRY_SECONDS
        is_single = not pending and len(self._buffer) <= KEY
        return 0.0 if is_single else self._share.pause()

    def _deliver_chunk(self) -> None:
        size = self._chunk_size
        if len(self._buffer) > size:  # not within a sequence, if it fits into a chunk
            size = max(self._buffer.rfind(ESCAPE, 0, size), 0) or size
        chunk = bytes(self._buffer[:size])
        del self._buffer[:size]
        self._time_key()
        keys = self._driver.feed(chunk, has_more=bool(self._buffer)) if self._driver else 0
        self._state.load.typed(keys)
        self._chunk_size = CHUNK if keys > 1 else min(2 * self._chunk_size, CHUNK_MAXIMUM)

    def _pending(self) -> int | None:
        """Return the number of keys in the app's queue; None while no app accepts input."""
        app = self._runner.app
        if app is None or app.channel_driver is None or app.is_ending or self.is_behind:
            return None
        return app.pending_events

    # The time until a frame

    def _time_key(self) -> None:
        """Begin to measure if this key is in the sample; the app gets it now."""
        if not self._timed_since and self._state.load.wants_sample():
            self._timed_since = asyncio.get_running_loop().time()
            self._check_timing_soon()

    def drew(self) -> None:
        """Count the time of the key that is measured, if any."""
        if self._timed_since:
            self._state.load.drew(asyncio.get_running_loop().time() - self._timed_since)
            self.stop_timing()

    def stop_timing(self) -> None:
        """End the measurement, if there is one."""
        self._timed_since = 0.0
        if self._timing is not None:
            self._timing.cancel()
            self._timing = None

    def _check_timing_soon(self) -> None:
        loop = asyncio.get_running_loop()
        self._timing = loop.call_later(FRAME_CHECK_INTERVAL, self._check_timing)

    def _check_timing(self) -> None:
        """Once the app has processed the key and drawn its changes, end: there is no frame."""
        self._timing = None
        app = self._runner.app
        if self._pending():
            self._check_timing_soon()
        elif app is None or not app.call_after_refresh(self.stop_timing):
            self.stop_timing()

    # Sizes

    def resize(self, size: tuple[int, int]) -> None:
        """Resize the app soon; of several sizes the last one counts."""
        self._size = size
        if self._resizing is None and self._runner.app is not None:
            self._resize_after(RESIZE_PAUSE)

    def _resize_after(self, seconds: float) -> None:
        resize = guarded(self._resize, self._runner.fail)
        self._resizing = asyncio.get_running_loop().call_later(seconds, resize)

    def _resize(self) -> None:
        self._resizing = None
        if wait := self._share.pause():
            self._resize_after(wait)
        elif self._driver is not None:
            self._driver.resize(*self._size)

    @property
    def _driver(self) -> ChannelDriver | None:
        app = self._runner.app
        return app.channel_driver if app is not None else None
