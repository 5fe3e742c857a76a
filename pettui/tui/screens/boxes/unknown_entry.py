"""UnknownEntryScreen: an entry that may have been added, whole, and what can be done about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pettui import actions
from pettui.tui.keys.available_actions import hints
from pettui.tui.keys.bindings import bindings
from pettui.tui.screens.boxes.box_screen import BoxScreen
from pettui.tui.screens.boxes.text_view import TextLines
from pettui.tui.widgets.line_widget import LineWidget
from pettui.tui.wording.entry_texts import whole_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType

    from pettui.glyphs import GlyphSet
    from pettui.outbox import Entry
    from pettui.tui.wording.text_runs import Run

STATE = "It was sent, and no response says whether it was added."
KEYS = (
    "{look_for} looks for it in the list  {send_again} sends it again  "
    "{edit_copy} copies it into the form  {forget} forgets it"
)


class EntryLines(LineWidget):
    """What it is, and a line for each key."""

    def __init__(self, glyphs: GlyphSet, kind: str) -> None:
        super().__init__(glyphs)
        self._kind = kind

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the lines, long ones wrapped."""
        texts = [
            (self._kind, "muted"),
            (STATE, "notice"),
            *((hint, "") for hint in hints(KEYS, self.screen)),
        ]
        wrap = self.glyphs.wrap
        return [*([(row, style)] for text, style in texts for row in wrap(text, width, 4)), []]


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
        content = [EntryLines(glyphs, kind), TextLines(glyphs, text, title)]
        super().__init__(glyphs, entry.name or "(no name)", content)

    def action_choose(self, action: str) -> None:
        """Return what was chosen."""
        self.dismiss(action)
