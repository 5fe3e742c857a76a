"""ConfirmationScreen: asks before something that can't be undone."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.message import Message

from pettui import actions
from pettui.tui.keys.bindings import bindings
from pettui.tui.screens.boxes.box_screen import BoxScreen
from pettui.tui.screens.boxes.text_view import TextLines

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.binding import BindingType

    from pettui.glyphs import GlyphSet


class ConfirmationScreen(BoxScreen):
    """One key confirms; every other key cancels, and does nothing else.

    Unless nothing that was typed can be lost, a key that came before the question does neither.
    """

    HINT = "{confirm} Yes  any other key: No"
    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.CONFIRMATION)

    def __init__(
        self,
        glyphs: GlyphSet,
        title: str,
        text: str,
        act: Callable[[], Any],
        *,
        takes_keys_ahead: bool = False,
    ) -> None:
        super().__init__(glyphs, title, [TextLines(glyphs, text)])
        self._act = act
        self._takes_keys_ahead = takes_keys_ahead
        self._asked_at = -inf if takes_keys_ahead else inf  # in the time of events

    def on_mount(self) -> None:
        """Let later keys answer; Textual calls the base's handler too."""
        if not self._takes_keys_ahead:
            self._asked_at = Message().time

    async def before_key(self, event: events.Key | events.Paste) -> bool:
        """Handle only what was typed after the question was asked, and the key for an API key.

        Behind that one comes a key, which must not be taken for anything else.
        """
        is_for_key = isinstance(event, events.Key) and self._name_of(event) == "enter_key"
        return is_for_key or event.time > self._asked_at

    def _name_of(self, event: events.Key) -> str | None:
        active = self.active_bindings.get(event.key)
        return None if active is None else active.binding.id

    def action_confirm(self) -> None:
        """Run the action."""
        self.dismiss()
        self._act()

    def on_key(self, event: events.Key) -> None:
        """Cancel on every key but those that bindings handle."""
        if self._name_of(event) in ("confirm", "enter_key"):
            return
        event.stop()
        event.prevent_default()
        self.dismiss()
