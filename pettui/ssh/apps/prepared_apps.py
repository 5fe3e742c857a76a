"""PreparedApps: apps that run before their users log in, for terminals like those of the latest."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from pettui.ssh.apps.prepared_app import PreparedApp

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.ssh.apps.app_factory import AppFactory
    from pettui.ssh.apps.first_frames import FirstFrames
    from pettui.ssh.apps.gc_schedule import GcSchedule
    from pettui.ssh.apps.recent_terminals import RecentTerminals
    from pettui.ssh.apps.shared_resources import SharedResources
    from pettui.ssh.apps.starts import Starts
    from pettui.ssh.client_terminal import ClientTerminal
    from pettui.terminal.channel_driver import FirstFrame

PACE = 0.05  # seconds between two starts
IDLE_MAXIMUM = 2.0  # seconds to wait for a moment without input
AFTER_BUG = 60.0  # seconds until the next start, after an app crashed that had no user


class PreparedApps:
    """Apps without users, of which those that look alike share a first frame."""

    def __init__(
        self,
        shared: SharedResources,
        factory: AppFactory[Any],
        gc_schedule: GcSchedule,
        report_bug: Callable[[BaseException], None],
        *,
        recent: RecentTerminals,
        frames: FirstFrames,
        starts: Starts,
        number: int,
    ) -> None:
        """Start without apps; ``keep_ready`` starts them. For the arguments see ``AppPool``."""
        self._shared = shared
        self._factory = factory
        self._gc_schedule = gc_schedule
        self._report_bug = report_bug
        self._recent = recent
        self._frames = frames
        self._starts = starts
        self._number = number
        self._apps: list[PreparedApp] = []
        self._wanted = asyncio.Event()

    @property
    def ready(self) -> int:
        """How many can be opened at once."""
        return sum(one.fits(one.terminal) for one in self._apps)

    def best(self, terminal: ClientTerminal) -> PreparedApp | None:
        """Return the one that suits a terminal best; None if none can be attached to it."""
        fitting = [one for one in self._apps if one.fits(terminal)]
        return max(fitting, key=lambda one: one.terminal.look == terminal.look, default=None)

    def remove(self, prepared: PreparedApp) -> None:
        """Remove one that has a user now; another one is started in its place."""
        self._apps.remove(prepared)
        self._wanted.set()

    def first_frame(self, prepared: PreparedApp, terminal: ClientTerminal) -> FirstFrame | None:
        """Return what an app that was not drawn shows first on a terminal, as drawn by another."""
        if prepared.terminal.look != terminal.look:
            return None
        drawn = [one for one in self._drawn(terminal) if one.is_settled]
        driver = drawn[0].app.channel_driver if drawn else None
        if driver is not None and not self._frames.is_fresh(terminal):
            self._frames.keep(terminal, driver.first_frame())
        return None if prepared.app.is_drawn else self._frames.find(terminal)

    def _drawn(self, terminal: ClientTerminal) -> list[PreparedApp]:
        alike = (one for one in self._apps if one.terminal.look == terminal.look)
        return [one for one in alike if one.app.draws_before_user and one.fits(terminal)]

    async def keep_ready(self) -> None:
        """Start apps while there are too few, when nobody types; until cancelled."""
        self._wanted.set()  # an exception, or a cancellation, may have left too few
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            while len(self._apps) < self._number:
                await self._start()
            await self._remove_ended()
            await self._replace_outdated()

    async def _start(self) -> None:
        await self._gc_schedule.wait(IDLE_MAXIMUM)
        end_turn = await self._starts.turn()
        try:
            self._prepare()
            await asyncio.sleep(PACE)
        finally:
            end_turn()

    def _prepare(self) -> None:
        terminal = self._recent.next(one.terminal for one in self._apps)
        app = self._factory.prepare(terminal)
        self._shared.fit(app, terminal)
        # One of all that look alike draws, and the others need not.
        app.draws_before_user = not (self._frames.is_fresh(terminal) or self._drawn(terminal))
        prepared = PreparedApp.start(app, terminal)
        prepared.task.add_done_callback(lambda _: self._wanted.set())
        self._apps.append(prepared)

    async def _remove_ended(self) -> None:
        """Remove apps that have ended without a user."""
        for one in [one for one in self._apps if one.task.done()]:
            self._apps.remove(one)
            await self._factory.close(one.app)
            if one.app.bug is not None:
                self._report_bug(one.app.bug)
            self._gc_schedule.app_ended(one.app)
            await asyncio.sleep(AFTER_BUG)
            self._wanted.set()

    async def _replace_outdated(self) -> None:
        """Replace an app, if any, that none of the latest users could have seen as it is."""
        outdated = [one for one in self._apps if self._recent.is_outdated(one.terminal)]
        if outdated and len(self._apps) >= self._number:
            self.remove(outdated[0])
            await self._close(outdated[0])

    async def close(self) -> None:
        """End the prepared apps."""
        apps, self._apps = self._apps, []
        await asyncio.gather(*(self._close(one) for one in apps))

    async def _close(self, prepared: PreparedApp) -> None:
        await prepared.end()
        await self._factory.close(prepared.app)
        self._gc_schedule.app_ended(prepared.app)
