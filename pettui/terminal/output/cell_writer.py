"""CellWriter: cells → what makes a terminal show them, as short as it can be said."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pettui.terminal.output.clusters import FILLER, is_ambiguous_letter, is_sure
from pettui.terminal.output.sgr import PLAIN

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from pettui.terminal.output.clusters import Clusters
    from pettui.terminal.output.sgr import Palette

BLANKS = 10  # cells that are erased rather than written
_BLANKS = re.compile(f" {{{BLANKS},}}")
_STRETCH = re.compile(r"(.)\1*", re.DOTALL)
_ASCII_OR_NOT = re.compile(r"[\x00-\x7f]+|[^\x00-\x7f]+")


class CellWriter:
    """Knows where a terminal's cursor is, and what it writes with."""

    def __init__(
        self, width: int, height: int, palette: Palette, clusters: Clusters, *, erases: bool
    ) -> None:
        """Begin with a terminal that was cleared; arguments as of ``ScreenBuffer``."""
        self._width, self._height = width, height
        self._palette = palette
        self._clusters = clusters
        self.erases = erases
        self._pen = PLAIN
        self._row, self._column = -1, -1  # of the cursor; -1 where not known

    def move(self, x: int, y: int) -> str:
        """Return what puts the cursor somewhere on the screen, as short as it can be said."""
        x, y = min(max(x, 0), self._width - 1), min(max(y, 0), self._height - 1)
        row, column = self._row, self._column
        self._row, self._column = y, x
        if row != y or (column < 0 and not self.erases):
            return f"\x1b[{y + 1};{x + 1}H" if x else f"\x1b[{y + 1}H"
        if column == x:
            return ""
        ways = [f"\x1b[{x + 1}G" if self.erases else f"\x1b[{y + 1};{x + 1}H"]
        if 0 <= column < x:
            ways.append(f"\x1b[{x - column}C" if x - column > 1 else "\x1b[C")
        return min(ways, key=len)

    def cost(self, style: str) -> int:
        """Return the bytes that it takes to write with a pen next."""
        pen = self._palette.for_blanks(self._pen, ord(style))
        return len(self._palette.change(self._pen, pen))

    def write(self, y: int, x: int, texts: str, pens: str) -> Iterator[str]:
        """Yield what makes the terminal show cells of a row, each with its pen."""
        yield self.move(x, y)
        start = 0
        for style, end in self._stretches(pens):
            pen = self._palette.for_blanks(self._pen, ord(style))
            yield self._palette.change(self._pen, pen)
            self._pen = pen
            yield from self._text(y, x + start, texts[start:end])
            start = end

    def _stretches(self, pens: str) -> list[tuple[str, int]]:
        """Return stretches of one pen, and where each ends; blanks go with what is beside them."""
        grounds = self._palette.grounds
        stretches: list[tuple[str, int]] = []
        for match in _STRETCH.finditer(pens):
            style = match[1]
            if stretches:
                before = stretches[-1][0]
                if style == before or ord(style) == grounds[ord(before)]:
                    stretches.pop()
                    style = before
                elif ord(before) == grounds[ord(style)]:
                    stretches.pop()
            stretches.append((style, match.end()))
        return stretches

    def _text(self, y: int, x: int, cells: str) -> Iterator[str]:
        """Yield cells of one pen; long blanks are erased, with the ground of the pen (BCE)."""
        index = 0
        is_erased = self.erases and self._palette.pens[self._pen].is_blank_safe
        for match in _BLANKS.finditer(cells) if is_erased else ():
            yield from self._characters(y, x + index, cells[index : match.start()])
            yield self.move(x + match.start(), y)
            yield f"\x1b[{match.end() - match.start()}X"
            index = match.end()
        yield from self._characters(y, x + index, cells[index:])

    def _characters(self, y: int, x: int, cells: str) -> Iterator[str]:
        """Yield characters; behind one that terminals do not agree on the cursor is placed anew.

        Behind letters that few draw wide that is so at the end: there are many of them.
        """
        has_ambiguous_letters = False
        for match in _ASCII_OR_NOT.finditer(cells):
            some, start = match[0], x + match.start()
            if some.isascii():
                yield self.move(start, y) + some
                self._come_to(start + len(some))
            else:
                has_ambiguous_letters |= yield from self._clusters_of(y, start, some)
        if has_ambiguous_letters:
            self._column = -1

    def _clusters_of(self, y: int, x: int, cells: str) -> Generator[str, None, bool]:
        """Yield characters beyond ASCII; return whether letters that few draw wide are of them."""
        has_ambiguous_letters = False
        for index, cell in enumerate(cells):
            if cell == FILLER:
                continue
            width = 2 if cells[index + 1 : index + 2] == FILLER else 1
            yield self.move(x + index, y)
            cluster = self._clusters.spelled(cell)
            if is_sure(cluster, width):
                yield cluster
                self._come_to(x + index + width)
                has_ambiguous_letters |= is_ambiguous_letter(cluster)
                continue
            if width > 1:  # for a terminal that draws it in one cell
                yield " " * width
                self._column = -1
                yield self.move(x + index, y)
            yield cluster
            self._column = -1
        return has_ambiguous_letters

    def _come_to(self, column: int) -> None:
        """Note where the cursor is; beyond the last column it is not known."""
        self._column = column if column < self._width else -1
