"""AppPool: opens the apps of a process, so that the first frame is shown at once.

If the factory can prepare apps without a user, some run before anyone logs in, and all users see
the same at first. So where none is ready for a user's terminal, what another one drew is sent, and
an app starts behind it, a few at a time. On a terminal of another size or other colours than it was
prepared for, an app is drawn once more.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pettui.ssh.apps.first_frames import FirstFrames
from pettui.ssh.apps.prepared_apps import PreparedApps
from pettui.ssh.apps.recent_terminals import RecentTerminals
from pettui.ssh.apps.served_app import SOON
from pettui.ssh.apps.starts import Starts
from pettui.ssh.fair_loop import current_activity

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pettui.ssh.apps.app_factory import AppFactory, User
    from pettui.ssh.apps.gc_schedule import GcSchedule
    from pettui.ssh.apps.prepared_app import PreparedApp
    from pettui.ssh.apps.served_app import ServedApp
    from pettui.ssh.apps.shared_resources import SharedResources
    from pettui.ssh.client_terminal import ClientTerminal
    from pettui.ssh.fair_loop import Activity
    from pettui.terminal.channel_driver import FirstFrame
    from pettui.terminal.driver import Output

LONGEST = 10.0  # seconds behind a first frame, until an app is drawn although something is missing


@dataclass(frozen=True, slots=True)
class OpenApp:
    """An app on a user's terminal."""

    app: ServedApp[Any]
    ended: Awaitable[None]  # runs the app, unless it is running already
    activity: Activity  # the session's, unless it was running already
    is_behind: bool = False  # the user saw a first frame before; keys wait for the app's screen


class AppPool:
    """The apps of a process, of which some wait for their users."""

    def __init__(
        self,
        shared: SharedResources,
        factory: AppFactory[Any],
        gc_schedule: GcSchedule,
        report_bug: Callable[[BaseException], None],
        number: int,
    ) -> None:
        """Start without apps.

        Args:
            shared: by all apps of the process.
            factory: creates the apps.
            gc_schedule: knows when there is no input.
            report_bug: called with the bug of an app that crashed without a user.
            number: how many apps should be ready.
        """
        self._shared = shared
        self._factory = factory
        self._gc_schedule = gc_schedule
        self._recent = RecentTerminals()
        self._frames = FirstFrames()
        self.starts = Starts()  # of apps whose users see the first frame, and of prepared ones
        self.prepared = PreparedApps(
            shared, factory, gc_schedule, report_bug,
            recent=self._recent, frames=self._frames, starts=self.starts, number=number,
        )  # fmt: skip

    async def open(
        self,
        user: User,
        terminal: Callable[[], ClientTerminal],
        output: Output,
        on_presented: Callable[[], None],
    ) -> OpenApp:
        """Return a user's app; if none is ready, show the first frame until it may start.

        Args:
            user: who logged in.
            terminal: returns the terminal to draw on, as it is at that time.
            output: of the terminal.
            on_presented: called once the user sees the app's first screen.
        """
        self._gc_schedule.typed()
        current = terminal()
        self._recent.add(current)
        prepared = self.prepared.best(current)
        frame = self._frames.find(current)
        if prepared is not None and (frame is None or prepared.terminal.look == current.look):
            return self._claim(prepared, user, current, output, on_presented)
        if frame is not None:
            return await self._open_behind(frame, user, terminal, output, on_presented)
        app = self._new(user, current, output)
        app.begin(on_presented)
        return OpenApp(app, app.run_on_channel(current.size), current_activity())

    async def _open_behind(
        self,
        frame: FirstFrame,
        user: User,
        terminal: Callable[[], ClientTerminal],
        output: Output,
        on_presented: Callable[[], None],
    ) -> OpenApp:
        """Return a user's app, which starts behind the first frame of this terminal."""
        before = terminal()
        output.write(frame.output)
        end_turn = await self._turn(frame, output)
        now = terminal()
        is_same = now.look == before.look
        if not is_same:
            output.write(frame.reset)

        def presented() -> None:
            end_turn()
            on_presented()

        try:
            app = self._new(user, now, output, frame if is_same else None)
        except Exception:
            output.write(frame.reset)  # twice does no harm
            raise
        app.begin(presented, is_behind=is_same, longest=LONGEST)
        return OpenApp(app, app.run_on_channel(now.size), current_activity(), is_behind=True)

    async def _turn(self, frame: FirstFrame, output: Output) -> Callable[[], None]:
        """Wait for a turn behind a first frame, which is removed if the user leaves."""
        try:
            return await self.starts.turn()
        except asyncio.CancelledError:
            output.write(frame.reset)
            raise

    def _new(
        self,
        user: User,
        terminal: ClientTerminal,
        output: Output,
        shown: FirstFrame | None = None,
    ) -> ServedApp[Any]:
        app: ServedApp[Any] = self._factory.claim(user, terminal, None)
        self._shared.fit(app, terminal, output, shown)
        return app

    def _claim(
        self,
        prepared: PreparedApp,
        user: User,
        terminal: ClientTerminal,
        output: Output,
        on_presented: Callable[[], None],
    ) -> OpenApp:
        shown = self.prepared.first_frame(prepared, terminal)
        prepared.activity.share = current_activity().share
        try:
            app = self._factory.claim(user, terminal, prepared.app)
            if shown is not None:
                output.write(shown.output)
            self._shared.attach(app, terminal, output, shown)
        except Exception:
            prepared.app.exit()  # then it is removed
            raise
        self.prepared.remove(prepared)

        def presented() -> None:
            prepared.activity.begin()
            on_presented()

        is_behind = shown is not None
        app.begin(presented, is_behind=is_behind, longest=LONGEST if is_behind else SOON)
        if app.is_drawn and prepared.terminal.look == terminal.look:
            app.presented()
        return OpenApp(app, prepared.task, prepared.activity, is_behind)
