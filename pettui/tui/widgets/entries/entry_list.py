"""EntryList: the newest entries of the outbox, one a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.reactive import reactive

from pettui.outbox import Entry, EntryState
from pettui.statuses import look_of
from pettui.tui.widgets.line_widget import LineWidget
from pettui.tui.wording.entry_texts import seconds_text, whole_of
from pettui.tui.wording.text_runs import Run, name_run, width_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.timer import Timer

    from pettui.glyphs import GlyphSet
    from pettui.tui.wording.text_runs import Section

EMPTY = ("   Animals that you add appear here.", "muted")
NAME_CHARACTERS = 60
CATEGORY_CHARACTERS = 30
SIGN = 3  # cells
NAME_CELLS = 14  # of a longer name, before other columns are narrowed …
NAME_LEAST = 6  # … and at least
STATE_MAXIMUM = 16  # cells that are kept for it: "waiting · 60 min"
GAP = "  "

WORDS = {
    EntryState.WAITING: ("waiting", "muted"),
    EntryState.SENDING: ("sending", "accent"),
    EntryState.ADDED: ("added", "good"),
    EntryState.REFUSED: ("refused", "error"),
    EntryState.UNKNOWN: ("unknown", "notice"),
}


@dataclass(frozen=True, slots=True)
class _Columns:
    """The cells of each column, without the gaps; the state gets the rest."""

    id: int  # with the blank behind it
    name: int
    category: int
    status: int
    named: bool  # categories with their names
    worded: bool  # statuses with their words


class EntryList(LineWidget):
    """The newest entry first, with a countdown beside those that can be taken back."""

    entries: reactive[tuple[Entry, ...]] = reactive(())

    def __init__(
        self, glyphs: GlyphSet, goes_in: Callable[[Entry], float], category: Callable[[int], str]
    ) -> None:
        """Show no entries yet.

        Args:
            glyphs: of the terminal.
            goes_in: returns the seconds until an entry is sent.
            category: returns the number and name of a category, raw.
        """
        super().__init__(glyphs)
        self._goes_in = goes_in
        self._category = category
        self._hint = ""  # beside the newest entry that waits
        self._counting: Timer | None = None

    def show_entries(self, entries: tuple[Entry, ...], hint: str) -> None:
        """Show entries, given oldest first, and a hint beside the newest one waiting here."""
        self._hint = hint
        self.entries = entries[::-1]
        self.styles.height = max(len(entries), 1)
        self.refresh_changed_lines()
        self._count_down()

    def cut_sections(self) -> list[Section]:
        """Return the full texts of the entries that are cut."""
        if not self.entries:
            return []
        columns = self._columns(self.drawn_width)
        return [whole_of(entry) for entry in self.entries if self._is_cut(entry, columns)]

    def _is_cut(self, entry: Entry, columns: _Columns) -> bool:
        is_name_whole = self.glyphs.has_room(entry.name, columns.name, 1, NAME_CHARACTERS)
        is_error_whole = len(entry.error or "") <= 500 and not entry.error_excerpt
        width = width_of(self._row(entry, columns)) + 1
        return not is_name_whole or not is_error_whole or width > self.drawn_width

    def lines(self, width: int) -> Sequence[Sequence[Run]]:
        """Return the lines; the hint goes if there is no room."""
        if not self.entries:
            return [[EMPTY]]
        columns = self._columns(width)
        hinted = next((entry for entry in self.entries if entry.waits_here), None)
        drawn = []
        for entry in self.entries:
            row = self._row(entry, columns)
            if entry is hinted and self._hint:
                more = [*row, (f" {self.glyphs.dot} {self._hint}", "muted")]
                row = more if width_of(more) <= width else row
            drawn.append(row)
        return drawn

    def _columns(self, width: int) -> _Columns:
        """Divide the width: names of categories and words of statuses go before a name is cut."""
        entries = self.entries
        pet_id = max(len(self._id_of(entry)) for entry in entries)
        name = max(cell_len(self._name_of(entry)[0]) for entry in entries)
        state = min(max(width_of(self._state(entry)) for entry in entries), STATE_MAXIMUM)
        least = min(name, max(width * 2 // 5, NAME_CELLS))
        for named, worded in ((True, True), (True, False), (False, False)):
            category = max(cell_len(self._category_of(entry, named=named)) for entry in entries)
            status = max(cell_len(self._status_of(entry, worded=worded)) for entry in entries)
            room = width - SIGN - pet_id - category - status - state - 3 * len(GAP)
            if room >= least:
                break
        return _Columns(pet_id, min(name, max(room, NAME_LEAST)), category, status, named, worded)

    def _row(self, entry: Entry, columns: _Columns) -> list[Run]:
        """Return the columns of an entry, and why it is not added."""
        fit = self.glyphs.fit
        _, style = WORDS[entry.state]
        sign = {
            EntryState.ADDED: self.glyphs.done,
            EntryState.REFUSED: self.glyphs.error,
            EntryState.UNKNOWN: self.glyphs.notice,
        }.get(entry.state, self.glyphs.waiting)
        name, name_style = self._name_of(entry)
        category = self._category_of(entry, named=columns.named)
        status = self._status_of(entry, worded=columns.worded)
        row: list[Run] = [
            (f" {sign} ", style),
            (fit(self._id_of(entry), columns.id), "muted"),
            (fit(name, columns.name), name_style),
            (f"{GAP}{fit(category, columns.category)}{GAP}", "muted"),
            (fit(status, columns.status), look_of(entry.status).style),
        ]
        if entry.state is not EntryState.ADDED:
            row += [(GAP, ""), *self._state(entry)]
        if entry.error:
            row.append((f"{GAP}{self.glyphs.line(entry.error)}", "muted"))
        return row

    def _id_of(self, entry: Entry) -> str:
        return f"{entry.pet_id} " if entry.pet_id is not None else ""

    def _name_of(self, entry: Entry) -> Run:
        return name_run(self.glyphs, entry.name, NAME_CHARACTERS)

    def _category_of(self, entry: Entry, *, named: bool) -> str:
        label = self._category(entry.category_id) if named else str(entry.category_id)
        return self.glyphs.line(label, CATEGORY_CHARACTERS)

    def _status_of(self, entry: Entry, *, worded: bool) -> str:
        glyph = self.glyphs.status_glyph(entry.status)
        return f"{glyph} {self.glyphs.status_word(entry.status)}" if worded else glyph

    def _state(self, entry: Entry) -> list[Run]:
        """Return the state of an entry that is not added, and when it is sent."""
        if entry.state is EntryState.ADDED:
            return []
        word, style = WORDS[entry.state]
        where = " in another window" if entry.owned_elsewhere else ""
        goes_in = self._goes_in(entry)
        left = f" {self.glyphs.dot} {seconds_text(goes_in)}" if goes_in > 0 else ""
        may_be = ": may have been added" if entry.state is EntryState.UNKNOWN else ""
        return [(f"{word}{where}{may_be}{left}", style)]

    def _count_down(self) -> None:
        """Redraw the countdowns each time that one of them changes."""
        if self._counting is not None:
            self._counting.stop()
            self._counting = None
        remaining = [seconds for entry in self.entries if (seconds := self._goes_in(entry)) > 0]
        if remaining:
            self._counting = self.set_timer(min(each % 1 or 1 for each in remaining), self._counted)

    def _counted(self) -> None:
        self.refresh_changed_lines()
        self._count_down()
