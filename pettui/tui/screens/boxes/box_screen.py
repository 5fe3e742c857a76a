"""BoxScreen: a box over the screen, with a title, and at its foot what to press."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen

from pettui.tui.appearance.breakpoints import drop_former_size
from pettui.tui.keys.available_actions import hints
from pettui.tui.wording.failures import too_long

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.events import Resize
    from textual.widget import Widget

    from pettui.tui.look import Look
    from pettui.tui.messages import PasteRefused


class BoxScreen(ModalScreen[None]):
    """It stands until a key closes it."""

    BOX: ClassVar[type[Widget]] = VerticalScroll
    HINT: ClassVar[str] = ""  # keys by the names of their bindings

    def __init__(self, look: Look, title: str, content: Sequence[Widget]) -> None:
        super().__init__()
        self.look = look
        self.box = self.BOX(*content, classes="box")
        # Content, since a plain string would be parsed as markup.
        self.box.border_title = Content(look.line(title, 60))

    def compose(self) -> ComposeResult:
        """Lay out the box."""
        yield self.box

    def on_mount(self) -> None:
        """Say what to press."""
        self.say("")

    def on_resize(self, event: Resize) -> None:
        """Take the size that the terminal has, and none that it had before."""
        drop_former_size(self, event)

    def say(self, text: str) -> None:
        """Say something at the foot of the box; "" for what to press."""
        foot = text or "  ".join(hints(self.HINT, self))
        if str(self.box.border_subtitle or "") != foot:
            self.box.border_subtitle = Content(foot)

    def on_paste_refused(self, event: PasteRefused) -> None:
        """Say that nothing of a paste was taken, which the terminal's driver refused."""
        self.say(too_long(event.size, event.maximum))

    def key_ctrl_c(self) -> None:
        """Say how to quit: the app's own binding ends at a modal screen."""
        self.app.action_help_quit()
