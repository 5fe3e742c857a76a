"""ConfirmationScreen: asks once before something that can't be undone."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pettui import actions
from pettui.tui.keys.bindings import bindings
from pettui.tui.screens.boxes.box_screen import BoxScreen
from pettui.tui.screens.boxes.text_view import TextLines

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events
    from textual.binding import BindingType

    from pettui.tui.look import Look


class ConfirmationScreen(BoxScreen):
    """One key does it; every other leaves it, and means nothing else here."""

    HINT = "{confirm} Yes  any other key: no"
    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.CONFIRMATION)

    def __init__(self, look: Look, title: str, text: str, act: Callable[[], None]) -> None:
        super().__init__(look, title, [TextLines(look, text)])
        self._act = act

    def action_confirm(self) -> None:
        """Do it."""
        self.dismiss()
        self._act()

    def on_key(self, event: events.Key) -> None:
        """Leave it, but for the key that does it, which goes on to its binding."""
        active = self.active_bindings.get(event.key)
        if active is not None and active.binding.id == "confirm":
            return
        event.stop()
        event.prevent_default()
        self.dismiss()
