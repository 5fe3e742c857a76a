"""What a terminal is to show, and what it shows already: only the cells that differ are sent.

A row is two texts of one character a cell: what stands there, and the number of its pen. So rows
are compared, cut and joined at the speed of texts, and a session's screen takes some kilobytes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rich.cells import split_graphemes

from pettui.terminal.sgr import PLAIN

if TYPE_CHECKING:
    from pettui.terminal.sgr import Palette

FILLER = "\uffff"  # the second cell of a wide character; no text holds it
CLUSTERS_FROM = 0xF0000  # private characters that stand for clusters of several
CLUSTERS_MAXIMUM = 4096
BRIDGE = 4  # cells that are sent again where moving over them costs no less
BLANKS = 10  # cells that are erased rather than written
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\ufffe\uffff\U000f0000-\U0010ffff]")
_BLANKS = re.compile(f" {{{BLANKS},}}")
_STRETCH = re.compile(r"(.)\1*", re.DOTALL)


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
        self.erases = erases
        blank, plain = " " * width, chr(palette.grounds[PLAIN]) * width
        self._texts, self._pens = [blank] * height, [plain] * height
        self._shown_texts, self._shown_pens = [blank] * height, [plain] * height
        self._changed: dict[int, tuple[int, int]] = {}  # by row: first column, and after the last
        self._clusters: dict[str, str] = {}
        self._spelled: dict[str, str] = {}
        self._pen = PLAIN  # what the terminal writes with
        self._row, self._column = -1, -1  # of its cursor; -1 where not known
        self._note: tuple[str, int] | None = None

    def paint(self, y: int, x: int, text: str, pen: int) -> int:
        """Let a run of text stand in a row; gives the column after it."""
        if not 0 <= y < self.height or x >= self.width or not text:
            return x + len(text)
        cells = text if text.isascii() and text.isprintable() else self._cells(text)
        end = x + len(cells)
        shown = cells[: self.width - x]
        stop = x + len(shown)
        styles = self._styles(shown, pen)
        texts, pens = self._texts[y], self._pens[y]
        if texts[x:stop] != shown or pens[x:stop] != styles:
            self._texts[y] = texts[:x] + shown + texts[stop:]
            self._pens[y] = pens[:x] + styles + pens[stop:]
            self._note_change(y, x, stop)
        return end

    def _styles(self, cells: str, pen: int) -> str:
        """Give a pen for each cell; of a blank only the ground is seen."""
        style, ground = chr(pen), chr(self._palette.grounds[pen])
        return ground.join([style * len(piece) for piece in cells.split(" ")])

    def _note_change(self, y: int, start: int, stop: int) -> None:
        first, last = self._changed.get(y, (start, stop))
        self._changed[y] = min(first, start), max(last, stop)

    def note(self, text: str, pen: int) -> None:
        """Lay a line over the first row; "" takes it away."""
        self._note = (text, pen) if text else None
        self._note_change(0, 0, self.width)

    def changes(self) -> str:
        """Give what makes the terminal show what it is to; it is taken for sent."""
        parts: list[str] = []
        for y in sorted(self._changed):
            self._add_row(parts, y, *self._changed[y])
        self._changed.clear()
        return "".join(parts)

    def move(self, x: int, y: int) -> str:
        """Give what puts the cursor somewhere, as short as it can be said."""
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

    def _add_row(self, parts: list[str], y: int, first: int, last: int) -> None:
        texts, pens = self._wanted(y)
        old_texts, old_pens = self._shown_texts[y], self._shown_pens[y]
        if texts == old_texts and pens == old_pens:
            return
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
        for start, end in self._runs(different, texts, pens):
            parts.append(self.move(start, y))
            self._add_cells(parts, y, start, texts[start:end], pens[start:end])
        self._shown_texts[y], self._shown_pens[y] = texts, pens

    def _wanted(self, y: int) -> tuple[str, str]:
        if y == 0 and self._note is not None:
            text, pen = self._note
            shown = text[: self.width].center(self.width)
            return shown, chr(pen) * self.width
        return self._texts[y], self._pens[y]

    def _runs(self, different: list[int], texts: str, pens: str) -> list[tuple[int, int]]:
        """Give starts and ends of what is to be sent: wide characters whole, near ones joined."""
        runs: list[tuple[int, int]] = []
        before = -1  # where the last one ends
        for x in different:
            start = x - 1 if texts[x] == FILLER and x else x
            end = x + 2 if texts[x + 1 : x + 2] == FILLER else x + 1
            if end <= before:
                continue
            if runs and (start <= before or self._is_bridge(before, start, texts, pens)):
                runs[-1] = (runs[-1][0], end)
            else:
                runs.append((start, end))
            before = end
        return runs

    def _is_bridge(self, start: int, end: int, texts: str, pens: str) -> bool:
        """Say whether cells between two runs are as well sent again: few, and of the same pen."""
        if end - start > BRIDGE:
            return False
        pen = pens[start - 1]
        same = {pen, chr(self._palette.grounds[ord(pen)])}
        return same.issuperset(pens[start:end]) and texts[start:end].isascii()

    def _add_cells(self, parts: list[str], y: int, x: int, texts: str, pens: str) -> None:
        start = 0
        for style, end in self._stretches(pens):
            cells = texts[start:end]
            palette, pen = self._palette, ord(style)
            pen = palette.for_blanks(self._pen, pen)
            parts.append(palette.change(self._pen, pen))
            self._pen = pen
            self._add_text(parts, y, x + start, cells)
            start = end

    def _stretches(self, pens: str) -> list[tuple[str, int]]:
        """Give stretches of one pen, and where each ends; blanks go with what is beside them."""
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

    def _add_text(self, parts: list[str], y: int, x: int, cells: str) -> None:
        """Add cells of one pen; long blanks are erased, with the ground of the pen (BCE)."""
        place = 0
        is_erased = self.erases and self._palette.pens[self._pen].is_blank_safe
        for match in _BLANKS.finditer(cells) if is_erased else ():
            self._add_plain(parts, y, x + place, cells[place : match.start()])
            parts.append(self.move(x + match.start(), y))
            parts.append(f"\x1b[{match.end() - match.start()}X")
            place = match.end()
        if place < len(cells):
            self._add_plain(parts, y, x + place, cells[place:])

    def _add_plain(self, parts: list[str], y: int, x: int, cells: str) -> None:
        if not cells:
            return
        parts.append(self.move(x, y))
        if cells.isascii():
            parts.append(cells)
            self._column = x + len(cells) if x + len(cells) < self.width else -1
            return
        # A terminal may have other ideas of how wide such a text is: its cursor is placed anew.
        parts.append("".join(self._spelled.get(c, c) for c in cells if c != FILLER))
        self._column = -1

    def _cells(self, text: str) -> str:
        """Give text as one character a cell."""
        text = _CONTROLS.sub("\ufffd", text)
        spans, width = split_graphemes(text)
        if width == len(text) == len(spans):
            return text
        return "".join(self._cell(text[start:end], cells) for start, end, cells in spans)

    def _cell(self, cluster: str, width: int) -> str:
        if width == 0:
            return ""
        lead = cluster if len(cluster) == 1 else self._cluster(cluster)
        return lead + FILLER * (width - 1)

    def _cluster(self, cluster: str) -> str:
        lead = self._clusters.get(cluster)
        if lead is None:
            if len(self._clusters) >= CLUSTERS_MAXIMUM:
                return "\ufffd"
            lead = self._clusters[cluster] = chr(CLUSTERS_FROM + len(self._clusters))
            self._spelled[lead] = cluster
        return lead
