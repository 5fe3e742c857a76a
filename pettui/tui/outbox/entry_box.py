"""UnknownEntryScreen: an entry whose outcome nobody knows, whole, and what can be done about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pettui.keyboard import actions
from pettui.tui.screens.box_screen import BoxScreen
from pettui.tui.screens.boxes import StyledLines, TextLines
from pettui.tui.session.wording import FORM
from pettui.tui.widgets.bindings import bindings, hints
from pettui.tui.widgets.failures import whole_of

if TYPE_CHECKING:
    from textual.binding import BindingType

    from pettui.appearance.glyphs import GlyphSet
    from pettui.outbox import Entry

STATE = "It was sent, and no response says whether it was added."
KEYS = (
    "{look_for} shows the listed animals that it could be  {send_again} sends it again  "
    f"{{edit_copy}} copies it into the {FORM}  {{forget}} forgets it"
)


class UnknownEntryScreen(BoxScreen):
    """Returns the name of the action that was chosen; other keys do nothing."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.ENTRY_BOX,
        look_for="choose('look_for')",
        send_again="choose('send_again')",
        edit_copy="choose('edit_copy')",
        forget="choose('forget')",
        close_entry="dismiss",
    )
    HINT = "{close_entry} Close"

    def __init__(self, glyphs: GlyphSet, entry: Entry, kind: str) -> None:
        title, text = whole_of(entry)
        self._lines, self._kind = StyledLines(glyphs), kind
        content = [self._lines, TextLines(glyphs, " "), TextLines(glyphs, text, title)]
        super().__init__(glyphs, entry.name or "(no name)", content)

    def on_mount(self) -> None:
        """Show what the entry is, and a line for each key; Textual calls the base's handler too."""
        keys = ((hint, "") for hint in hints(KEYS, self))
        self._lines.texts = ((self._kind, "muted"), (STATE, "notice"), *keys)
