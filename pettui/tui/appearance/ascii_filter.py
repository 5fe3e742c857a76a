"""AsciiFilter: the last step before a terminal that draws little more than ASCII.

The glyphs of ours are ASCII there; Textual's own scroll bars and masks are not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from rich.segment import Segment
from textual.filter import LineFilter

from pettui.text import NOTHING

if TYPE_CHECKING:
    from textual.color import Color

BLOCKS: Final = range(0x2580, 0x25A0)  # the ends of a scroll bar, whose background shows it too
MASK: Final = "•"


class AsciiFilter(LineFilter):
    """Replaces every character that the terminal cannot draw by ASCII of the same width."""

    def __init__(self, also: frozenset[str] = NOTHING) -> None:
        """Keep ASCII, and the characters of ``also``."""
        super().__init__()
        self._also = also

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        """Return the segments of a line in ASCII."""
        return [
            segment
            if segment.text.isascii()
            else Segment(_ascii(segment.text, self._also), segment.style)
            for segment in segments
        ]


def _ascii(text: str, also: frozenset[str]) -> str:
    return "".join(
        character
        if character.isascii() or character in also
        else " "
        if ord(character) in BLOCKS
        else "*"
        if character == MASK
        else "?" * cell_len(character)
        for character in text
    )
