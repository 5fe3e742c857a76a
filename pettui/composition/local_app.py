"""LocalApp: the app on the terminal of this process, drawn by our own driver (POSIX)."""

from __future__ import annotations

from functools import partial
from typing import Any

from textual import events
from textual.drivers.linux_driver import LinuxDriver

from pettui.system.capabilities import Colours, erases, is_console
from pettui.system.idle_collection import CHECK_SECONDS, IdleCollection, collect_young_objects_alone
from pettui.terminal.cell_app import CellApp
from pettui.terminal.tty_driver import TtyDriver
from pettui.tui.app import PetApp


class LocalApp(CellApp[None], PetApp):
    """Draws only changed cells, and collects garbage while nobody types."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._collection = IdleCollection()

    async def on_mount(self) -> None:
        """Check regularly whether it is time to collect garbage."""
        collect_young_objects_alone()
        self.set_interval(CHECK_SECONDS, self._collection.collect_if_time)

    def end_at_signal(self, number: int) -> None:
        """End, unless a key sent the signal, and a program of the user's own has the terminal."""
        if self.own_commands is None or not self.own_commands.pass_on(number):
            self.end()

    async def on_event(self, event: events.Event) -> None:
        """Note that the user types or uses the mouse."""
        if isinstance(event, events.InputEvent):
            self._collection.typed()
        await super().on_event(event)


def drive_terminal(app: PetApp, colours: Colours, kind: str) -> None:
    """Let an app use our driver instead of Textual's, and end with its terminal.

    Args:
        app: not running yet.
        colours: that the terminal can show.
        kind: TERM.
    """
    if app.driver_class is LinuxDriver:
        app.driver_class = partial(  # type: ignore[assignment]
            TtyDriver,
            colours=colours,
            takes_alt=False,  # ``OrderedKeysApp`` wants Esc and a letter
            erases=erases(kind),
            shows_cursor=app.session.settings.show_cursor,
            is_console=is_console(kind),
            hung_up=app.end,
            is_ending=lambda: app.is_asked_to_end,
            has_successor=lambda: bool(app.next_profile),
        )
