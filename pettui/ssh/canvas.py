"""What a terminal is to show, and what it shows already: only the cells that differ are sent.

A row is two texts of one character a cell: what stands there, and the number of its pen. So rows
are compared, cut and joined at the speed of texts, and a session's screen takes some kilobytes.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from rich.cells import split_graphemes

from pettui.ssh.palette import PLAIN, Pen

if TYPE_CHECKING:
    from pettui.ssh.palette import Palette

FILLER = "\uffff"  # the second cell of a wide character; no text holds it
UNKNOWN = "\ufffe"  # a cell that shows nobody knows what
CLUSTERS_FROM = 0xF0000  # private characters that stand for clusters of several
CLUSTERS_MAXIMUM = 4096
BRIDGE = 4  # cells that are sent again where moving over them costs no less
BLANKS = 9  # cells that are erased rather than written
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\ufffe\uffff\U000f0000-\U0010ffff]")
_SPACES = re.compile(f" {{{BLANKS},}}")


class Canvas:
    """The cells of one terminal."""

    def __init__(self, width: int, height: int, palette: Palette) -> None:
        """Begin with a terminal that was cleared.

        Args:
            width: cells of a row.
            height: rows.
            palette: of the terminal's kind.
        """
        self.width, self.height = width, height
        self._palette = palette
        blank, plain = " " * width, chr(PLAIN) * width
        self._texts, self._pens = [blank] * height, [plain] * height
        self._shown_texts, self._shown_pens = [blank] * height, [plain] * height
        self._changed: set[int] = set()
        self._clusters: dict[str, str] = {}
        self._spelled: dict[str, str] = {}
        self._pen = Pen()  # what the terminal writes with
        self._at: tuple[int, int] | None = None  # column and row of its cursor, where known
        self._note: tuple[str, int] | None = None

    def paint(self, y: int, x: int, text: str, pen: int) -> int:
        """Let a run of text stand in a row; gives the column after it."""
        if not 0 <= y < self.height or x >= self.width or not text:
            return x + len(text)
        cells = text if text.isascii() and text.isprintable() else self._cells(text)
        end = x + len(cells)
        shown = cells[: self.width - x]
        stop, style = x + len(shown), chr(pen)
        texts, pens = self._texts[y], self._pens[y]
        if texts[x:stop] != shown or pens[x:stop] != style * len(shown):
            self._texts[y] = texts[:x] + shown + texts[stop:]
            self._pens[y] = pens[:x] + style * len(shown) + pens[stop:]
            self._changed.add(y)
        return end

    def note(self, text: str, pen: int) -> None:
        """Lay a line over the first row; "" takes it away."""
        self._note = (text, pen) if text else None
        self._changed.add(0)

    def forget(self) -> None:
        """Take it that the terminal shows nobody knows what."""
        self._shown_texts = [UNKNOWN * self.width] * self.height
        self._changed.update(range(self.height))
        self._at = None
        self._pen = Pen(("?",))

    def changes(self) -> str:
        """Give what makes the terminal show what it is to; it is taken for sent."""
        parts: list[str] = []
        for y in sorted(self._changed):
            self._add_row(parts, y)
        self._changed.clear()
        return "".join(parts)

    def move(self, x: int, y: int) -> str:
        """Give what puts the cursor somewhere."""
        if self._at == (x, y):
            return ""
        before, self._at = self._at, (x, y)
        if before is not None and before[1] == y and x > before[0]:
            by = x - before[0]
            return f"\x1b[{by if by > 1 else ''}C"
        return f"\x1b[{y + 1};{x + 1}H"

    def _add_row(self, parts: list[str], y: int) -> None:
        texts, pens = self._row(y)
        old_texts, old_pens = self._shown_texts[y], self._shown_pens[y]
        if texts == old_texts and pens == old_pens:
            return
        for start, end in _runs(texts, pens, old_texts, old_pens):
            parts.append(self.move(start, y))
            self._add_cells(parts, y, start, texts[start:end], pens[start:end])
        self._shown_texts[y], self._shown_pens[y] = texts, pens

    def _row(self, y: int) -> tuple[str, str]:
        texts, pens = self._texts[y], self._pens[y]
        if y == 0 and self._note is not None:
            text, pen = self._note
            shown = text[: self.width].center(self.width)
            return shown, chr(pen) * self.width
        return texts, pens

    def _add_cells(self, parts: list[str], y: int, x: int, texts: str, pens: str) -> None:
        for style, group in groupby(range(len(pens)), pens.__getitem__):
            places = list(group)
            pen = self._palette.pens[ord(style)]
            parts.append(pen.after(self._pen))
            self._pen = pen
            self._add_text(parts, y, x + places[0], texts[places[0] : places[-1] + 1])

    def _add_text(self, parts: list[str], y: int, x: int, cells: str) -> None:
        """Add cells of one pen; long blanks are erased, with the ground of the pen (BCE)."""
        place = 0
        spaces = _SPACES.finditer(cells) if self._pen.is_blank_safe else ()
        for match in spaces:
            self._add_plain(parts, y, x + place, cells[place : match.start()])
            parts.append(self.move(x + match.start(), y))
            parts.append(f"\x1b[{match.end() - match.start()}X")
            place = match.end()
        if place < len(cells):
            parts.append(self.move(x + place, y))
            self._add_plain(parts, y, x + place, cells[place:])

    def _add_plain(self, parts: list[str], y: int, x: int, cells: str) -> None:
        if not cells:
            return
        end = x + len(cells)
        if cells.isascii():
            parts.append(cells)
            self._at = (end, y) if end < self.width else None
            return
        # A terminal may have other ideas of how wide such a text is: its cursor is placed anew.
        parts.append("".join(self._spelled.get(c, c) for c in cells if c != FILLER))
        self._at = None

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


def _runs(texts: str, pens: str, old_texts: str, old_pens: str) -> list[tuple[int, int]]:
    """Give where a row differs: starts and ends, near ones joined, wide characters whole."""
    runs: list[tuple[int, int]] = []
    width = len(texts)
    for x in range(width):
        if texts[x] == old_texts[x] and pens[x] == old_pens[x]:
            continue
        start = x - 1 if texts[x] == FILLER and x else x
        end = x + 2 if x + 1 < width and texts[x + 1] == FILLER else x + 1
        if runs and start - runs[-1][1] <= BRIDGE:
            runs[-1] = (runs[-1][0], max(end, runs[-1][1]))
        else:
            runs.append((start, end))
    return runs
