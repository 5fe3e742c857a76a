"""What is taken away from the screen: which animals, in which words, and what a clipboard holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pettui.tui.rows.counting import pets_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pettui.models import Pet
    from pettui.tui.rows.row_view import Element

CLIPBOARD_MAXIMUM: Final = 74_994
"""Bytes. In base64 and its frame (OSC 52) they are the 100,000 that terminals take at most."""


class ClipboardError(Exception):
    """It is too long for the clipboard; the text is one line that is safe to draw."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The rows that are to be taken away, as they stand."""

    elements: Sequence[Element] = field(repr=False)
    words: str  # which ones: "as shown", "marked"

    @property
    def pets(self) -> tuple[Pet, ...]:
        """The animals among them; what could not be read as one is left out."""
        return tuple(pets_of(self.elements))

    @property
    def text(self) -> str:
        """How many animals they are, and which: "240 rows, as shown"."""
        pets = len(self.pets)
        left_out = len(self.elements) - pets
        unreadable = f"; {left_out:,} unreadable left out" if left_out else ""
        return f"{rows_text(pets)}, {self.words}{unreadable}"

    @property
    def short_text(self) -> str:
        """The same in few words."""
        return rows_text(len(self.pets))


def rows_text(count: int) -> str:
    """Return a count of rows in words."""
    return "1 row" if count == 1 else f"{count:,} rows"


def clipboard_text(pieces: Iterable[bytes], rows: int) -> str:
    """Return what is to be copied; not more is made of it than a clipboard takes.

    Args:
        pieces: of UTF-8.
        rows: how many they are of, for the error.

    Raises:
        ClipboardError: it is longer than a clipboard takes.
    """
    content = b""
    for piece in pieces:
        content += piece
        if len(content) > CLIPBOARD_MAXIMUM:
            are = "is" if rows == 1 else "are"
            raise ClipboardError(f"{rows_text(rows)} {are} too long to copy: 74 kB at most")
    return content.decode()
