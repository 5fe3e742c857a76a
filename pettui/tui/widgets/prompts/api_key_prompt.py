"""KeyPrompt: a masked line on the strip, for another API key."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.actions import SkipAction
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Label

from pettui import actions
from pettui.tui.keys.available_actions import hints
from pettui.tui.keys.bindings import bindings
from pettui.tui.widgets.form.form_input import FormInput
from pettui.tui.widgets.line_widget import LineWidget
from pettui.tui.wording.text_runs import Run, width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.geometry import Size

    from pettui.tui.look import Look

NARROW = 60  # cells of the screen, below which few words must do
WORDS = "{give_key} Use this key  {leave_key} Leave it"


class MaskedInput(FormInput):
    """A line whose text is seen nowhere; Textual's would copy it to the clipboard in the clear."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, password=True)

    def action_copy(self) -> None:
        """Copy nothing; the key is left to whoever else it says something to."""
        raise SkipAction

    def action_cut(self) -> None:
        """Delete what is selected, and copy nothing."""
        self.delete_selection()

    def on_paste(self, event: events.Paste) -> None:
        """Take a key without the line ends around it; Textual's would take the first line alone."""
        event.stop()
        event.prevent_default()
        self.replace(event.text.strip(), *self.selection)


class PromptKeys(LineWidget):
    """What to press, at the right of the line."""

    def lines(self, width: int) -> Sequence[Sequence[Run]]:  # noqa: ARG002
        """Return the one row."""
        is_narrow = self.screen.size.width < NARROW
        text = "{give_key} Use  {leave_key} Leave" if is_narrow else WORDS
        return [[("  ".join(hints(text, self.screen)), "key")]]

    def get_content_width(self, container: Size, viewport: Size) -> int:  # noqa: ARG002
        """Return the cells of the row."""
        return width_of(self.lines(0)[0])


class KeyPrompt(Horizontal):
    """There while it is needed; what is typed is masked, handed over once, and forgotten."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.KEY_PROMPT, give_key="give", leave_key="leave"
    )

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._keys = PromptKeys(look)

    class Given(Message):
        """A key was typed."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    class Left(Message):
        """The prompt was left without a key."""

    def compose(self) -> ComposeResult:
        """Lay out label and line."""
        yield Label("Key", markup=False)
        yield MaskedInput(self._look)
        yield self._keys

    def take_focus(self) -> None:
        """Put the cursor into the line."""
        self.screen.set_focus(self.query_one(MaskedInput))
        self._keys.refresh(layout=True)

    def action_give(self) -> None:
        """Hand over what was typed, if anything was."""
        line = self.query_one(MaskedInput)
        key, line.value = line.value.strip(), ""
        self.post_message(self.Given(key) if key else self.Left())

    def action_leave(self) -> None:
        """Forget what was typed."""
        self.query_one(MaskedInput).value = ""
        self.post_message(self.Left())
