"""The rows of a screen of pyte, even in the middle of a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wcwidth import wcwidth

if TYPE_CHECKING:
    import pyte


def screen_text(screen: pyte.Screen) -> str:
    """Return what stands on a screen, line by line, without the blanks at the ends.

    pyte's own ``display`` raises IndexError while a wide character is half overwritten, which it is
    between two reads of one frame.
    """
    return "\n".join(_row(screen, y).rstrip() for y in range(screen.lines))


def _row(screen: pyte.Screen, y: int) -> str:
    cells, is_covered = [], False
    for x in range(screen.columns):
        text = screen.buffer[y][x].data or " "
        cells.append("" if is_covered else text)
        is_covered = not (is_covered or text.isascii()) and wcwidth(text[0]) == 2
    return "".join(cells)
