"""The rows to export or copy, how they are described, and what fits the clipboard."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pettui.rows import pets_of
from pettui.tui.lists.rows import not_shown_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pettui.models import Pet
    from pettui.rows import Element

CLIPBOARD_MAXIMUM: Final = 74_994
"""Bytes. In base64, framed by OSC 52, they are the 100,000 bytes that terminals accept."""


class ClipboardError(Exception):
    """The text is too long for the clipboard; the message is one line that is safe to draw."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The rows to export, in the order shown."""

    elements: Sequence[Element] = field(repr=False)
    words: str  # which ones: "as shown", "marked"
    has_further_pages: bool = False  # that are loaded for the export
    not_shown: int | None = None  # of the marked rows; None if these are not the marked ones

    @property
    def pets(self) -> tuple[Pet, ...]:
        """The animals among them; unreadable rows are left out."""
        return tuple(pets_of(self.elements))

    @property
    def text(self) -> str:
        """How many rows, and which: "240 rows, as shown", "4 marked, 2 not shown"."""
        pets = len(self.pets)
        if self.not_shown is not None:
            return f"{pets:,} {self.words}{not_shown_text(self.not_shown)}"
        left_out = len(self.elements) - pets
        unreadable = f"; {left_out:,} unreadable left out" if left_out else ""
        return f"{rows_text(pets)}, {self.words}{unreadable}"

    @property
    def short_text(self) -> str:
        """How many rows, or that there will be more than these: "240 rows", "all pages"."""
        if self.not_shown is not None:
            return f"{len(self.elements):,} {self.words}"
        return "all pages" if self.has_further_pages else rows_text(len(self.pets))


def rows_text(count: int) -> str:
    """Return a count of rows: "1 row", "240 rows"."""
    return "1 row" if count == 1 else f"{count:,} rows"


def clipboard_text(pieces: Iterable[bytes], rows: int) -> str:
    """Return the text to copy; the pieces are read only as far as the clipboard holds.

    Args:
        pieces: UTF-8 text.
        rows: how many rows it describes, for the error's message.

    Raises:
        ClipboardError: it is longer than the clipboard holds.
    """
    content = b""
    for piece in pieces:
        content += piece
        if len(content) > CLIPBOARD_MAXIMUM:
            are = "is" if rows == 1 else "are"
            raise ClipboardError(f"{rows_text(rows)} {are} too long to copy: 74 kB at most")
    return content.decode()
