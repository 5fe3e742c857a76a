"""ConfirmationScreen: asks before something that can't be undone."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any, ClassVar

from textual.message import Message

from pettui import actions
from pettui.tui.keys.bindings import bindings
from pettui.tui.screens.boxes.box_screen import BoxScreen
from pettui.tui.screens.boxes.text_view import TextLines

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events
    from textual.binding import BindingType

    from pettui.presentation.glyphs import GlyphSet


class ConfirmationScreen(BoxScreen):
    """One key confirms; every other key cancels, and does nothing else.

    What was typed before the question stood there does neither.
    """

    HINT = "{confirm} Yes  any other key: No"
    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.CONFIRMATION)

    def __init__(self, glyphs: GlyphSet, title: str, text: str, act: Callable[[], Any]) -> None:
        super().__init__(glyphs, title, [TextLines(glyphs, text)])
        self._act = act
        self._asked_at = inf  # the time of events

    def on_mount(self) -> None:
        """Let later keys answer; Textual calls the base's handler too."""
        self._asked_at = Message().time

    def action_confirm(self) -> None:
        """Run the action."""
        self.dismiss()
        self._act()

    def on_key(self, event: events.Key) -> None:
        """Cancel on every key but those that bindings handle."""
        is_ahead = event.time < self._asked_at
        active = self.active_bindings.get(event.key)
        name = active.binding.id if active is not None else None
        # Behind F7 comes a key, which must not be taken for anything else.
        if name == "enter_key" or (name == "confirm" and not is_ahead):
            return
        event.stop()
        event.prevent_default()
        if not is_ahead:
            self.dismiss()
