"""FormInput: a line to type in, whose value is kept exactly and drawn harmlessly."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.widgets import Input

if TYPE_CHECKING:
    from textual import events

    from pettui.tui.look import Look

HARMLESS = "\ufffd"


class FormInput(Input):
    """Textual's Input, but that a pasted escape does not reach the terminal.

    Each character that ``pettui.text`` would spell out is drawn as one sign, so that the cursor
    still counts characters; the value holds what was pasted.
    """

    HELP_TITLE: ClassVar[str] = "In a field of text"

    def __init__(self, look: Look, *, id: str, placeholder: str = "") -> None:  # noqa: A002
        super().__init__(id=id, placeholder=placeholder, compact=True, select_on_focus=False)
        self._look = look
        self.cursor_blink = False

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave the keys to the form by which a larger text would be scrolled."""
        if action.startswith(("scroll_", "page_")):
            return False
        return super().check_action(action, parameters)

    @property
    def _value(self) -> Text:
        sign = "?" if self._look.ascii_only else HARMLESS
        value = self.value
        if not (value.isascii() and value.isprintable()):
            safe = self._look.safe
            odd = (each for each in set(value) if safe(f"a{each}") != f"a{each}")
            value = value.translate({ord(each): sign for each in odd})
        return Text(value, no_wrap=True, overflow="ignore", end="")

    def _on_paste(self, event: events.Paste) -> None:
        """Take every line of a paste, as one; Textual takes the first, and drops the others."""
        event.stop()
        event.prevent_default()
        line = re.sub(r"[\r\n]+", " ", event.text.strip("\r\n"))
        self.replace(line, *self.selection)
