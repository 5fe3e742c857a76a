"""NameInput: the name field, which leaves a paste of several animals to the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.reactive import reactive
from textual.widgets.input import Selection

from pettui.tui.widgets.form.form_input import FormInput
from pettui.tui.widgets.form.line_input import is_text

if TYPE_CHECKING:
    from textual import events

    from pettui.glyphs import GlyphSet
    from pettui.tui.lists.categories import Categories


class NameInput(FormInput):
    """A paste of one line is a name; of several lines each is an animal."""

    is_for_next: reactive[bool] = reactive(False)  # what is typed here is the next animal's

    def __init__(self, glyphs: GlyphSet, categories: Categories) -> None:
        super().__init__(glyphs, id="name", placeholder="a name, or paste several")
        self._categories = categories
        self.is_refused = False  # by the service: typing replaces it, once it has the focus

    def on_focus(self) -> None:
        """Select a refused name, unless what is typed is the next one."""
        if self.is_refused and not self.is_for_next:
            self.selection = Selection(0, len(self.value))

    def on_key(self, event: events.Key) -> None:
        """Make room for the next animal before its first letter is typed."""
        if is_text(event.character):
            self.is_for_next = False

    def on_paste(self, event: events.Paste) -> None:
        """Leave a paste of several animals to the screen."""
        from pettui.tui.paste_reading import is_several

        self.is_for_next = False
        if is_several(event.text, self._categories.names):
            event.prevent_default()
