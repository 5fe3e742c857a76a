"""NameInput: the name field, which leaves a paste of several animals to the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.tui.widgets.form.form_input import FormInput

if TYPE_CHECKING:
    from textual import events

    from pettui.presentation.glyphs import GlyphSet
    from pettui.tui.lists.categories import Categories


class NameInput(FormInput):
    """A paste of one line is a name; of several lines each is an animal."""

    def __init__(self, glyphs: GlyphSet, categories: Categories) -> None:
        super().__init__(glyphs, id="name", placeholder="a name, or paste several")
        self._categories = categories

    def on_paste(self, event: events.Paste) -> None:
        """Leave a paste of several animals to the screen."""
        from pettui.tui.paste_reading import is_several

        if is_several(event.text, self._categories.names):
            event.prevent_default()
