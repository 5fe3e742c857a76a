"""EntryTable: every entry of the outbox, with a cursor that stays on its entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.containers import VerticalScroll
from textual.geometry import Region
from textual.message import Message
from textual.reactive import reactive

from pettui import actions
from pettui.tui.keys.bindings import bindings
from pettui.tui.lists.entry_decisions import next_undecided, no_undecided_text
from pettui.tui.widgets.entries.entry_columns import EntryCells
from pettui.tui.widgets.line_widget import LineWidget
from pettui.tui.wording.entry_texts import whole_of
from pettui.tui.wording.text_runs import Run, bar_of, cut_runs, width_of

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from textual import events
    from textual.binding import BindingType

    from pettui.outbox import Entry
    from pettui.tui.user_session import UserSession
    from pettui.tui.wording.text_runs import Section

EARLIER = "earlier, or in another window"
EMPTY = (
    ("The outbox is empty.", "strong"),
    ("Animals that you add appear here, with what became of them.", "muted"),
)


class EntryHeader(LineWidget):
    """The names of the columns, which do not scroll."""

    def __init__(self, table: EntryTable) -> None:
        super().__init__(table.glyphs)
        self._table = table

    def lines(self, width: int) -> Sequence[Sequence[Run]]:  # noqa: ARG002
        """Return the line, or none if the table is empty."""
        return [self._table.header()] if self._table.entries else []


class EntryTable(LineWidget, can_focus=True):
    """The entries of this session above the others, each group newest first."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.ENTRY_TABLE,
        entry_up="move(-1)",
        entry_down="move(1)",
        entry_page_up="move_page(-1)",
        entry_page_down="move_page(1)",
        entry_half_page_up="move_page(-0.5)",
        entry_half_page_down="move_page(0.5)",
        entry_top="move(-1000000)",
        entry_end="move(1000000)",
    )

    cursor: reactive[int] = reactive(0)

    class Highlighted(Message):
        """The cursor is on another entry."""

    class Opened(Message):
        """The entry under the cursor was double-clicked."""

    def __init__(self, session: UserSession) -> None:
        super().__init__(session.glyphs)
        self.entries: tuple[Entry, ...] = ()
        self._session = session
        self._of_session = 0  # how many of the entries

    @property
    def highlighted(self) -> Entry | None:
        """The entry under the cursor."""
        return self.entries[self.cursor] if self.entries else None

    def highlighted_sections(self) -> list[Section]:
        """Return the full text of the entry under the cursor, if it is cut."""
        entry = self.highlighted
        return [whole_of(entry)] if entry is not None and self._is_cut(entry) else []

    def kind_of(self, entry: Entry) -> str:
        """Return category, status and time of an entry, safe to draw."""
        cells, glyphs = self._cells(), self.glyphs
        status = f"{glyphs.status_glyph(entry.status)} {glyphs.status_word(entry.status)}"
        category = cells.category(entry, named=True)
        return f" {glyphs.dot} ".join((category, status, cells.time(entry)))

    def show_entries(self, entries: Sequence[Entry], of_session: Container[str]) -> None:
        """Show entries, given oldest first; ``of_session`` has the keys of this session's."""
        before = self.highlighted
        newest = entries[::-1]
        own = [entry for entry in newest if entry.key in of_session]
        rest = [entry for entry in newest if entry.key not in of_session]
        self.entries, self._of_session = (*own, *rest), len(own)
        keys = [entry.key for entry in self.entries]
        self.styles.height = max(len(keys) + self._has_divider, len(EMPTY) + 1)
        self.cursor = keys.index(before.key) if before and before.key in keys else self.cursor
        self.refresh()

    def validate_cursor(self, cursor: int) -> int:
        """Keep the cursor on an entry."""
        return max(0, min(cursor, len(self.entries) - 1))

    def watch_cursor(self) -> None:
        """Keep the cursor in sight."""
        if isinstance(self.parent, VerticalScroll):
            region = Region(0, self._line_of(self.cursor), 1, 1)
            self.parent.scroll_to_region(region, animate=False)
        self.post_message(self.Highlighted())

    def action_move(self, entries: int) -> None:
        """Move the cursor."""
        self.cursor += entries

    def action_move_page(self, pages: float) -> None:
        """Move the cursor by pages, or a part of one."""
        rows = self.parent.size.height if isinstance(self.parent, VerticalScroll) else 1
        self.cursor += int(pages * max(rows, 2))

    def go_to(self, key: str) -> None:
        """Move the cursor to an entry, if it is there."""
        keys = [entry.key for entry in self.entries]
        self.cursor = keys.index(key) if key in keys else self.cursor

    def go_to_undecided(self, step: int) -> str:
        """Go to the next or previous refused or unknown entry; return what to say about it."""
        before, index = self.cursor, next_undecided(self.entries, self.cursor, step)
        if index is None or index == before:
            return no_undecided_text(self.entries, is_on_one=index == before)
        self.cursor = index
        if (index - before) * step > 0:
            return ""
        return "continued from the top" if step > 0 else "continued from the end"

    def header(self) -> list[Run]:
        """Return the names of the columns."""
        cells = self._cells()
        return cells.header(cells.columns(self.entries, self.drawn_width))

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the lines, with a sign at the cursor, or a text for an empty outbox."""
        if not self.entries:
            return [[], *([("    ", ""), line] for line in EMPTY)]
        cells = self._cells()
        columns = cells.columns(self.entries, width)
        lines = [
            self._line(cells.row(entry, columns), width, is_cursor=index == self.cursor)
            for index, entry in enumerate(self.entries)
        ]
        if self._has_divider:
            lines.insert(self._of_session, [("    ", ""), (EARLIER, "table-header")])
        return lines

    def _line(self, runs: Sequence[Run], width: int, *, is_cursor: bool) -> list[Run]:
        if not is_cursor:
            return [(" ", ""), *runs]
        row = cut_runs(self.glyphs, [(self.glyphs.cursor, ""), *runs], width)
        return bar_of(row, width, "cursor" if self.has_focus else "cursor-blurred")

    def on_focus(self) -> None:
        """Redraw the cursor's row."""
        self.refresh()

    on_blur = on_focus

    def _cells(self) -> EntryCells:
        session = self._session
        return EntryCells(self.glyphs, session.category_name, session.clock.now())

    @property
    def _has_divider(self) -> bool:
        return 0 < self._of_session < len(self.entries)

    def _line_of(self, index: int) -> int:
        return index + (self._has_divider and index >= self._of_session)

    def _is_cut(self, entry: Entry) -> bool:
        cells = self._cells()
        columns = cells.columns(self.entries, self.drawn_width)
        is_error_whole = len(entry.error or "") <= 500 and not entry.error_excerpt
        is_name_whole = self.glyphs.has_room(entry.name, columns.name, 1)
        width = width_of(cells.row(entry, columns)) + 1
        return not is_name_whole or not is_error_whole or width > self.drawn_width

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the click; a double click does what Enter does."""
        indexes = range(len(self.entries))
        clicked = next((i for i in indexes if self._line_of(i) == event.y), None)
        if clicked is not None:
            self.cursor = clicked
            if event.chain == 2:
                self.post_message(self.Opened())
