"""BoxScreen: a modal box with a title, and hints of keys at its foot."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen

from pettui import actions
from pettui.tui.appearance.breakpoints import fit_size
from pettui.tui.keys.available_actions import hints
from pettui.tui.keys.bindings import bindings
from pettui.tui.wording.failures import too_long

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.events import Resize
    from textual.widget import Widget

    from pettui.presentation.glyphs import GlyphSet
    from pettui.tui.messages import PasteRefused


class BoxScreen(ModalScreen[None]):
    """Stays open until a key closes it."""

    BOX: ClassVar[type[Widget]] = VerticalScroll
    BINDINGS: ClassVar[list[BindingType]] = bindings((actions.ENTER_KEY,))
    HINT: ClassVar[str] = ""  # keys by the names of their bindings

    def __init__(self, glyphs: GlyphSet, title: str, content: Sequence[Widget]) -> None:
        super().__init__()
        self.glyphs = glyphs
        self.box = self.BOX(*content, classes="box")
        # Content, since a plain string would be parsed as markup.
        self.box.border_title = Content(glyphs.line(title, 60))

    def compose(self) -> ComposeResult:
        """Lay out the box."""
        yield self.box

    def on_mount(self) -> None:
        """Show the hints."""
        self.show_message("")

    def on_resize(self, event: Resize) -> None:
        """Lay out for the current size only, and not for earlier ones."""
        fit_size(self, event)

    def show_message(self, text: str) -> None:
        """Show a message at the foot of the box; "" shows the hints."""
        foot = text or "  ".join(hints(self.HINT, self))
        if str(self.box.border_subtitle or "") != foot:
            self.box.border_subtitle = Content(foot)

    def on_paste_refused(self, event: PasteRefused) -> None:
        """Show that the terminal driver refused a paste."""
        self.show_message(too_long(event.size, event.maximum))

    async def action_enter_key(self) -> None:
        """Close, and let the screen below ask for another API key, or say why it doesn't."""
        self.dismiss()
        for action in ("enter_key", "explain_no_key"):
            await self.app.screen.run_action(action)

    def key_ctrl_c(self) -> None:
        """Show how to quit: the app's binding does not work in a modal screen."""
        self.app.action_help_quit()
