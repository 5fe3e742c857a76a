"""AppPool that run before anybody comes, so that whoever does finds the animals there.

Only where everybody gets the same (the demo): an app that runs belongs to nobody yet, and has seen
nobody's outbox, name or keys. A terminal of another size or kind than it was drawn for costs a
drawing.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pettui.capabilities import Colours, Glyphs
from pettui.ssh.apps.dependencies import User
from pettui.ssh.client_terminal import UNKNOWN_SIZE, ClientTerminal

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pettui.ssh.apps.dependencies import Dependencies, OpenDependencies
    from pettui.ssh.apps.gc_schedule import GcSchedule
    from pettui.ssh.apps.served_app import ServedApp
    from pettui.ssh.apps.sharing import Sharing
    from pettui.terminal.output import Output

READY = 8  # apps, of a megabyte each
PACE = 0.05  # seconds between two that are started
REST_MAXIMUM = 2.0  # seconds that a rest of all who type is waited for
AFTER_BUG = 60.0  # seconds until the next one, after one that crashed before anybody saw it
PATIENCE = 2.0  # seconds that one gets to end
NOBODY = User("", "")
USUAL = ClientTerminal("xterm-256color", UNKNOWN_SIZE, Colours.MANY, Glyphs.UNICODE)


@dataclass(frozen=True, slots=True)
class OpenApp:
    """An app on a client's terminal, and what it is made of."""

    app: ServedApp
    parts: Dependencies
    ended: Awaitable[None]  # runs the app, if nothing else does


@dataclass(frozen=True, slots=True)
class WarmApp:
    """An app that runs on no terminal."""

    app: ServedApp
    parts: Dependencies
    terminal: ClientTerminal  # that it was made for
    task: asyncio.Task[None]

    def fits(self, terminal: ClientTerminal) -> bool:
        """Say whether it can go on on this terminal."""
        driver = self.app.channel_driver
        is_there = driver is not None and driver.is_drawing and not self.task.done()
        return is_there and self.terminal.settings == terminal.settings

    async def close(self) -> None:
        """End it."""
        if not self.app.is_ending:
            self.app.end()
        _, late = await asyncio.wait({self.task}, timeout=PATIENCE)
        for task in late:
            task.cancel()
            await asyncio.wait({task})
        await self.parts.close()


class AppPool:
    """Opens the apps of a process: those that run already first."""

    def __init__(
        self,
        sharing: Sharing,
        open_parts: OpenDependencies,
        rest: GcSchedule,
        tell_of_bug: Callable[[BaseException], None],
    ) -> None:
        """Begin with none that runs; ``keep_ready`` starts them."""
        self._sharing = sharing
        self._open_parts = open_parts
        self._rest = rest
        self._tell_of_bug = tell_of_bug
        self._usual = USUAL  # the terminal of who came last
        self._warm: list[WarmApp] = []
        self._wanted = asyncio.Event()
        self._wanted.set()

    @property
    def ready(self) -> int:
        """Count those that would be there at once."""
        return sum(warm.fits(warm.terminal) for warm in self._warm)

    def open(self, person: User, terminal: ClientTerminal, wire: Output) -> OpenApp:
        """Give an app on a terminal."""
        self._usual = terminal
        self._rest.typed()
        warm = self._take(terminal)
        if warm is not None:
            self._sharing.attach(warm.app, terminal, wire)
            return OpenApp(warm.app, warm.parts, warm.task)
        parts = self._open_parts(person, terminal)
        app = self._sharing.app(parts, terminal, wire)
        return OpenApp(app, parts, app.run_on_channel(terminal.size, mouse=parts.settings.mouse))

    def _take(self, terminal: ClientTerminal) -> WarmApp | None:
        fitting = [warm for warm in self._warm if warm.fits(terminal)]
        if not fitting:
            return None
        best = max(fitting, key=lambda warm: warm.terminal.picture == terminal.picture)
        self._warm.remove(best)
        self._wanted.set()
        return best

    async def keep_ready(self) -> None:
        """Start apps while there are too few, when nobody is held up by it; until cancelled."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            while len(self._warm) < READY:
                await self._rest.wait(REST_MAXIMUM)
                self._start()
                await asyncio.sleep(PACE)
            await self._bury()

    def _start(self) -> None:
        terminal = self._usual
        parts = self._open_parts(NOBODY, terminal)
        app = self._sharing.app(parts, terminal)
        task = asyncio.create_task(
            app.run_on_channel(terminal.size, mouse=parts.settings.mouse), name="warm app"
        )
        task.add_done_callback(lambda _: self._wanted.set())
        self._warm.append(WarmApp(app, parts, terminal, task))

    async def _bury(self) -> None:
        """Take those away that ended though nobody had them."""
        for warm in [warm for warm in self._warm if warm.task.done()]:
            self._warm.remove(warm)
            await warm.close()
            if warm.app.failure is not None:
                self._tell_of_bug(warm.app.failure)
            await asyncio.sleep(AFTER_BUG)
            self._wanted.set()

    async def close(self) -> None:
        """End those that nobody has."""
        warm, self._warm = self._warm, []
        await asyncio.gather(*(each.close() for each in warm))
