"""ScreenBuffer: what a terminal is to show, and what it shows; only cells that differ are sent.

A row is two strings with one character for each cell: its text, and the number of its style. So
rows are compared, cut and joined as fast as strings, and a screen takes some kilobytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.terminal.output.cell_writer import CellWriter
from pettui.terminal.output.changed_runs import changed_columns, runs_to_send
from pettui.terminal.output.clusters import FILLER, Clusters
from pettui.terminal.output.sgr import PLAIN

if TYPE_CHECKING:
    from pettui.terminal.output.sgr import Palette

FEW_ROWS = 12  # may be sent in any order, without anyone seeing it


class ScreenBuffer:
    """The cells of one terminal."""

    def __init__(self, width: int, height: int, palette: Palette, *, erases: bool = False) -> None:
        """Start with a cleared terminal.

        Args:
            width: cells of a row.
            height: rows.
            palette: of the terminal's kind.
            erases: the terminal erases with the current background, and can move to a column
                (terminfo's bce, ech and hpa).
        """
        self.width, self.height = width, height
        self._palette = palette
        self._clusters = Clusters()
        self._texts, self._styles = self._blank_rows()
        self._note: tuple[str, int] | None = None
        self._changed: dict[int, tuple[int, int]] = {}  # by row: first column, and after the last
        self._reset_shown(erases=erases)

    def _reset_shown(self, *, erases: bool) -> None:
        self._shown_texts, self._shown_styles = self._blank_rows()
        self._writer = CellWriter(
            self.width, self.height, self._palette, self._clusters, erases=erases
        )

    def _blank_rows(self) -> tuple[list[str], list[str]]:
        plain = chr(self._palette.on_blanks[PLAIN])
        return [" " * self.width] * self.height, [plain * self.width] * self.height

    def copy(self) -> ScreenBuffer:
        """Return the same for another terminal, which got the same output; rows are shared."""
        copy = ScreenBuffer(self.width, self.height, self._palette)
        copy._clusters = self._clusters.copy()
        copy._writer = self._writer.copy(copy._clusters)
        copy._texts, copy._styles = self._texts.copy(), self._styles.copy()
        copy._shown_texts, copy._shown_styles = self._shown_texts.copy(), self._shown_styles.copy()
        copy._note, copy._changed = self._note, self._changed.copy()
        return copy

    @property
    def erases(self) -> bool:
        """Whether the terminal erases, and moves to a column."""
        return self._writer.erases

    @erases.setter
    def erases(self, erases: bool) -> None:
        self._writer.erases = erases

    def forget_shown(self) -> None:
        """Assume that the terminal was cleared: all that was painted will be sent again."""
        self._reset_shown(erases=self.erases)
        self._changed = dict.fromkeys(range(self.height), (0, self.width))

    def paint(self, y: int, x: int, text: str, style: int) -> int:
        """Paint text in a row, in the style of this number; return the column after it."""
        if not 0 <= y < self.height or x >= self.width or not text:
            return x + len(text)
        cells = text if text.isascii() and text.isprintable() else self._cells(text)
        end = x + len(cells)
        shown = cells[: self.width - x]
        if cells[len(shown) : len(shown) + 1] == FILLER:  # half of it is beyond the edge
            shown = f"{shown[:-1]} "
        stop = x + len(shown)
        shown_styles = self._cell_styles(shown, style)
        texts, styles = self._texts[y], self._styles[y]
        if texts[x:stop] != shown or styles[x:stop] != shown_styles:
            texts = _without_halves(texts, x, stop)
            self._texts[y] = texts[:x] + shown + texts[stop:]
            self._styles[y] = styles[:x] + shown_styles + styles[stop:]
            self._mark_changed(y, x - 1 if x else x, min(stop + 1, self.width))
        return end

    def _cells(self, text: str) -> str:
        if self._clusters.are_many:
            self._clusters.keep((*self._texts, *self._shown_texts))
        return self._clusters.cells(text)

    def _cell_styles(self, cells: str, style: int) -> str:
        """Return the style of each cell; only the background of a blank can be seen."""
        on_text, on_blank = chr(style), chr(self._palette.on_blanks[style])
        return on_blank.join([on_text * len(piece) for piece in cells.split(" ")])

    def _mark_changed(self, y: int, start: int, stop: int) -> None:
        first, last = self._changed.get(y, (start, stop))
        self._changed[y] = min(first, start), max(last, stop)

    def note(self, text: str, style: int) -> None:
        """Show a line over the first row; "" removes it."""
        self._note = (text, style) if text else None
        self._mark_changed(0, 0, self.width)

    def move(self, x: int, y: int) -> str:
        """Return the output that moves the cursor to a cell of the screen."""
        return self._writer.move(x, y)

    def changes(self) -> str:
        """Return the output that brings the terminal up to date; the caller sends it."""
        rows = {y: runs for y in sorted(self._changed) if (runs := self._runs_of_row(y))}
        self._changed.clear()
        parts: list[str] = []
        while rows:
            y = self._next_row(rows)
            for start, end in rows.pop(y):
                texts, styles = self._shown_texts[y][start:end], self._shown_styles[y][start:end]
                parts.extend(self._writer.write(y, start, texts, styles))
        return "".join(parts)

    def _next_row(self, rows: dict[int, list[tuple[int, int]]]) -> int:
        """Return the row to send next: of a few the one with the cheapest change of style."""
        if len(rows) > FEW_ROWS:
            return next(iter(rows))
        return min(rows, key=lambda y: self._writer.cost(self._shown_styles[y][rows[y][0][0]]))

    def _runs_of_row(self, y: int) -> list[tuple[int, int]]:
        """Return starts and ends of the cells of a row to send, and count them as shown."""
        wanted, shown = self._wanted(y), (self._shown_texts[y], self._shown_styles[y])
        if wanted == shown:
            return []
        columns = changed_columns(wanted, shown, *self._changed[y])
        self._shown_texts[y], self._shown_styles[y] = wanted
        return runs_to_send(columns, wanted, self._clusters, self._palette)

    def _wanted(self, y: int) -> tuple[str, str]:
        if y == 0 and self._note is not None:
            text, style = self._note
            shown = self._clusters.cells(text)[: self.width]
            return shown.center(self.width), chr(style) * self.width
        return self._texts[y], self._styles[y]


def _without_halves(texts: str, start: int, stop: int) -> str:
    """Return a row to be overwritten between two columns; halves of wide characters are blanked."""
    if texts[start : start + 1] == FILLER and start:
        texts = f"{texts[: start - 1]} {texts[start:]}"
    if texts[stop : stop + 1] == FILLER:
        texts = f"{texts[:stop]} {texts[stop + 1 :]}"
    return texts
