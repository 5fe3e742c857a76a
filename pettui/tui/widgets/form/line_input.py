"""LineInput: an Input that accepts all characters and whole pastes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from unicodedata import category

from textual.widgets import Input

if TYPE_CHECKING:
    from textual import events


class LineInput(Input):
    """Textual's Input, except that it drops nothing.

    Textual's accepts printable characters only, and the first line of a paste. Many keyboards and
    input methods type other blanks and joiners (U+00A0, U+3000, U+200C), which Python does not call
    printable.
    """

    def check_consume_key(self, key: str, character: str | None) -> bool:  # noqa: ARG002
        """Whether a key is text here, and not a binding."""
        return is_text(character)

    def on_key(self, event: events.Key) -> None:
        """Accept what Textual's own handler would drop."""
        if is_text(event.character) and not event.is_printable:
            event.stop()
            event.prevent_default()
            self.replace(event.character or "", *self.selection)

    def on_paste(self, event: events.Paste) -> None:
        """Insert all lines of a paste, joined."""
        event.stop()
        event.prevent_default()
        line = re.sub(r"[\r\n]+", " ", event.text.strip("\r\n"))
        self.replace(line, *self.selection)


def is_text(character: str | None) -> bool:
    """Whether a character is text, and not a control such as Enter."""
    return character is not None and all(category(each) != "Cc" for each in character)
