"""ScreenBuffer: what a terminal is to show, and what it shows; only cells that differ are sent.

A row is two strings with one character for each cell: its text, and the number of its style. So
rows are compared, cut and joined as fast as strings, and a screen takes some kilobytes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pettui.terminal.clusters import (
    FILLER,
    MARK,
    Clusters,
    is_ambiguous_letter,
    is_narrow_nearly_everywhere,
    is_sure,
    reach,
)
from pettui.terminal.sgr import PLAIN, Palette

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator


FEW_ROWS = 12  # may be sent in any order, without anyone seeing it


class ScreenBuffer:
    """The cells of one terminal."""

    def __init__(self, width: int, height: int, palette: Palette, *, erases: bool = False) -> None:
        """Start with a cleared terminal.

        Args:
            width: cells of a row.
            height: rows.
            palette: of this screen alone, for the terminal's kind.
            erases: the terminal erases with the current background, and can move to a column
                (terminfo's bce, ech and hpa).
        """
        self.width, self.height = width, height
        self.palette = palette
        self._clusters = Clusters()
        self._texts, self._styles = self._blank_rows()
        self._overlay = ""
        self._changed: dict[int, tuple[int, int]] = {}  # by row: first column, and after the last
        self._reset_shown(erases=erases)

    def _reset_shown(self, *, erases: bool) -> None:
        self._shown_texts, self._shown_styles = self._blank_rows()
        self._marked: set[int] = set()  # rows that are shown with marks
        self._writer = CellWriter(
            self.width, self.height, self.palette, self._clusters, erases=erases
        )

    def _blank_rows(self) -> tuple[list[str], list[str]]:
        plain = chr(self.palette.on_blanks[PLAIN])
        return [" " * self.width] * self.height, [plain * self.width] * self.height

    def copy(self) -> ScreenBuffer:
        """Return the same for another terminal, which got the same output; rows are shared."""
        copy = ScreenBuffer(self.width, self.height, self.palette.copy())
        copy._clusters = self._clusters.copy()
        copy._writer = self._writer.copy(copy.palette, copy._clusters)
        copy._texts, copy._styles = self._texts.copy(), self._styles.copy()
        copy._shown_texts, copy._shown_styles = self._shown_texts.copy(), self._shown_styles.copy()
        copy._overlay, copy._changed = self._overlay, self._changed.copy()
        copy._marked = self._marked.copy()
        return copy

    @property
    def is_up_to_date(self) -> bool:
        """Whether nothing was painted since ``changes`` was called."""
        return not self._changed

    def forget_shown(self) -> None:
        """Assume that the terminal was cleared: all that was painted will be sent again."""
        self._reset_shown(erases=self._writer.erases)
        self._changed = dict.fromkeys(range(self.height), (0, self.width))

    def forget_styles(self) -> None:
        """Keep only the styles that are on the screen, or are to be, if there are too many.

        To be called before a frame is painted: numbers of styles are others after it.
        """
        if not self.palette.is_full:
            return
        used = set().union(*self._styles, *self._shown_styles)
        numbers = self.palette.keep({self._writer.style, *map(ord, used)})
        self._styles = [row.translate(numbers) for row in self._styles]
        self._shown_styles = [row.translate(numbers) for row in self._shown_styles]
        self._writer.style = numbers[self._writer.style]

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
        on_text, on_blank = chr(style), chr(self.palette.on_blanks[style])
        text = cells.rstrip(" ")  # most cells of a screen are blank
        styles = on_blank.join([on_text * len(piece) for piece in text.split(" ")])
        return styles + on_blank * (len(cells) - len(text))

    def _mark_changed(self, y: int, start: int, stop: int) -> None:
        first, last = self._changed.get(y, (start, stop))
        self._changed[y] = min(first, start), max(last, stop)

    def show_overlay(self, text: str) -> None:
        """Show a line over the first row; "" removes it."""
        self._overlay = text
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
                if y in self._marked:
                    parts.extend(self._writer.write_marked(y, texts, styles))
                else:
                    parts.extend(self._writer.write(y, start, texts, styles))
        parts.append(self._writer.end_link())
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
        self._shown_texts[y], self._shown_styles[y] = wanted
        had_marks = y in self._marked
        if self._clusters.right_to_left(wanted[0]):
            self._marked.add(y)
        else:
            self._marked.discard(y)
        if had_marks or y in self._marked:
            return [(0, self.width)]
        columns = changed_columns(wanted, shown, *self._changed[y])
        return runs_to_send(columns, wanted, self._clusters, self.palette)

    def _wanted(self, y: int) -> tuple[str, str]:
        if y == 0 and self._overlay:
            shown = self._clusters.cells(self._overlay)[: self.width]
            return shown.center(self.width), chr(self.palette.overlay) * self.width
        return self._texts[y], self._styles[y]


def _without_halves(texts: str, start: int, stop: int) -> str:
    """Return a row to be overwritten between two columns; halves of wide characters are blanked."""
    if texts[start : start + 1] == FILLER and start:
        texts = f"{texts[: start - 1]} {texts[start:]}"
    if texts[stop : stop + 1] == FILLER:
        texts = f"{texts[:stop]} {texts[stop + 1 :]}"
    return texts


# Which cells of a row are sent: those that differ, in runs of whole clusters.

BRIDGE = 4  # unchanged cells that are sent again, since moving over them costs no less


def changed_columns(
    wanted: tuple[str, str], shown: tuple[str, str], first: int, last: int
) -> list[int]:
    """Return the columns between two that differ in two rows, each of texts and styles."""
    return [
        x
        for x, (new, old, style, old_style) in enumerate(
            zip(
                wanted[0][first:last], shown[0][first:last],
                wanted[1][first:last], shown[1][first:last],
                strict=True,
            ),
            first,
        )
        if new != old or style != old_style
    ]  # fmt: skip


def runs_to_send(
    columns: list[int], row: tuple[str, str], clusters: Clusters, palette: Palette
) -> list[tuple[int, int]]:
    """Return starts and ends of runs of cells to send: whole clusters, near ones joined.

    Args:
        columns: that changed, from left to right.
        row: the texts and styles that it is to show.
        clusters: of its texts.
        palette: of its styles.
    """
    texts, styles = row
    runs: list[tuple[int, int]] = []
    before = -1  # the end of the last run
    for x in columns:
        if x < before:
            continue
        if x == before and texts[x : x + 2].isascii():  # as most are
            before += 1
            runs[-1] = (runs[-1][0], before)
            continue
        start = x - 1 if texts[x] == FILLER and x else x
        end = _end(start, texts, clusters)
        if runs and (start <= before or _is_bridge(before, start, texts, styles, palette)):
            runs[-1] = (runs[-1][0], end)
        else:
            runs.append((start, end))
        before = end
    return runs


def _end(x: int, texts: str, clusters: Clusters) -> int:
    """Return the end of a run that starts at a cell.

    A terminal may draw a cluster over more cells than its own: these are sent again, too.
    """
    end = x + 1
    if texts[x : end + 1].isascii():  # as nearly all are
        return end
    while x < end:
        width = 2 if texts[x + 1 : x + 2] == FILLER else 1
        end = max(end, x + width)
        cluster = texts[x] if texts[x].isascii() else clusters.spelled(texts[x])
        if not cluster.isascii() and not is_sure(cluster, width):
            end = min(max(end, x + reach(cluster)), len(texts))
        x += width
    return end


def _is_bridge(start: int, end: int, texts: str, styles: str, palette: Palette) -> bool:
    """Whether to send the cells between two runs again: few, and in the same style."""
    if end - start > BRIDGE:
        return False
    style = styles[start - 1]
    same = {style, chr(palette.on_blanks[ord(style)])}
    return same.issuperset(styles[start:end]) and texts[start:end].isascii()


# Cells → the shortest output that makes a terminal show them.

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
        self.style = PLAIN  # its number
        self._row, self._column = -1, -1  # of the cursor; -1 if not known

    def copy(self, palette: Palette, clusters: Clusters) -> CellWriter:
        """Return a writer for another terminal, which got the same output."""
        copy = CellWriter(self._width, self._height, palette, clusters, erases=self.erases)
        copy.style, copy._row, copy._column = self.style, self._row, self._column
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
        number = self._palette.for_blanks(self.style, ord(style))
        return len(self._palette.change(self.style, number))

    def write(self, y: int, x: int, texts: str, styles: str) -> Iterator[str]:
        """Yield the output that makes the terminal show cells of a row, each in its style."""
        yield self.move(x, y)
        start = 0
        for style, end in self._runs(styles):
            number = self._palette.for_blanks(self.style, ord(style))
            yield self._palette.change(self.style, number)
            self.style = number
            yield from self._text(y, x + start, texts[start:end])
            start = end

    def write_marked(self, y: int, texts: str, styles: str) -> Iterator[str]:
        """Yield the output of a whole row that keeps its columns where terminals reorder letters.

        They take a row for a paragraph: beside a Hebrew name, numbers and columns would change
        places, or all be drawn from the right. So a mark stands before the first text that reads
        from the right, and one behind each. Some terminals count it as a column (mlterm), others as
        a part of the character before it: so behind the first one the cursor is placed nowhere
        without need.
        """
        spans = self._clusters.right_to_left(texts)
        x = max(spans[0][0] - 1, 0)
        marks = {end - 1 for _, end in spans} | ({x} if spans[0][0] else set())
        if texts[x] == FILLER:
            x -= 1
        if x:
            yield from self.write(y, 0, texts[:x], styles[:x])
        yield self.move(x, y)
        for style, end in self._runs(styles[x:], x):
            number = self._palette.for_blanks(self.style, ord(style))
            yield self._palette.change(self.style, number)
            self.style = number
            is_end = end == len(texts) and self._erases_blanks
            shown = texts[x:end].rstrip(" ") if is_end else texts[x:end]
            yield from self._with_marks(y, x, shown, marks)
            if len(shown) < end - x:
                yield "\x1b[K"
            x = end
        self._column = -1

    def _with_marks(self, y: int, x: int, cells: str, marks: set[int]) -> Iterator[str]:
        for index, cell in enumerate(cells):
            if cell == FILLER:
                continue
            at, width = x + index, 2 if cells[index + 1 : index + 2] == FILLER else 1
            mark = "" if marks.isdisjoint((at, at + width - 1)) else MARK
            cluster = self._clusters.spelled(cell)
            if is_sure(cluster, width) or is_narrow_nearly_everywhere(cluster):
                yield cluster + mark
                continue
            self._row, self._column = y, at
            yield from self._clusters_of(y, at, cells[index : index + width])
            yield mark + self.move(at + width, y)

    def end_link(self) -> str:
        """Return the output that ends a link, which no reset of a style does; "" for none."""
        before, self.style = self.style, self._palette.without_link(self.style)
        return self._palette.change(before, self.style)

    def _runs(self, styles: str, x: int = 0) -> list[tuple[str, int]]:
        """Return runs of one style from a column on, and where each ends.

        Blanks join the run beside them.
        """
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
            runs.append((style, x + match.end()))
        return runs

    def _text(self, y: int, x: int, cells: str) -> Iterator[str]:
        """Yield cells of one style; long blanks are erased, with its background (bce)."""
        index = 0
        for match in _BLANKS.finditer(cells) if self._erases_blanks else ():
            yield from self._characters(y, x + index, cells[index : match.start()])
            yield self.move(x + match.start(), y)
            yield f"\x1b[{match.end() - match.start()}X"
            index = match.end()
        yield from self._characters(y, x + index, cells[index:])

    @property
    def _erases_blanks(self) -> bool:
        """Whether erased cells look like blanks in the current style."""
        return self.erases and self._palette.styles[self.style].is_blank_safe

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
