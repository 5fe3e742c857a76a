"""CategoryInput: typing replaces a kept value, and → completes what is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.reactive import reactive
from textual.widgets.input import Selection

from pettui.tui.widgets.form.form_input import FormInput
from pettui.tui.wording.form_texts import offers_text

if TYPE_CHECKING:
    from pettui.glyphs import GlyphSet
    from pettui.tui.lists.categories import Categories


class CategoryInput(FormInput):
    """A value kept from the previous animal, or refused by the service, is selected on focus.

    The first character replaces it; moving the cursor first edits it. Any other value is edited.
    """

    is_kept: reactive[bool] = reactive(False)

    def __init__(self, glyphs: GlyphSet, categories: Categories, placeholder: str) -> None:
        super().__init__(glyphs, id="category", placeholder=placeholder)
        self._categories = categories
        self.is_refused = False  # by the service: it is selected on focus too

    @property
    def offered(self) -> str:
        """What may be typed here; "" without the focus."""
        if not self.has_focus:
            return ""
        return offers_text(self._glyphs, self._categories, self.value, is_kept=self.is_kept)

    def watch_value(self) -> None:
        """Treat a value that was typed as not kept."""
        self.is_kept = False

    def on_focus(self) -> None:
        """Select a kept or a refused value, and nothing otherwise."""
        if self.is_kept or self.is_refused:
            self.selection = Selection(0, len(self.value))
        else:
            self.cursor_position = self.cursor_position

    def action_cursor_right(self, select: bool = False) -> None:
        """Move the cursor; at the end, complete what is typed."""
        if not select and self.selection.is_empty and self.cursor_at_end and not self.is_kept:
            completed = self._categories.completed(self.value)
            if completed != self.value:
                self.value = completed
                self.cursor_position = len(completed)
                return
        super().action_cursor_right(select)
