"""ConfirmationScreen: asks before something that can't be undone."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar

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
        self._asked_at = 0.0 if takes_keys_ahead else monotonic()

    async def before_key(self, event: events.Key | events.Paste) -> bool:
        """Handle only what was typed after the question was asked."""
        return event.time > self._asked_at

    def action_confirm(self) -> None:
        """Run the action."""
        self.dismiss()
        self._act()

    def on_key(self, event: events.Key) -> None:
        """Cancel on every key but the one that confirms, which its binding handles."""
        active = self.active_bindings.get(event.key)
        if active is not None and active.binding.id == "confirm":
            return
        event.stop()
        event.prevent_default()
        self.dismiss()
