"""The columns of the outbox, and the cells of an entry."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from rich.cells import cell_len

from pettui.outbox import Entry, EntryState
from pettui.statuses import WIDEST_WORD, look_of
from pettui.tui.widgets.column_widths import GAP, NAME_MINIMUM, NAMED_FROM, WORD_FROM
from pettui.tui.wording.text_runs import Run, name_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pettui.glyphs import GlyphSet

SIGNS = 4  # cursor, sign, and a space before and after it
NAME_MAXIMUM = 32
STATE_MINIMUM = 8  # "refused:" and the like are cut no shorter …
NARROW_NAME = 14  # … for a name of more than this

STATES = {
    EntryState.WAITING: ("waiting", "muted"),
    EntryState.SENDING: ("sending", "accent"),
    EntryState.ADDED: ("added", "good"),
    EntryState.REFUSED: ("refused", "error"),
    EntryState.UNKNOWN: ("unknown", "notice"),
}


@dataclass(frozen=True, slots=True)
class EntryColumns:
    """The cells of each column, without the gaps; the state gets the rest."""

    name: int
    category: int
    status: int
    time: int
    gap: int  # between two of them
    named: bool  # categories with their names
    worded: bool  # statuses with their words


class EntryCells:
    """The cells of entries, for one terminal and one point in time."""

    def __init__(
        self, glyphs: GlyphSet, category_name: Callable[[int], str], now: datetime
    ) -> None:
        self._glyphs = glyphs
        self._category_name = category_name
        self._now = now

    def columns(self, entries: Iterable[Entry], width: int) -> EntryColumns:
        """Divide a width among the columns; name and state share what the others leave."""
        named, worded = width >= NAMED_FROM, width >= WORD_FROM
        names, categories, times = [len("Name")], [len("Cat")], [len("Time")]
        for entry in entries:
            names.append(cell_len(name_run(self._glyphs, entry.name)[0]))
            categories.append(cell_len(self.category(entry, named=named)))
            times.append(len(self.time(entry)))
        status = 2 + WIDEST_WORD if worded else 1
        category = min(max(categories), 24 if named else 8)
        time = max(times)
        gap = GAP if worded else 1
        room = width - SIGNS - category - status - time - 4 * gap - 1
        most = max(room * 2 // 5, min(room - STATE_MINIMUM, NARROW_NAME), NAME_MINIMUM)
        name = min(max(names), NAME_MAXIMUM, most)
        return EntryColumns(name, category, status, time, gap, named, worded)

    def category(self, entry: Entry, *, named: bool) -> str:
        """Return the number of the category and, if there is room, its name."""
        name = self._category_name(entry.category_id) if named else ""
        return f"{entry.category_id} {name}".rstrip()

    def time(self, entry: Entry) -> str:
        """Return when the entry was typed: the time today, or else the day."""
        at = datetime.fromtimestamp(entry.typed_at, self._now.tzinfo)
        if at.date() == self._now.date():
            return f"{at:%H:%M}"
        return f"{at.day} {at:%b}" if at.year == self._now.year else f"{at:%Y}"

    def header(self, columns: EntryColumns) -> list[Run]:
        """Return the names of the columns."""
        fit, gap = self._glyphs.fit, " " * columns.gap
        cells = (
            fit("Name", columns.name),
            fit("Category" if columns.category >= 8 else "Cat", columns.category),
            fit("Status" if columns.worded else "", columns.status),
            fit("Time", columns.time),
            "State",
        )
        return [(" " * SIGNS + gap.join(cells), "table-header")]

    def row(self, entry: Entry, columns: EntryColumns) -> list[Run]:
        """Return an entry in the columns, without the cursor."""
        glyphs, gap = self._glyphs, " " * columns.gap
        name, name_style = name_run(glyphs, entry.name)
        status = glyphs.status_glyph(entry.status)
        if columns.worded:
            status = f"{status} {glyphs.status_word(entry.status)}"
        category = glyphs.fit(self.category(entry, named=columns.named), columns.category)
        _, style = STATES[entry.state]
        return [
            (f" {self._sign(entry)} ", style),
            (glyphs.fit(name, columns.name), name_style),
            (f"{gap}{category}{gap}", "muted"),
            (glyphs.fit(status, columns.status), look_of(entry.status).style),
            (f"{gap}{glyphs.fit(self.time(entry), columns.time)}{gap}", "muted"),
            *self.state(entry),
        ]

    def state(self, entry: Entry) -> Sequence[Run]:
        """Return the state, and why."""
        word, style = STATES[entry.state]
        if entry.pet_id is not None:
            word = f"{word}, id {entry.pet_id}"
        if entry.owned_elsewhere and entry.state is not EntryState.ADDED:
            word = f"{word} in another window"
        reason = self._glyphs.line(entry.error or "")
        if entry.state is EntryState.UNKNOWN:
            reason = f"may have been added: {reason}" if reason else "may have been added"
        return [(word, style), (f": {reason}" if reason else "", "muted")]

    def _sign(self, entry: Entry) -> str:
        signs = {
            EntryState.ADDED: self._glyphs.done,
            EntryState.REFUSED: self._glyphs.error,
            EntryState.UNKNOWN: self._glyphs.notice,
        }
        return signs.get(entry.state, self._glyphs.waiting)
