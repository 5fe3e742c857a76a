"""Totals: how many animals there are, in total and by category and status."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.reactive import reactive

from pettui.statuses import look_of
from pettui.tui.appearance import TALL, WIDE
from pettui.tui.keys import hints
from pettui.tui.runs import Run, Section, width_of
from pettui.tui.widgets.line_widget import LineWidget

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pettui.glyphs import GlyphSet
    from pettui.tui.session import Total

MARGINS = 2
OTHER_ROWS = 9  # of the screen besides the table and the totals below it
ROWS_MINIMUM = 2


class Totals(LineWidget):
    """A line for all, and one for each category; the last one counts those that do not fit."""

    totals: reactive[Sequence[Total]] = reactive((), layout=True)
    note: reactive[str] = reactive("", layout=True)  # below them, where there is room
    rows: reactive[int] = reactive(0, layout=True)  # at most; 0 for as many as the receipt has

    def __init__(self, glyphs: GlyphSet, category_name: Callable[[int], str]) -> None:
        super().__init__(glyphs)
        self._category_name = category_name

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return as many lines as fit."""
        lines = self._lines(width - MARGINS)
        if len(lines) <= self._rows:
            has_room = 0 < len(lines) < self._rows
            note = self.glyphs.cut(self.note, width - MARGINS)
            return [*lines, [(f" {note}", "muted")]] if note and has_room else lines
        more = len(lines) - self._rows + 1
        what = "1 more category" if more == 1 else f"{more} more categories"
        key = "".join(hints(f" {self.glyphs.dot} {{view_full_text}}", self.screen))
        return [
            *lines[: self._rows - 1],
            [(f" {self.glyphs.ellipsis} {what}", "muted"), (key, "key")],
        ]

    def cut_sections(self) -> list[Section]:
        """Return all the totals, if some are cut."""
        room = self.drawn_width - MARGINS
        lines = self._lines(room)
        if len(lines) <= self._rows and all(width_of(line) < self.drawn_width for line in lines):
            return []
        return [("Totals", "\n".join(self._whole(each) for each in self.totals))]

    @property
    def _rows(self) -> int:
        width, height = self.app.size
        if self.rows:
            return self.rows
        if width >= WIDE and height >= TALL:
            return max(self.size.height or height - OTHER_ROWS, ROWS_MINIMUM)
        return max((height - OTHER_ROWS) // 3, ROWS_MINIMUM)

    def _lines(self, width: int) -> list[list[Run]]:
        """Return a line each, with status words if they fit."""
        lines = self._in_columns(width, is_worded=True)
        if all(width_of(line) <= width for line in lines):
            return lines
        return self._in_columns(width, is_worded=False)

    def _in_columns(self, width: int, *, is_worded: bool) -> list[list[Run]]:
        labels = [self._label(each) for each in self.totals]
        widest = min(max(map(cell_len, labels), default=0), max(width // 2, 8))
        digits = max((len(str(each.count)) for each in self.totals), default=0)
        return [
            [
                (f" {self.glyphs.fit(label, widest)}", "" if index else "strong"),
                (f" {total.count:>{digits}} ", "strong"),
                *self._statuses(total, is_worded=is_worded),
            ]
            for index, (total, label) in enumerate(zip(self.totals, labels, strict=True))
        ]

    def _label(self, total: Total) -> str:
        if total.category_id is None:
            return "All"
        return f"{total.category_id} {self._category_name(total.category_id)}".rstrip()

    def _statuses(self, total: Total, *, is_worded: bool) -> list[Run]:
        """Return a cell for each status in the totals, blank if this one has none of it."""
        runs: list[Run] = []
        for status, of_all in self.totals[0].by_status.items():
            word = f" {self.glyphs.status_word(status)}" if is_worded else ""
            count, digits = total.by_status.get(status, 0), len(str(of_all))
            cell = f"  {self.glyphs.status_glyph(status)} {count:>{digits}}{word}"
            style = look_of(status).style
            runs.append((cell, style) if count else (" " * cell_len(cell), ""))
        return runs

    def _whole(self, total: Total) -> str:
        statuses = (
            f"{count} {self.glyphs.status_word(status)}"
            for status, count in total.by_status.items()
        )
        return f"{self._label(total)}: {total.count} ({', '.join(statuses)})"
