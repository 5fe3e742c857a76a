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
from pettui.ssh.apps.prepared_app import PreparedApp
from pettui.ssh.apps.recent_terminals import RecentTerminals
from pettui.ssh.apps.starts import Starts

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pettui.ssh.apps.app_factory import AppFactory, User
    from pettui.ssh.apps.gc_schedule import GcSchedule
    from pettui.ssh.apps.served_app import ServedApp
    from pettui.ssh.apps.shared_resources import SharedResources
    from pettui.ssh.client_terminal import ClientTerminal
    from pettui.terminal.first_frame import FirstFrame
    from pettui.terminal.output.output import Output

PACE = 0.05  # seconds between two starts
IDLE_MAXIMUM = 2.0  # seconds to wait for a moment without input
LONGEST = 10.0  # seconds behind a first frame, until an app is drawn with animals or without
AFTER_BUG = 60.0  # seconds until the next start, after an app crashed that had no user


@dataclass(frozen=True, slots=True)
class OpenApp:
    """An app on a user's terminal."""

    app: ServedApp[Any]
    ended: Awaitable[None]  # runs the app, unless it is running already
    is_behind: bool = (
        False  # the user saw a first frame before; keys are to wait for the app's screen
    )


class AppPool:
    """The apps of a process, of which some wait for their users."""

    def __init__(
        self,
        shared: SharedResources,
        factory: AppFactory[Any],
        gc_schedule: GcSchedule,
        report_bug: Callable[[BaseException], None],
        wanted: int,
    ) -> None:
        """Start without apps; ``keep_ready`` starts them.

        Args:
            shared: by all apps of the process.
            factory: creates the apps.
            gc_schedule: knows when there is no input.
            report_bug: called with the bug of an app that crashed without a user.
            wanted: how many should be ready.
        """
        self._shared = shared
        self._factory = factory
        self._gc_schedule = gc_schedule
        self._report_bug = report_bug
        self._number_wanted = wanted
        self._recent = RecentTerminals()
        self._frames = FirstFrames()
        self._prepared: list[PreparedApp] = []
        self._wanted = asyncio.Event()
        self._wanted.set()
        self.starts = Starts()  # of apps; their users see the first frame already

    @property
    def ready(self) -> int:
        """How many apps can be opened at once."""
        return sum(one.fits(one.terminal) for one in self._prepared)

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
        chosen = terminal()
        self._recent.add(chosen)
        prepared = self._best(chosen)
        frame = self._frames.find(chosen)
        if prepared is not None and (frame is None or prepared.terminal.look == chosen.look):
            return self._claim(prepared, user, chosen, output, on_presented)
        if frame is None:
            app = self._new(user, chosen, output)
            app.begin(on_presented)
            return OpenApp(app, app.run_on_channel(chosen.size))
        output.write(frame.output)
        end_turn = await self._turn(frame, output)
        now = terminal()
        is_same = now.look == chosen.look
        if not is_same:
            output.write(frame.reset)

        def presented() -> None:
            end_turn()
            on_presented()

        app = self._new(user, now, output, frame if is_same else None)
        app.begin(presented, is_behind=is_same, longest=LONGEST)
        return OpenApp(app, app.run_on_channel(now.size), is_behind=True)

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
        shown = self._shown(prepared, terminal)
        try:
            app = self._factory.claim(user, terminal, prepared.app)
            if shown is not None:
                output.write(shown.output)
            self._shared.attach(app, terminal, output, shown)
        except Exception:
            prepared.app.exit()  # ``keep_ready`` removes it
            raise
        self._prepared.remove(prepared)
        self._wanted.set()

        def presented() -> None:
            prepared.priority.increase()
            on_presented()

        app.begin(presented, is_behind=shown is not None, longest=LONGEST)
        if app.is_drawn and prepared.terminal.look == terminal.look:
            app.presented()
        return OpenApp(app, prepared.task, shown is not None)

    def _shown(self, prepared: PreparedApp, terminal: ClientTerminal) -> FirstFrame | None:
        """Return the first frame of a prepared app that did not draw it."""
        if prepared.terminal.look != terminal.look:
            return None
        self._keep_frame(terminal)
        return None if prepared.app.is_drawn else self._frames.find(terminal)

    def _keep_frame(self, terminal: ClientTerminal) -> None:
        """Keep the first frame for a terminal if an app drew one."""
        drawn = [one for one in self._drawn(terminal) if one.is_settled]
        driver = drawn[0].app.channel_driver if drawn else None
        if driver is not None and not self._frames.is_fresh(terminal):
            self._frames.keep(terminal, driver.first_frame())

    def _drawn(self, terminal: ClientTerminal) -> list[PreparedApp]:
        alike = (one for one in self._prepared if one.terminal.look == terminal.look)
        return [one for one in alike if one.app.draws_before_user and one.fits(terminal)]

    def _best(self, terminal: ClientTerminal) -> PreparedApp | None:
        fitting = [one for one in self._prepared if one.fits(terminal)]
        return max(fitting, key=lambda one: one.terminal.look == terminal.look, default=None)

    # Preparing apps

    async def keep_ready(self) -> None:
        """Start apps while there are too few, when nobody types; until cancelled."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            while len(self._prepared) < self._number_wanted:
                await self._start()
            await self._remove_ended()
            await self._replace_outdated()

    async def _start(self) -> None:
        await self._gc_schedule.wait(IDLE_MAXIMUM)
        end_turn = await self.starts.turn()
        try:
            self._prepare()
            await asyncio.sleep(PACE)
        finally:
            end_turn()

    def _prepare(self) -> None:
        terminal = self._recent.next(one.terminal for one in self._prepared)
        app = self._factory.prepare(terminal)
        self._shared.fit(app, terminal)
        # One of all that look alike draws, and the others need not.
        app.draws_before_user = not (self._frames.is_fresh(terminal) or self._drawn(terminal))
        prepared = PreparedApp.start(app, terminal)
        prepared.task.add_done_callback(lambda _: self._wanted.set())
        self._prepared.append(prepared)

    async def _remove_ended(self) -> None:
        """Remove apps that have ended without a user."""
        for one in [one for one in self._prepared if one.task.done()]:
            self._prepared.remove(one)
            await self._factory.close(one.app)
            if one.app.bug is not None:
                self._report_bug(one.app.bug)
            await asyncio.sleep(AFTER_BUG)
            self._wanted.set()

    async def _replace_outdated(self) -> None:
        """Replace an app, if any, that none of the latest users could have seen as it is."""
        outdated = [one for one in self._prepared if self._recent.is_outdated(one.terminal)]
        if outdated and len(self._prepared) >= self._number_wanted:
            self._prepared.remove(outdated[0])
            self._wanted.set()
            await self._close(outdated[0])

    async def close(self) -> None:
        """End the prepared apps."""
        prepared, self._prepared = self._prepared, []
        await asyncio.gather(*(self._close(one) for one in prepared))

    async def _close(self, prepared: PreparedApp) -> None:
        await prepared.end()
        await self._factory.close(prepared.app)
