"""What a terminal is to show, and what it shows already: only the cells that differ are sent.

A row is two texts of one character a cell: what stands there, and the number of its pen. So rows
are compared, cut and joined at the speed of texts, and a session's screen takes some kilobytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.terminal.output.cell_writer import CellWriter
from pettui.terminal.output.clusters import FILLER, Clusters, is_sure, reach
from pettui.terminal.output.sgr import PLAIN

if TYPE_CHECKING:
    from pettui.terminal.output.sgr import Palette

FEW_ROWS = 12  # of which the order is seen by nobody
BRIDGE = 4  # cells that are sent again where moving over them costs no less


class ScreenBuffer:
    """The cells of one terminal."""

    def __init__(self, width: int, height: int, palette: Palette, *, erases: bool = False) -> None:
        """Begin with a terminal that was cleared.

        Args:
            width: cells of a row.
            height: rows.
            palette: of the terminal's kind.
            erases: the terminal erases with the ground of its pen, and goes to a column of a row
                (bce, ech and hpa of terminfo).
        """
        self.width, self.height = width, height
        self._palette = palette
        self._clusters = Clusters()
        self._texts, self._pens = self._blank_rows()
        self._note: tuple[str, int] | None = None
        self._changed: dict[int, tuple[int, int]] = {}  # by row: first column, and after the last
        self._begin(erases=erases)

    def _begin(self, *, erases: bool) -> None:
        self._shown_texts, self._shown_pens = self._blank_rows()
        self._writer = CellWriter(
            self.width, self.height, self._palette, self._clusters, erases=erases
        )

    def _blank_rows(self) -> tuple[list[str], list[str]]:
        plain = chr(self._palette.grounds[PLAIN])
        return [" " * self.width] * self.height, [plain * self.width] * self.height

    @property
    def erases(self) -> bool:
        """Whether the terminal erases, and goes to a column."""
        return self._writer.erases

    @erases.setter
    def erases(self, erases: bool) -> None:
        self._writer.erases = erases

    def forget_shown(self) -> None:
        """Take the terminal for cleared: all that was painted is to be sent again."""
        self._begin(erases=self.erases)
        self._changed = dict.fromkeys(range(self.height), (0, self.width))

    def paint(self, y: int, x: int, text: str, pen: int) -> int:
        """Let a run of text stand in a row; return the column after it."""
        if not 0 <= y < self.height or x >= self.width or not text:
            return x + len(text)
        cells = text if text.isascii() and text.isprintable() else self._clusters.cells(text)
        end = x + len(cells)
        shown = cells[: self.width - x]
        if cells[len(shown) : len(shown) + 1] == FILLER:  # half of it is beyond the edge
            shown = f"{shown[:-1]} "
        stop = x + len(shown)
        styles = self._styles(shown, pen)
        texts, pens = self._texts[y], self._pens[y]
        if texts[x:stop] != shown or pens[x:stop] != styles:
            texts = _uncut(texts, x, stop)
            self._texts[y] = texts[:x] + shown + texts[stop:]
            self._pens[y] = pens[:x] + styles + pens[stop:]
            self._note_change(y, x - 1 if x else x, min(stop + 1, self.width))
        return end

    def _styles(self, cells: str, pen: int) -> str:
        """Return a pen for each cell; of a blank only the ground is seen."""
        style, ground = chr(pen), chr(self._palette.grounds[pen])
        return ground.join([style * len(piece) for piece in cells.split(" ")])

    def _note_change(self, y: int, start: int, stop: int) -> None:
        first, last = self._changed.get(y, (start, stop))
        self._changed[y] = min(first, start), max(last, stop)

    def note(self, text: str, pen: int) -> None:
        """Lay a line over the first row; "" takes it away."""
        self._note = (text, pen) if text else None
        self._note_change(0, 0, self.width)

    def move(self, x: int, y: int) -> str:
        """Return what puts the cursor somewhere on the screen."""
        return self._writer.move(x, y)

    def changes(self) -> str:
        """Return what makes the terminal show what it is to; it is taken for sent."""
        rows = {y: runs for y in sorted(self._changed) if (runs := self._runs_of_row(y))}
        self._changed.clear()
        parts: list[str] = []
        while rows:
            y = self._next_row(rows)
            for start, end in rows.pop(y):
                texts, pens = self._shown_texts[y][start:end], self._shown_pens[y][start:end]
                parts.extend(self._writer.write(y, start, texts, pens))
        return "".join(parts)

    def _next_row(self, rows: dict[int, list[tuple[int, int]]]) -> int:
        """Return the row that comes next: of a few the one whose pen is the least change."""
        if len(rows) > FEW_ROWS:
            return next(iter(rows))
        return min(rows, key=lambda y: self._writer.cost(self._shown_pens[y][rows[y][0][0]]))

    def _runs_of_row(self, y: int) -> list[tuple[int, int]]:
        """Return starts and ends of what is to be sent of a row; it is taken for shown."""
        first, last = self._changed[y]
        texts, pens = self._wanted(y)
        old_texts, old_pens = self._shown_texts[y], self._shown_pens[y]
        if texts == old_texts and pens == old_pens:
            return []
        different = [
            x
            for x, (new, old, pen, old_pen) in enumerate(
                zip(
                    texts[first:last], old_texts[first:last],
                    pens[first:last], old_pens[first:last],
                    strict=True,
                ),
                first,
            )
            if new != old or pen != old_pen
        ]  # fmt: skip
        self._shown_texts[y], self._shown_pens[y] = texts, pens
        return self._runs(different, texts, pens)

    def _wanted(self, y: int) -> tuple[str, str]:
        if y == 0 and self._note is not None:
            text, pen = self._note
            shown = self._clusters.cells(text)[: self.width]
            return shown.center(self.width), chr(pen) * self.width
        return self._texts[y], self._pens[y]

    def _runs(self, different: list[int], texts: str, pens: str) -> list[tuple[int, int]]:
        """Return starts and ends of what is to be sent: clusters whole, near ones joined."""
        runs: list[tuple[int, int]] = []
        before = -1  # where the last one ends
        for x in different:
            if x < before:
                continue
            start = x - 1 if texts[x] == FILLER and x else x
            end = self._end(start, texts)
            if runs and (start <= before or self._is_bridge(before, start, texts, pens)):
                runs[-1] = (runs[-1][0], end)
            else:
                runs.append((start, end))
            before = end
        return runs

    def _end(self, x: int, texts: str) -> int:
        """Return where a run ends that a cell begins.

        A terminal may draw a cluster over more cells than its own: these are sent again too.
        """
        end = x + 1
        if texts[x : end + 1].isascii():  # nearly all are
            return end
        while x < end:
            width = 2 if texts[x + 1 : x + 2] == FILLER else 1
            end = max(end, x + width)
            cluster = texts[x] if texts[x].isascii() else self._clusters.spelled(texts[x])
            if not cluster.isascii() and not is_sure(cluster, width):
                end = min(max(end, x + reach(cluster)), self.width)
            x += width
        return end

    def _is_bridge(self, start: int, end: int, texts: str, pens: str) -> bool:
        """Whether cells between two runs are as well sent again: few, and of the same pen."""
        if end - start > BRIDGE:
            return False
        pen = pens[start - 1]
        same = {pen, chr(self._palette.grounds[ord(pen)])}
        return same.issuperset(pens[start:end]) and texts[start:end].isascii()


def _uncut(texts: str, start: int, stop: int) -> str:
    """Return a row for something to stand between two columns; a half that is left is a blank."""
    if texts[start : start + 1] == FILLER and start:
        texts = f"{texts[: start - 1]} {texts[start:]}"
    if texts[stop : stop + 1] == FILLER:
        texts = f"{texts[:stop]} {texts[stop + 1 :]}"
    return texts
