"""AppPool: apps that run before a user logs in, so that the first frame is shown at once.

There are none unless the factory can prepare apps without a user. On a terminal of another size or
other colours an app is drawn once more.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from pettui.capabilities import Colours, Glyphs
from pettui.ssh.apps.served_app import ServedApp
from pettui.ssh.client_terminal import UNKNOWN_SIZE, ClientTerminal

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pettui.ssh.apps.app_factory import AppFactory, User
    from pettui.ssh.apps.gc_schedule import GcSchedule
    from pettui.ssh.apps.shared_resources import SharedResources
    from pettui.terminal.output.output import Output

READY = 8  # apps of 0.8 MB each, however many sessions there are
PACE = 0.05  # seconds between two starts
IDLE_MAXIMUM = 2.0  # seconds to wait for a moment without input
AFTER_BUG = 60.0  # seconds until the next start, after an app crashed that had no user
END_SECONDS = 2.0  # for an app to end before it is cancelled
USUAL = ClientTerminal("xterm-256color", UNKNOWN_SIZE, Colours.MANY, Glyphs.UNICODE)

AnyApp: TypeAlias = ServedApp[Any]


@dataclass(frozen=True, slots=True)
class OpenApp:
    """An app on a user's terminal."""

    app: AnyApp
    ended: Awaitable[None]  # runs the app, unless it is running already


@dataclass(frozen=True, slots=True)
class PreparedApp:
    """An app that runs without a terminal and a user."""

    app: AnyApp
    terminal: ClientTerminal  # that it was created for
    task: asyncio.Task[None]

    def fits(self, terminal: ClientTerminal) -> bool:
        """Whether it can be attached to this terminal."""
        driver = self.app.channel_driver
        is_there = driver is not None and driver.is_drawing and not self.task.done()
        is_there = is_there and not self.app.is_ending
        return is_there and self.terminal.characters == terminal.characters

    async def end(self) -> None:
        """End it, or cancel it if it does not end in time."""
        if not self.app.is_ending:
            self.app.request_end()
        _, late = await asyncio.wait({self.task}, timeout=END_SECONDS)
        for task in late:
            task.cancel()
            await asyncio.wait({task})


class AppPool:
    """Opens the apps of a process, prepared ones first."""

    def __init__(
        self,
        shared: SharedResources,
        factory: AppFactory[Any],
        gc_schedule: GcSchedule,
        report_bug: Callable[[BaseException], None],
        wanted: Callable[[], int],
    ) -> None:
        """Start without apps; ``keep_ready`` starts them.

        Args:
            shared: by all apps of the process.
            factory: creates the apps.
            gc_schedule: knows when there is no input.
            report_bug: called with the bug of an app that crashed without a user.
            wanted: returns how many should be ready now.
        """
        self._shared = shared
        self._factory = factory
        self._gc_schedule = gc_schedule
        self._report_bug = report_bug
        self._number_wanted = wanted
        self._usual = USUAL  # the terminal of the latest user
        self._prepared: list[PreparedApp] = []
        self._wanted = asyncio.Event()
        self._wanted.set()

    @property
    def ready(self) -> int:
        """How many apps can be opened at once."""
        return sum(one.fits(one.terminal) for one in self._prepared)

    def open(self, user: User, terminal: ClientTerminal, output: Output) -> OpenApp:
        """Return a user's app on a terminal."""
        self._usual = terminal
        self._gc_schedule.typed()
        prepared = self._best(terminal)
        if prepared is None:
            app = self._factory.claim(user, terminal, None)
            self._shared.fit(app, terminal, output)
            return OpenApp(app, app.run_on_channel(terminal.size))
        try:
            app = self._factory.claim(user, terminal, prepared.app)
            self._shared.attach(app, terminal, output)
        except Exception:
            prepared.app.exit()  # ``keep_ready`` removes it
            raise
        self._prepared.remove(prepared)
        self._wanted.set()
        return OpenApp(app, prepared.task)

    def _best(self, terminal: ClientTerminal) -> PreparedApp | None:
        fitting = [one for one in self._prepared if one.fits(terminal)]
        return max(fitting, key=lambda one: one.terminal.picture == terminal.picture, default=None)

    async def keep_ready(self) -> None:
        """Start apps while there are too few, when nobody types; until cancelled."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            while len(self._prepared) < self._number_wanted():
                await self._gc_schedule.wait(IDLE_MAXIMUM)
                self._start()
                await asyncio.sleep(PACE)
            await self._remove_ended()

    def _start(self) -> None:
        terminal = self._usual
        app = self._factory.prepare(terminal)
        self._shared.fit(app, terminal)
        task = asyncio.create_task(app.run_on_channel(terminal.size), name="prepared app")
        task.add_done_callback(lambda _: self._wanted.set())
        self._prepared.append(PreparedApp(app, terminal, task))

    async def _remove_ended(self) -> None:
        """Remove apps that have ended without a user."""
        for one in [one for one in self._prepared if one.task.done()]:
            self._prepared.remove(one)
            await self._factory.close(one.app)
            if one.app.bug is not None:
                self._report_bug(one.app.bug)
            await asyncio.sleep(AFTER_BUG)
            self._wanted.set()

    async def close(self) -> None:
        """End the prepared apps."""
        prepared, self._prepared = self._prepared, []
        await asyncio.gather(*(self._close(one) for one in prepared))

    async def _close(self, prepared: PreparedApp) -> None:
        await prepared.end()
        await self._factory.close(prepared.app)
