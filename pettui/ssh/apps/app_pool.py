"""AppPool: apps that run before anybody logs in, so that whoever does finds the first frame there.

Only where the factory can prepare some: an app that runs is nobody's yet. A terminal of another
size or other colours than it was drawn for costs a drawing.
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

READY = 8  # apps of 0.8 MB each, however many people are there
PACE = 0.05  # seconds between two that are started
IDLE_MAXIMUM = 2.0  # seconds that a moment in which nobody types is waited for
AFTER_BUG = 60.0  # seconds until the next one, after one that crashed before anybody saw it
PATIENCE = 2.0  # seconds that one gets to end
USUAL = ClientTerminal("xterm-256color", UNKNOWN_SIZE, Colours.MANY, Glyphs.UNICODE)

AnyApp: TypeAlias = ServedApp[Any]


@dataclass(frozen=True, slots=True)
class OpenApp:
    """An app on a user's terminal."""

    app: AnyApp
    ended: Awaitable[None]  # runs the app, if nothing else does


@dataclass(frozen=True, slots=True)
class PreparedApp:
    """An app that runs on no terminal, for nobody yet."""

    app: AnyApp
    terminal: ClientTerminal  # that it was made for
    task: asyncio.Task[None]

    def fits(self, terminal: ClientTerminal) -> bool:
        """Whether it can go on on this terminal."""
        driver = self.app.channel_driver
        is_there = driver is not None and driver.is_drawing and not self.task.done()
        is_there = is_there and not self.app.is_ending
        return is_there and self.terminal.characters == terminal.characters

    async def end(self) -> None:
        """End it, by force where it does not end by itself."""
        if not self.app.is_ending:
            self.app.request_end()
        _, late = await asyncio.wait({self.task}, timeout=PATIENCE)
        for task in late:
            task.cancel()
            await asyncio.wait({task})


class AppPool:
    """Opens the apps of a process: those that run already first."""

    def __init__(
        self,
        shared: SharedResources,
        factory: AppFactory[Any],
        gc_schedule: GcSchedule,
        tell_of_bug: Callable[[BaseException], None],
        wanted: Callable[[], int],
    ) -> None:
        """Begin with none that runs; ``keep_ready`` starts them.

        Args:
            shared: by the apps of the process.
            factory: makes them.
            gc_schedule: knows when nobody types.
            tell_of_bug: told of one that crashed before anybody saw it.
            wanted: returns how many are to be ready now.
        """
        self._shared = shared
        self._factory = factory
        self._gc_schedule = gc_schedule
        self._tell_of_bug = tell_of_bug
        self._number_wanted = wanted
        self._usual = USUAL  # the terminal of who came last
        self._prepared: list[PreparedApp] = []
        self._wanted = asyncio.Event()
        self._wanted.set()

    @property
    def ready(self) -> int:
        """How many would be there at once."""
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
            prepared.app.exit()  # nobody gets it; ``keep_ready`` removes it
            raise
        self._prepared.remove(prepared)
        self._wanted.set()
        return OpenApp(app, prepared.task)

    def _best(self, terminal: ClientTerminal) -> PreparedApp | None:
        fitting = [one for one in self._prepared if one.fits(terminal)]
        return max(fitting, key=lambda one: one.terminal.picture == terminal.picture, default=None)

    async def keep_ready(self) -> None:
        """Start apps while there are too few, when nobody is held up by it; until cancelled."""
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
        """Remove those that ended though nobody had them."""
        for one in [one for one in self._prepared if one.task.done()]:
            self._prepared.remove(one)
            await self._factory.close(one.app)
            if one.app.bug is not None:
                self._tell_of_bug(one.app.bug)
            await asyncio.sleep(AFTER_BUG)
            self._wanted.set()

    async def close(self) -> None:
        """End those that nobody has."""
        prepared, self._prepared = self._prepared, []
        await asyncio.gather(*(self._close(one) for one in prepared))

    async def _close(self, prepared: PreparedApp) -> None:
        await prepared.end()
        await self._factory.close(prepared.app)
