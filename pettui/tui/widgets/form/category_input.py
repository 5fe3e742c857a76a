"""CategoryInput: what an add left in it is replaced by what is typed."""

from __future__ import annotations

from textual.reactive import reactive
from textual.widgets.input import Selection

from pettui.tui.widgets.form.form_input import FormInput


class CategoryInput(FormInput):
    """A value that was kept after an add is selected when the cursor comes in.

    So the first digit replaces it, and whoever moves the cursor first edits it. Anything else that
    stands there is gone on with.
    """

    is_kept: reactive[bool] = reactive(False)

    def watch_value(self) -> None:
        """Take what was typed for no kept value."""
        self.is_kept = False

    def on_focus(self) -> None:
        """Select what was kept; of anything else nothing is selected."""
        if self.is_kept:
            self.selection = Selection(0, len(self.value))
        else:
            self.cursor_position = self.cursor_position
