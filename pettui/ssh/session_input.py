"""AppInput: a client's keys and sizes on their way to the app that runs now, if any.

A flood slows down only its sender, to a quarter of its process. The cost of a key, a click or a
resize is known only afterwards, and most of it arises in tasks of the app. So it is measured in the
loop: after input was passed to an app, the thread uses CPU time between two checks until the app is
done. Then the session pauses for three times as long, in which the loop is free for others. CPU
time is measured because a timer is also late on a busy machine.

Input before the app is ready, or between one app and the next, is buffered.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, Final

from pettui.terminal.guarded_calls import guarded
from pettui.token_bucket import TokenBucket

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.ssh.apps.served_app import ServedApp
    from pettui.ssh.asyncssh_internals import SessionChannel
    from pettui.ssh.load import ProcessLoad
    from pettui.ssh.server_state import ServerState
    from pettui.terminal.channel_driver import ChannelDriver, LeftInput

CHECK_INTERVAL = 0.005  # seconds between two checks of whether the app is done
BUSY = 0.003  # seconds of CPU time between two checks, above which the thread is busy
QUIET = 0.03  # seconds without work until the app is done, since a frame may still follow
TURN_MAXIMUM = 1.0  # seconds after which a turn ends, since the work may be of other sessions
IDLE_FACTOR = 3.0  # length of the pause, in lengths of the turn
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
FRAME_CHECK_INTERVAL: Final = 0.25  # seconds between two checks for a key without a frame
RESIZE_PAUSE = 0.03  # seconds after a resize in which others replace it


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


class FrameTimer:
    """Measures one key at a time."""

    def __init__(
        self,
        load: ProcessLoad,
        pending: Callable[[], int | None],
        after_drawing: Callable[[Callable[[], None]], None],
    ) -> None:
        """Start without a measurement.

        Args:
            load: of the process, where the times are counted.
            pending: returns the number of keys in the app's queue; None without an app.
            after_drawing: calls something once the app has drawn its changes so far.
        """
        self._load = load
        self._pending = pending
        self._after_drawing = after_drawing
        self._began = 0.0  # by the loop's clock; 0 without a measurement
        self._timer: asyncio.TimerHandle | None = None

    def typed(self) -> None:
        """Start a measurement if this key is in the sample; the app gets it now."""
        if not self._began and self._load.wants_sample():
            self._began = asyncio.get_running_loop().time()
            self._check_soon()

    def drew(self) -> None:
        """Count the time of the key that is measured, if any."""
        if self._began:
            self._load.drew(asyncio.get_running_loop().time() - self._began)
            self.stop()

    def stop(self) -> None:
        """End the measurement."""
        self._began = 0.0
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _check_soon(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(FRAME_CHECK_INTERVAL, self._check)

    def _check(self) -> None:
        """Once the app has processed the key, give up unless a frame follows."""
        self._timer = None
        if self._pending():
            self._check_soon()
        else:
            self._after_drawing(self.stop)


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
