"""AppInput: a client's keys and sizes on their way to the app that runs now, if any."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from pettui.ssh.sessions.frame_timer import FrameTimer
from pettui.ssh.sessions.input_throttle import InputThrottle
from pettui.terminal.guarded_calls import guarded

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.ssh.apps.served_app import ServedApp
    from pettui.ssh.asyncssh_internals import SessionChannel
    from pettui.ssh.server_state import ServerState
    from pettui.terminal.channel_driver import ChannelDriver
    from pettui.terminal.driver import LeftInput

RESIZE_PAUSE = 0.03  # seconds after a resize in which others replace it


class AppInput:
    """Passes input on as fast as is fair, and measures how soon a frame follows."""

    def __init__(
        self,
        state: ServerState,
        channel: SessionChannel,
        app: Callable[[], ServedApp[Any] | None],
        fail: Callable[[Exception], None],
    ) -> None:
        """Start without input.

        Args:
            state: of the process.
            channel: of the client.
            app: returns the app that runs now.
            fail: called with exceptions, which end the session.
        """
        self.throttle = InputThrottle(
            guarded(self._typed, fail, otherwise=0),
            guarded(self._pending, fail, otherwise=None),
            guarded(channel.pause_reading, fail, otherwise=None),
            guarded(channel.resume_reading, fail, otherwise=None),
        )
        self.frame_timer = FrameTimer(state.load, self._pending, self._after_drawing)
        self.is_behind = False  # the terminal shows a first frame, but the app not its screen
        self._state = state
        self._app = app
        self._fail = fail
        self._left: LeftInput | None = None  # by the app before this one
        self._size = (0, 0)
        self._resizing: asyncio.TimerHandle | None = None

    def stop(self) -> None:
        """Discard what was not passed on, and all further input."""
        self.throttle.stop()
        self.frame_timer.stop()
        if self._resizing is not None:
            self._resizing.cancel()
            self._resizing = None

    def feed(self, data: bytes) -> None:
        """Pass keys to the app."""
        self._state.gc_schedule.typed()
        self.throttle.feed(data)

    def keep_left(self, app: ServedApp[Any]) -> None:
        """Keep what an app that has ended did not handle, for the next one."""
        if app.channel_driver is not None:
            self._left = app.channel_driver.left_input(app.unhandled_input)

    def pass_on(self) -> None:
        """Pass on what was typed before the app accepted input."""
        guarded(self._resume, self._fail, otherwise=None)()
        self.throttle.wake()

    def _resume(self) -> None:
        """Pass on what the app before has left, if this one accepts input."""
        driver = self._driver
        if self._left is not None and driver is not None and self._pending() is not None:
            left, self._left = self._left, None
            driver.resume_input(left)

    def resize(self, size: tuple[int, int]) -> None:
        """Resize the app soon; of several sizes the last one counts."""
        self._size = size
        if self._resizing is None and self._app() is not None:
            loop = asyncio.get_running_loop()
            resize = guarded(self._resize, self._fail, otherwise=None)
            self._resizing = loop.call_later(RESIZE_PAUSE, resize)

    def _resize(self) -> None:
        self._resizing = None
        if not self.throttle.admit_resize():  # a flood of them is slowed down
            self.resize(self._size)
        elif self._driver is not None:
            self._driver.resize(*self._size)

    def _typed(self, data: bytes) -> int:
        """Pass input to the app; return the number of keys."""
        self._resume()
        self.frame_timer.typed()
        keys = self._driver.feed(data) if self._driver is not None else 0
        self._state.load.typed(keys)
        return keys

    def _pending(self) -> int | None:
        """Return the number of keys in the app's queue; None while no app accepts input."""
        app = self._app()
        if app is None or app.channel_driver is None or app.is_ending or self.is_behind:
            return None
        return app.pending_events

    def _after_drawing(self, call: Callable[[], None]) -> None:
        """Call something once the app has drawn its changes so far, or at once without an app."""
        app = self._app()
        if app is None or not app.call_after_refresh(call):
            call()

    @property
    def _driver(self) -> ChannelDriver | None:
        app = self._app()
        return app.channel_driver if app is not None else None
