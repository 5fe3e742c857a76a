"""SessionTerminal: a client's terminal, on which one app of a session draws, and then the next.

An app gets a few keys at a time, and none while its client has used more than its share of the
process: so a flood slows down only its sender. What comes before the app accepts input, or between
one app and the next, is buffered.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

from pettui.ssh.asyncssh_internals import SessionChannel, unsent
from pettui.system.background_tasks import Timer
from pettui.terminal.guarded import guarded

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.ssh.apps.served_app import ServedApp
    from pettui.ssh.server_state import ServerState
    from pettui.terminal.channel_driver import ChannelDriver, UnreadInput

ESCAPE: Final = b"\x1b"  # begins a sequence
KEY = 8  # bytes of a single key at most, which never waits for its client's share
CHUNK = 16  # bytes at once of keys, which have one to six bytes
CHUNK_MAXIMUM = 4096  # bytes at once of pastes and control strings, which cost little until the end
PENDING_MAXIMUM = 8  # keys in the app's queue, above which it gets no more
BUFFER_MAXIMUM = 32 * 1024  # bytes, above which the channel is not read
RETRY_SECONDS = 0.02  # between two attempts while the app is behind
WITHOUT_APP = 0.25  # the same while there is no app, unless ``pass_on`` is called
RESIZE_PAUSE = 0.03  # seconds after a resize in which others replace it
CHECK_INTERVAL = 0.03  # seconds between two checks of whether a client caught up
FRAME_CHECK_INTERVAL: Final = 0.25  # seconds between two checks for a key without a frame


class SessionTerminal:
    """What the apps of a session draw on, and as much input for them as is fair.

    asyncssh's ``pause_writing`` is not called for every client that is behind: with a large window
    everything goes into the transport's buffer.

    It measures the time from a key to its frame, of one key at a time.
    """

    def __init__(
        self, state: ServerState, channel: SessionChannel, fail: Callable[[Exception], None]
    ) -> None:
        """Start without an app and without input.

        Args:
            state: of the process.
            channel: of the client.
            fail: called with what a timer raised.
        """
        self.app: ServedApp[Any] | None = None  # the one that runs now
        self.is_behind = False  # it shows a first frame, but the app not its screen
        self.sent = 0  # bytes
        self.overlay = ""  # over the first row
        self._state = state
        self._channel = channel
        self._connection = channel.get_connection()
        self._fail = fail
        self._buffer = bytearray()
        self._chunk_size = CHUNK
        self._is_paused = self._is_over = False
        self._unread: UnreadInput | None = None  # by the app before this one
        self._size = (0, 0)
        self._timed_since = 0.0  # by the loop's clock, a key without a frame yet; 0 for none
        self._catching_up, self._passing_on = Timer(fail), Timer(fail)
        self._resizing, self._timing = Timer(fail), Timer(fail)

    def attach(self, app: ServedApp[Any]) -> None:
        """Let an app have it, and what was typed before."""
        self.app = app
        self.pass_on()

    def detach(self) -> None:
        """Take it from the app, which has ended, and restore it if the app did not."""
        driver, self.app = self._driver, None
        self._catching_up.stop()
        if driver is not None:
            guarded(driver.stop_application_mode, self._fail)()

    def close(self) -> None:
        """Discard what was not passed on, and all further input."""
        self._is_over = True
        self._buffer.clear()
        self.stop_timing()
        for timer in (self._catching_up, self._passing_on, self._resizing):
            timer.stop()

    @property
    def _driver(self) -> ChannelDriver | None:
        return self.app.channel_driver if self.app is not None else None

    # Output

    def write(self, text: str) -> None:
        """Send text, unless the channel is closing."""
        if self._channel.is_closing():
            return
        data = text.encode("utf-8", "replace")
        self.sent += len(data)
        self._channel.write(data)
        self.drew()

    def has_room(self) -> bool:
        """Whether the system took all that was written; if not, the app is told later."""
        if self.backlog == 0:
            return True
        if not self._catching_up.is_running:
            self._catching_up.start(CHECK_INTERVAL, self._catch_up)
        return False

    @property
    def backlog(self) -> int:
        """The bytes that are buffered in this process."""
        return unsent(self._connection) + self._channel.get_write_buffer_size()

    def _catch_up(self) -> None:
        if self.has_room() and self.app is not None:
            self.app.caught_up()

    def show_overlay(self, text: str) -> None:
        """Show a line over the first row; "" removes it."""
        if text != self.overlay and self._driver is not None:
            self.overlay = text
            self._driver.show_overlay(text)

    # Keys

    def feed(self, data: bytes) -> None:
        """Take keys for the app."""
        if self._is_over:
            return
        self._state.gc_schedule.typed()
        self._buffer += data
        if not self._passing_on.is_running:
            self.pass_on()
        if len(self._buffer) > BUFFER_MAXIMUM and not self._is_paused:
            self._is_paused = True
            self._channel.pause_reading()

    def keep_unread(self, app: ServedApp[Any]) -> None:
        """Keep what an app that has ended did not handle, for the next one."""
        if app.channel_driver is not None:
            self._unread = app.channel_driver.unread_input(app.unhandled_input)

    def pass_on(self) -> None:
        """Pass on as much as the app may get now, and the rest later."""
        self._passing_on.stop()
        self._resume()
        wait = self._wait()
        if self._buffer and not wait:
            self._deliver_chunk()
        if self._buffer:
            self._passing_on.start(wait, self.pass_on)
        elif self._is_paused:
            self._is_paused = False
            self._channel.resume_reading()

    def _resume(self) -> None:
        """Pass on what the app before has left, if this one accepts input."""
        driver = self._driver
        if self._unread is not None and driver is not None and self._pending() is not None:
            unread, self._unread = self._unread, None
            driver.resume_input(unread)

    def _wait(self) -> float:
        """Return the seconds until the app may get more, 0 for now."""
        pending = self._pending()
        if pending is None:
            return WITHOUT_APP
        if pending > PENDING_MAXIMUM:
            return RETRY_SECONDS
        is_single = not pending and len(self._buffer) <= KEY
        return 0.0 if is_single else self._connection.share.pause()

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
        app = self.app
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
        self._timing.stop()

    def _check_timing_soon(self) -> None:
        self._timing.start(FRAME_CHECK_INTERVAL, self._check_timing)

    def _check_timing(self) -> None:
        """Once the app has processed the key and drawn its changes, end: there is no frame."""
        if self._pending():
            self._check_timing_soon()
        elif self.app is None or not self.app.call_after_refresh(self.stop_timing):
            self.stop_timing()

    # Sizes

    def resize(self, size: tuple[int, int]) -> None:
        """Resize the app soon; of several sizes the last one counts."""
        self._size = size
        if not self._resizing.is_running and self.app is not None:
            self._resizing.start(RESIZE_PAUSE, self._resize)

    def _resize(self) -> None:
        if wait := self._connection.share.pause():
            self._resizing.start(wait, self._resize)
        elif self._driver is not None:
            self._driver.resize(*self._size)
