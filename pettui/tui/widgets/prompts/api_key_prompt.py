"""ApiKeyPrompt: a masked line below the banner, for another API key."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.actions import SkipAction
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Label

from pettui import actions
from pettui.tui.keys import bindings, hints
from pettui.tui.runs import Run, width_of
from pettui.tui.widgets.line_widget import LineWidget
from pettui.tui.widgets.pet_form import FormInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.geometry import Size

    from pettui.glyphs import GlyphSet

NARROW = 60  # cells of the screen, below which the hints are shorter
WORDS = "{use_key} Use this key  {cancel_key} Cancel"


class MaskedInput(FormInput):
    """A field that never shows or copies its text; Textual's would copy it in the clear."""

    def __init__(self, glyphs: GlyphSet) -> None:
        super().__init__(glyphs, password=True)

    def action_copy(self) -> None:
        """Copy nothing, and let other bindings of the key run."""
        raise SkipAction

    def action_cut(self) -> None:
        """Delete what is selected, and copy nothing."""
        self.delete_selection()

    def on_paste(self, event: events.Paste) -> None:
        """Paste without surrounding line ends; Textual would paste the first line only."""
        event.stop()
        event.prevent_default()
        self.replace(event.text.strip(), *self.selection)


class PromptKeys(LineWidget):
    """Hints of keys, at the right of the line."""

    def lines(self, width: int) -> Sequence[Sequence[Run]]:  # noqa: ARG002
        """Return the one row."""
        is_narrow = self.screen.size.width < NARROW
        text = "{use_key} Use  {cancel_key} Cancel" if is_narrow else WORDS
        return [[("  ".join(hints(text, self.screen)), "key")]]

    def get_content_width(self, container: Size, viewport: Size) -> int:  # noqa: ARG002
        """Return the width of the row."""
        return width_of(self.lines(0)[0])


class ApiKeyPrompt(Horizontal):
    """A masked field; what is typed is posted once and forgotten."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.KEY_PROMPT, use_key="submit", cancel_key="cancel"
    )

    def __init__(self, glyphs: GlyphSet) -> None:
        super().__init__()
        self._glyphs = glyphs
        self._keys = PromptKeys(glyphs)

    class Submitted(Message):
        """A key was typed."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    class Cancelled(Message):
        """The prompt was closed without a key."""

    def compose(self) -> ComposeResult:
        """Lay out label and line."""
        yield Label("Key", markup=False)
        yield MaskedInput(self._glyphs)
        yield self._keys

    def take_focus(self) -> None:
        """Focus the field."""
        self.screen.set_focus(self.query_one(MaskedInput))
        self.trap_focus()  # elsewhere the key would stand in clear, or be commands
        self._keys.refresh(layout=True)

    def action_submit(self) -> None:
        """Post what was typed, if anything was."""
        line = self.query_one(MaskedInput)
        key, line.value = line.value.strip(), ""
        self.post_message(self.Submitted(key) if key else self.Cancelled())

    def action_cancel(self) -> None:
        """Close the prompt, and forget what was typed."""
        self.query_one(MaskedInput).value = ""
        self.post_message(self.Cancelled())
