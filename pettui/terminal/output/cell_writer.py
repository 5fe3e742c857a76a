"""CellWriter: cells → the shortest output that makes a terminal show them."""

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
_RUN = re.compile(r"(.)\1*", re.DOTALL)
_ASCII_OR_NOT = re.compile(r"[\x00-\x7f]+|[^\x00-\x7f]+")


class CellWriter:
    """Tracks a terminal's cursor and its current style."""

    def __init__(
        self, width: int, height: int, palette: Palette, clusters: Clusters, *, erases: bool
    ) -> None:
        """Start with a cleared terminal; for the arguments see ``ScreenBuffer``."""
        self._width, self._height = width, height
        self._palette = palette
        self._clusters = clusters
        self.erases = erases
        self._style = PLAIN
        self._row, self._column = -1, -1  # of the cursor; -1 if not known

    def copy(self, clusters: Clusters) -> CellWriter:
        """Return a writer for another terminal, which got the same output."""
        copy = CellWriter(self._width, self._height, self._palette, clusters, erases=self.erases)
        copy._style, copy._row, copy._column = self._style, self._row, self._column
        return copy

    def move(self, x: int, y: int) -> str:
        """Return the shortest output that moves the cursor to a cell of the screen."""
        x, y = min(max(x, 0), self._width - 1), min(max(y, 0), self._height - 1)
        row, column = self._row, self._column
        self._row, self._column = y, x
        if row != y or (column < 0 and not self.erases):
            return f"\x1b[{y + 1};{x + 1}H" if x else f"\x1b[{y + 1}H"
        if column == x:
            return ""
        sequences = [f"\x1b[{x + 1}G" if self.erases else f"\x1b[{y + 1};{x + 1}H"]
        if 0 <= column < x:
            sequences.append(f"\x1b[{x - column}C" if x - column > 1 else "\x1b[C")
        return min(sequences, key=len)

    def cost(self, style: str) -> int:
        """Return the bytes that a change to a style takes."""
        number = self._palette.for_blanks(self._style, ord(style))
        return len(self._palette.change(self._style, number))

    def write(self, y: int, x: int, texts: str, styles: str) -> Iterator[str]:
        """Yield the output that makes the terminal show cells of a row, each in its style."""
        yield self.move(x, y)
        start = 0
        for style, end in self._runs(styles):
            number = self._palette.for_blanks(self._style, ord(style))
            yield self._palette.change(self._style, number)
            self._style = number
            yield from self._text(y, x + start, texts[start:end])
            start = end

    def _runs(self, styles: str) -> list[tuple[str, int]]:
        """Return runs of one style, and where each ends; blanks join the run beside them."""
        on_blanks = self._palette.on_blanks
        runs: list[tuple[str, int]] = []
        for match in _RUN.finditer(styles):
            style = match[1]
            if runs:
                before = runs[-1][0]
                if style == before or ord(style) == on_blanks[ord(before)]:
                    runs.pop()
                    style = before
                elif ord(before) == on_blanks[ord(style)]:
                    runs.pop()
            runs.append((style, match.end()))
        return runs

    def _text(self, y: int, x: int, cells: str) -> Iterator[str]:
        """Yield cells of one style; long blanks are erased, with its background (bce)."""
        index = 0
        is_erased = self.erases and self._palette.styles[self._style].is_blank_safe
        for match in _BLANKS.finditer(cells) if is_erased else ():
            yield from self._characters(y, x + index, cells[index : match.start()])
            yield self.move(x + match.start(), y)
            yield f"\x1b[{match.end() - match.start()}X"
            index = match.end()
        yield from self._characters(y, x + index, cells[index:])

    def _characters(self, y: int, x: int, cells: str) -> Iterator[str]:
        """Yield characters; the cursor is moved after each whose width terminals disagree on.

        Letters that few terminals draw wide are frequent: after them it is moved once, at the end.
        """
        has_ambiguous_letters = False
        for match in _ASCII_OR_NOT.finditer(cells):
            some, start = match[0], x + match.start()
            if some.isascii():
                yield self.move(start, y) + some
                self._set_column(start + len(some))
            else:
                has_ambiguous_letters |= yield from self._clusters_of(y, start, some)
        if has_ambiguous_letters:
            self._column = -1

    def _clusters_of(self, y: int, x: int, cells: str) -> Generator[str, None, bool]:
        """Yield characters beyond ASCII; return whether there are letters that few draw wide."""
        has_ambiguous_letters = False
        for index, cell in enumerate(cells):
            if cell == FILLER:
                continue
            width = 2 if cells[index + 1 : index + 2] == FILLER else 1
            yield self.move(x + index, y)
            cluster = self._clusters.spelled(cell)
            if is_sure(cluster, width):
                yield cluster
                self._set_column(x + index + width)
                has_ambiguous_letters |= is_ambiguous_letter(cluster)
                continue
            if width > 1:  # for a terminal that draws it in one cell
                yield " " * width
                self._column = -1
                yield self.move(x + index, y)
            yield cluster
            self._column = -1
        return has_ambiguous_letters

    def _set_column(self, column: int) -> None:
        """Set the cursor's column; beyond the last one it is not known."""
        self._column = column if column < self._width else -1
