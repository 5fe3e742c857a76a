"""PreparedApp: an app that runs without a terminal and a user."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pettui.ssh.fair_loop import activity_context

if TYPE_CHECKING:
    from pettui.ssh.apps.served_app import ServedApp
    from pettui.ssh.client_terminal import ClientTerminal
    from pettui.ssh.fair_loop import Activity

END_SECONDS = 2.0  # for an app to end before it is cancelled
SETTLED = 1.0  # seconds after its start, until an app is drawn completely


@dataclass(frozen=True, slots=True)
class PreparedApp:
    """An app that gives way to all others until it has a user."""

    app: ServedApp[Any]
    terminal: ClientTerminal  # that it was created for
    task: asyncio.Task[None]
    activity: Activity
    started_at: float  # by the loop's clock

    @classmethod
    def start(cls, app: ServedApp[Any], terminal: ClientTerminal) -> PreparedApp:
        """Run an app."""
        context, activity = activity_context()
        task = asyncio.create_task(
            app.run_on_channel(terminal.size), name="prepared app", context=context
        )
        return cls(app, terminal, task, activity, asyncio.get_running_loop().time())

    def fits(self, terminal: ClientTerminal) -> bool:
        """Whether it can be attached to this terminal."""
        driver = self.app.channel_driver
        is_there = driver is not None and driver.is_drawing and not self.task.done()
        is_there = is_there and not self.app.is_ending
        return is_there and self.terminal.characters == terminal.characters

    @property
    def is_settled(self) -> bool:
        """Whether it has been drawn completely, as far as can be told."""
        return asyncio.get_running_loop().time() - self.started_at > SETTLED

    async def end(self) -> None:
        """End it, or cancel it if it does not end in time."""
        if not self.app.is_ending:
            self.app.request_end()
        _, late = await asyncio.wait({self.task}, timeout=END_SECONDS)
        for task in late:
            task.cancel()
            await asyncio.wait({task})
