"""AppRunner: runs a user's apps on one channel, one after the other, until the session is over."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from pettui.ssh.apps.bugs import traceback_text
from pettui.ssh.apps.served_app import exit_of
from pettui.ssh.fair_loop import EXITS, current_activity
from pettui.ssh.server_state import BUG
from pettui.ssh.session_input import AppInput
from pettui.ssh.session_limits import IdleClock, ScreenNotes, TimeLimit
from pettui.ssh.session_output import ChannelOutput
from pettui.terminal.guarded_calls import guarded

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.ssh.apps.app_factory import User
    from pettui.ssh.apps.served_app import ServedApp
    from pettui.ssh.asyncssh_internals import SessionChannel
    from pettui.ssh.client_terminal import ClientTerminal
    from pettui.ssh.fair_loop import Activity
    from pettui.ssh.server_state import ServerState

END_SECONDS = 5.0  # for an app to end before it is cancelled


class AppRunner:
    """Runs an app; the session ends with it, unless another one follows."""

    def __init__(self, state: ServerState, user: User, channel: SessionChannel) -> None:
        self._state = state
        self.user = user
        self.output = ChannelOutput(channel)
        self.input = AppInput(state, channel, self)
        self.output.drew = self.input.drew
        options = state.options
        notes = ScreenNotes(self._note)
        self._idle = IdleClock(options.idle_timeout, notes.idle, self._end_idle, self.fail)
        self._time_limit = TimeLimit(options.notice, notes.time, self._end_of_time)
        self.app: ServedApp[Any] | None = None  # the one that runs now
        self._task: asyncio.Task[Any] | None = None
        self._is_opening = False
        self._connection_activity = current_activity()
        self._activities: set[Activity] = set()  # of the session and its apps
        self._forcing: asyncio.TimerHandle | None = None
        self.is_over = False  # for a reason other than that the user quit
        self.reason = "quit"
        self.farewell = ""  # shown once the terminal is restored
        self.message = ""  # the app's own, shown before that
        self.exit_code = 0
        self.failure: Exception | None = None

    async def run(self, terminal: Callable[[], ClientTerminal]) -> None:
        """Run apps until one ends that is not to be restarted.

        Args:
            terminal: returns the current terminal of the user.
        """
        self._task = asyncio.current_task()
        self._activities.add(current_activity())
        self._idle.start()
        try:
            while await self._run_app(terminal):
                pass
        except EXITS as error:  # before there was an app
            self.exit_code, self.message = exit_of(error)
        finally:
            self._idle.stop()
            self.input.stop_timing()

    async def _run_app(self, terminal: Callable[[], ClientTerminal]) -> bool:
        """Run one app; return whether it is to be restarted."""
        if self.is_over:
            return False
        factory = self._state.factory
        self._is_opening = self.input.is_behind = True
        try:
            opened = await self._state.apps.open(self.user, terminal, self.output, self._presented)
        finally:
            self._is_opening = False
        self.input.is_behind = self.input.is_behind and opened.is_behind
        self._activities.add(opened.activity)
        app = self.app = opened.app
        self.input.pass_on()
        self.output.caught_up = guarded(app.caught_up, self.fail)
        try:
            await opened.ended
        finally:
            self.app = None
            self._give_way()
            self.output.close()  # it refers to the app
            if self._forcing is not None:
                self._forcing.cancel()
                self._forcing = None
            self._restore_terminal(app)
            await factory.close(app)
            self._state.gc_schedule.app_ended(app)
        if app.bug is not None:
            self.fail(app.bug)
        self.farewell = self.farewell or factory.farewell(app)
        is_restarted = factory.restarts(app) and not self.is_over
        if is_restarted:
            self.input.keep_left(app)
        elif self.failure is None:
            self.exit_code, self.message = app.return_code or 0, app.last_words
        return is_restarted

    def _presented(self) -> None:
        """Pass on the user's keys, which go before the work for those who log in from now on."""
        self._connection_activity.begin()
        for activity in self._activities:
            activity.begin()
        self.input.is_behind = False
        self.input.pass_on()

    def _give_way(self) -> None:
        """Let others' keys go before the end of an app, for which nobody waits."""
        for activity in self._activities:
            activity.give_way()

    def _restore_terminal(self, app: ServedApp[Any]) -> None:
        """Restore the terminal if the app did not, because it was cancelled or raised."""
        if app.channel_driver is not None:
            guarded(app.channel_driver.stop_application_mode, self.fail)()

    # The end

    def end(self, reason: str, farewell: str = "") -> None:
        """End the session and its app; the first reason counts."""
        app = self.app
        if self.is_over:
            return
        if self._is_opening and self._task is not None:
            self._task.cancel()
        if app is not None:
            if self._forcing is None:
                loop = asyncio.get_running_loop()
                self._forcing = loop.call_later(END_SECONDS, self._force)
            if app.is_ending and not self._state.factory.restarts(app):
                return
            app.request_end()
            self._give_way()
        self.is_over, self.reason, self.farewell = True, reason, farewell

    def fail(self, error: Exception) -> None:
        """End the session because of a bug, which is reported once and mentioned to the user."""
        if self.failure is None:
            self.failure = error
            self._state.report_bug(error)
            self.end("crashed")
            self.reason, self.farewell = "crashed", BUG.format(self._state.options.name)
            self.message = traceback_text(error) if self._state.options.debug else ""

    def _end_idle(self) -> None:
        self.end("idle", f"session ended: no input for {self._idle.timeout_text}")

    def _end_of_time(self) -> None:
        options = self._state.options
        minutes = (options.time_limit + options.notice) / 60
        self.end("time", f"session ended: the limit is {minutes:.0f} minutes while others wait")

    def _force(self) -> None:
        """Cancel the app, which did not end in time."""
        if self._task is not None:
            self._task.cancel()

    def close(self) -> None:
        """Stop input and output."""
        self.output.close()
        self.input.stop()

    def free(self) -> None:
        """Let go of all that refers to this, once nothing can happen any more."""
        self.output.drew = lambda: None
        vars(self.input).clear()
        del self.input, self._idle, self._time_limit

    # While an app runs

    def feed(self, data: bytes) -> None:
        """Pass input to the app."""
        self._idle.touch()
        guarded(self.input.feed, self.fail)(data)

    def limit(self, *, is_asked_to_leave: bool) -> None:
        """Start, continue or stop the countdown of a session that is to make room."""
        guarded(self._time_limit.check, self.fail)(is_asked=is_asked_to_leave)

    def _note(self, text: str) -> None:
        """Show a line over the screen; "" removes it."""
        driver = self.app.channel_driver if self.app is not None else None
        if driver is not None:
            guarded(driver.note, self.fail)(text)
