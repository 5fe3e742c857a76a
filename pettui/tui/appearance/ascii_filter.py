"""AsciiFilter: the last door to a terminal that draws ASCII, or little more.

What we draw is ASCII there by itself (``look.py``); Textual's own scroll bars and masks are not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from rich.segment import Segment
from textual.filter import LineFilter

from pettui.text import NOTHING

if TYPE_CHECKING:
    from textual.color import Color

BLOCKS: Final = range(0x2580, 0x25A0)  # the ends of a scroll bar, whose ground shows it too
MASK: Final = "•"


class AsciiFilter(LineFilter):
    """Writes ASCII of the same width for every character that the terminal does not draw."""

    def __init__(self, also: frozenset[str] = NOTHING) -> None:
        """Let these characters through beyond ASCII."""
        super().__init__()
        self._also = also

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        """Give the segments of a line in ASCII."""
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
