"""KeyPrompt: a masked line on the strip, for another API key."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Label

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult


class MaskedInput(Input):
    """A line whose text is seen nowhere; Textual's would copy it to the clipboard in the clear."""

    def __init__(self) -> None:
        super().__init__(password=True, compact=True)

    def action_copy(self) -> None:
        """Copy nothing."""

    def action_cut(self) -> None:
        """Delete what is selected, and copy nothing."""
        self.delete_selection()

    def _on_paste(self, event: events.Paste) -> None:
        """Take a key without the line ends around it; Textual's would take the first line alone."""
        event.stop()
        event.prevent_default()
        self.replace(event.text.strip(), *self.selection)


class KeyPrompt(Horizontal):
    """There while it is needed; what is typed is masked, handed over once, and forgotten."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "give", "Use this key", priority=True, id="give_key"),
        Binding("escape", "leave", "Leave the key", priority=True, id="leave_key"),
    ]

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
        yield MaskedInput()

    def take_focus(self) -> None:
        """Put the cursor into the line."""
        self.screen.set_focus(self.query_one(MaskedInput))

    def action_give(self) -> None:
        """Hand over what was typed, if anything was."""
        line = self.query_one(MaskedInput)
        key, line.value = line.value.strip(), ""
        self.post_message(self.Given(key) if key else self.Left())

    def action_leave(self) -> None:
        """Forget what was typed."""
        self.query_one(MaskedInput).value = ""
        self.post_message(self.Left())
