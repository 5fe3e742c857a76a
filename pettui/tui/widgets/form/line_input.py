"""LineInput: a field that takes all that is typed or pasted into it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from unicodedata import category

from textual.widgets import Input

if TYPE_CHECKING:
    from textual import events


class LineInput(Input):
    """Textual's Input, but that it drops nothing.

    Textual's takes what is printable alone, and the first line of a paste. Blanks other than the
    space bar's and characters that join letters are typed by many keyboards and input methods
    (U+00A0, U+3000, U+200C), and to Python they are not printable.
    """

    def check_consume_key(self, key: str, character: str | None) -> bool:  # noqa: ARG002
        """Whether a key is text here, and does nothing else then."""
        return _is_text(character)

    def on_key(self, event: events.Key) -> None:
        """Take what Textual's own handler would not."""
        if _is_text(event.character) and not event.is_printable:
            event.stop()
            event.prevent_default()
            self.replace(event.character or "", *self.selection)

    def on_paste(self, event: events.Paste) -> None:
        """Take every line of a paste, as one."""
        event.stop()
        event.prevent_default()
        line = re.sub(r"[\r\n]+", " ", event.text.strip("\r\n"))
        self.replace(line, *self.selection)


def _is_text(character: str | None) -> bool:
    """Whether it is typed to stand there; Enter and the chords with ctrl are controls."""
    return character is not None and all(category(each) != "Cc" for each in character)
