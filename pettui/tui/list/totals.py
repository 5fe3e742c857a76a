"""Totals: how many animals there are, in total and by category and status."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len
from textual.message import Message
from textual.reactive import reactive

from pettui.models.statuses import look_of
from pettui.rows.widths import Width, divided
from pettui.text.amounts import counted
from pettui.tui.widgets.appearance import TALL, WIDE
from pettui.tui.widgets.bindings import hints
from pettui.tui.widgets.line_widget import LineWidget
from pettui.tui.widgets.runs import Run, Section, width_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from textual import events

    from pettui.tui.session.counts import Total
    from pettui.tui.session.session import UserSession

MARGINS = 2
GAP = 2  # cells before each column
OTHER_ROWS = 9  # of the screen besides the table and the totals below it
ROWS_MINIMUM = 2
HEAD_FROM = 4  # rows: below, each count has its status's glyph beside it
LABEL_LEAST = 8  # cells
BAR_LEAST, BAR_MOST = 4, 24  # cells


class Columns(NamedTuple):
    """The cells of each column, without the gaps."""

    label: int
    number: int
    statuses: Mapping[str | None, int]
    worded: bool  # statuses with their words
    bar: int  # of the longest one; 0 without room
    scale: float  # the cells of a bar for each animal


class Totals(LineWidget):
    """A head, a line for all, and one for each category, with bars of one scale.

    A bar has a part for each status, in its colour and of its own kind of line. The last line
    counts the categories that do not fit.
    """

    totals: reactive[Sequence[Total]] = reactive((), layout=True)
    remark: reactive[str] = reactive("", layout=True)  # below them, where there is room
    rows: reactive[int] = reactive(0, layout=True)  # at most; 0 for as many as the receipt has

    class Picked(Message):
        """The count of a category was clicked, or that of all."""

        def __init__(self, category_id: int | None) -> None:
            super().__init__()
            self.category_id = category_id

    def __init__(self, session: UserSession) -> None:
        super().__init__(session.glyphs)
        self._category_name = session.category_name
        self._laid_out: tuple[object, list[list[Run]]] | None = None  # the newest, and of what

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return as many lines as fit."""
        lines = self._lines(width - MARGINS)
        if len(lines) <= self._rows:
            has_room = 0 < len(lines) < self._rows
            remark = self.glyphs.cut(self.remark, width - MARGINS)
            return [*lines, [(f" {remark}", "muted")]] if remark and has_room else lines
        more = len(lines) - self._rows + 1
        what = counted(more, "more category")
        key = "".join(hints(f" {self.glyphs.dot} {{view_full_text}}", self.screen))
        return [
            *lines[: self._rows - 1],
            [(f" {self.glyphs.ellipsis} {what}", "muted"), (key, "key")],
        ]

    def on_click(self, event: events.Click) -> None:
        """Post which count was clicked."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        is_cut = len(self._lines(self.drawn_width - MARGINS)) > self._rows
        counts = self.totals[: self._rows - 1 - self._is_headed] if is_cut else self.totals
        index = offset.y - self._is_headed
        if 0 <= index < len(counts):
            self.post_message(self.Picked(counts[index].category_id))

    def cut_sections(self) -> list[Section]:
        """Return all the totals, if some are cut."""
        room = self.drawn_width - MARGINS
        lines = self._lines(room)
        if len(lines) <= self._rows and all(width_of(line) < room + MARGINS for line in lines):
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

    @property
    def _is_headed(self) -> bool:
        return self._rows >= HEAD_FROM

    def _lines(self, width: int) -> list[list[Run]]:
        """Return the head if there is room for it, and a line each; laid out once."""
        if not self.totals:
            return []
        is_headed = self._is_headed
        state = self.totals, width, is_headed
        if self._laid_out is None or self._laid_out[0] != state:
            columns = self._columns(width, is_headed=is_headed)
            head = [self._head(columns)] if is_headed else []
            lines = [self._line(each, columns, is_headed=is_headed) for each in self.totals]
            self._laid_out = state, [*head, *lines]
        return self._laid_out[1]

    def _columns(self, width: int, *, is_headed: bool) -> Columns:
        """Divide a width: words of statuses go before bars, and bars before the numbers do."""
        of_all = self.totals[0]
        label = max(cell_len(self._label(each)) for each in self.totals)
        label = min(label, max(width // 2, LABEL_LEAST))
        count = max(len(f"{each.number:,}") for each in self.totals)
        widths = [Width(1 + label + 1 + count)]
        for status, number in of_all.by_status.items():
            digits, words = len(f"{number:,}"), (True, False)
            word, short = (width_of(self._status(status, is_worded=each)) for each in words)
            if is_headed:
                widths.append(Width(max(word, digits), {1: max(short, digits)}, gap=GAP))
            else:  # the glyph stands beside the number
                widths.append(Width(short + 1 + digits, gap=GAP))
        widths.append(Width(BAR_LEAST, {2: 0}, gap=GAP))
        step, (_, *cells, least) = divided(widths, width)
        statuses = dict(zip(of_all.by_status, cells, strict=True))
        room = width - 1 - label - 1 - count - sum(GAP + each for each in cells) - GAP
        bar = min(room, BAR_MOST) if least else 0
        scale = bar / max(each.number for each in self.totals[1:])
        return Columns(label, count, statuses, step < 1, bar, scale)

    def _status(self, status: str | None, *, is_worded: bool = True) -> list[Run]:
        """Return glyph and word of a status, or its glyph alone."""
        look, glyphs = look_of(status), self.glyphs
        word = f" {glyphs.status_word(status)}" if is_worded else ""
        return [(glyphs.glyph_of(look), look.sign_style), (word, look.style)]

    def _head(self, columns: Columns) -> list[Run]:
        """Return glyphs and words of the statuses, each over its numbers."""
        runs: list[Run] = [(" " * (1 + columns.label + 1 + columns.number), "")]
        for status, cells in columns.statuses.items():
            title = self._status(status, is_worded=columns.worded)
            runs += [(" " * (GAP + cells - width_of(title)), ""), *title]
        return runs

    def _line(self, total: Total, columns: Columns, *, is_headed: bool) -> list[Run]:
        is_all = total.category_id is None
        runs: list[Run] = [
            (f" {self.glyphs.fit(self._label(total), columns.label)}", "strong" if is_all else ""),
            (f" {total.number:>{columns.number},}", "strong"),
        ]
        for status, cells in columns.statuses.items():
            number = total.by_status.get(status, 0)
            beside = "" if is_headed else f"{self.glyphs.status_glyph(status)} "
            digits = cells - cell_len(beside)
            text = f"{beside}{number:>{digits},}" if number else ""
            blank = GAP + cells - cell_len(text.lstrip())
            runs += [(" " * blank, ""), (text.lstrip(), look_of(status).style)]
        if columns.bar and not is_all:
            runs += [(" " * GAP, ""), *self._bar(total.by_status, columns.scale)]
        return runs

    def _bar(self, by_status: Mapping[str | None, int], scale: float) -> Iterator[Run]:
        """Return the parts of a bar, which has so many cells for each animal, and one at least."""
        drawn = number = 0
        for status, count in by_status.items():
            look = look_of(status)
            number += count
            end = max(round(number * scale), 1)
            sign = look.ascii_glyph if self.glyphs.ascii_only else look.bar
            yield sign * (end - drawn), look.bar_style
            drawn = end

    def _label(self, total: Total) -> str:
        if total.category_id is None:
            return "All"
        return f"{total.category_id} {self._category_name(total.category_id)}".rstrip()

    def _whole(self, total: Total) -> str:
        statuses = (
            f"{count} {self.glyphs.status_word(status)}"
            for status, count in total.by_status.items()
        )
        return f"{self._label(total)}: {total.number} ({', '.join(statuses)})"
