"""The entries of the outbox: as a table whose cursor stays on its entry, and as the newest few.

``EntryTable`` shows every entry, ``EntryList`` the newest, one a line.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, Final

from rich.cells import cell_len
from textual.message import Message
from textual.reactive import reactive

from pettui.keyboard import actions
from pettui.models.statuses import WIDEST_WORD, look_of, status_word
from pettui.outbox.entries import Entry, EntryState
from pettui.rows.widths import Width, divided
from pettui.text.amounts import counted, seconds_text
from pettui.text.folding import folded_words, found_spans
from pettui.tui.list.pet_table import GAP, NAME_MINIMUM, WORD_FROM
from pettui.tui.outbox.entry_decisions import (
    found_entries,
    in_order,
    next_undecided,
    no_undecided_text,
    sending_text,
)
from pettui.tui.screens.app_screen import AppScreen
from pettui.tui.session.session import SHORTEST_TIMER, UserSession
from pettui.tui.session.wording import OUTBOX, adds_wait_texts
from pettui.tui.widgets.bindings import bindings, hints, key_of
from pettui.tui.widgets.failures import CHANGE_KEY, RETRY, failure_of, whole_of
from pettui.tui.widgets.find import Found
from pettui.tui.widgets.fitting import Part, fitted
from pettui.tui.widgets.line_widget import CuttingWidget, Drawing
from pettui.tui.widgets.row_table import RowTable
from pettui.tui.widgets.runs import Run, highlighted_runs, in_cells, name_run, separator, width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.binding import BindingType
    from textual.timer import Timer

    from pettui.appearance.glyphs import GlyphSet
    from pettui.outbox.outbox import Outbox
    from pettui.tui.widgets.runs import Section


EARLIER = "earlier, or in another window"
NOT_READ = ((f"The {OUTBOX} is not read yet.", "muted"),)
ELSEWHERE = "Not all that you typed is here."
ELSEWHERE_ROWS = 5  # of what says where it is
EMPTY_TABLE = (
    (f"The {OUTBOX} is empty.", "strong"),
    ("Animals that you add appear here, with what became of them.", "muted"),
)
NAME_CHARACTERS = 60  # that a row shows
ERROR_CHARACTERS = 500
SIGNS = 4  # cursor, sign, and a space before and after it
STATE_NAMED = 20  # cells that names of categories leave to the state
STATE_MINIMUM = 8  # "refused:" and the like are cut no shorter
NARROW_NAME = 14  # cells of a name, before categories lose theirs

STATE_STYLES = {
    EntryState.WAITING: "muted",
    EntryState.SENDING: "accent",
    EntryState.ADDED: "good",
    EntryState.REFUSED: "error",
    EntryState.UNKNOWN: "notice",
}


@dataclass(frozen=True, slots=True)
class EntryColumns:
    """The cells of each column at one moment, without the gaps; the state gets the rest."""

    now: datetime  # for the times
    name: int
    category: int
    status: int
    time: int
    gap: int  # between two of them
    named: bool  # categories with their names
    worded: bool  # statuses with their words


class EntryTable(RowTable[Entry]):
    """The entries of this session above the others, each group newest first, or sorted."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(actions.ENTRY_TABLE, moves="entry_")
    FOUND_BY: ClassVar[str] = "name, category, status, state, id, reason"

    words: reactive[str] = reactive("", repaint=False, bindings=True)  # of the find, as typed

    def __init__(self, session: UserSession) -> None:
        super().__init__(session.glyphs)
        self._folded: tuple[str, ...] = ()  # the words, as they are looked for
        self._session = session
        self.order = ""  # one of ORDERS
        self.tells_cursor = True
        self._columns_in: tuple[int, EntryColumns] | None = None  # of a width

    @property
    def total(self) -> int:
        """How many entries there are, shown or not."""
        return len(self._session.outbox.entries)

    def cut_sections(self) -> list[Section]:
        """Return the full text of the entry under the cursor, if it is cut."""
        entry, width = self.highlighted, self.drawn_width
        if entry is None:
            return []
        columns = self._columns(width)
        name = width_of(self._name_runs(entry))
        return _cut_of(entry, self.runs_of(entry, " ", width), width, is_cut=name > columns.name)

    def kind_of(self, entry: Entry) -> str:
        """Return category, status and time of an entry, safe to draw."""
        category, status = self._category(entry, named=True), self.glyphs.status_text(entry.status)
        time = _time(entry, self._session.clock.now())
        return f" {self.glyphs.dot} ".join((category, status, time))

    def show_entries(self) -> None:
        """Show the entries of the outbox that contain the words, those of this session first."""
        entries, of_session = self._session.outbox.entries, self._session.outbox.typed_here
        here = self._at
        self._folded = folded_words(self.words)
        found = found_entries(entries, self._folded, self._session.category_name)
        newest = in_order(found, self.order)
        own = [entry for entry in newest if entry.entry_id in of_session]
        rest = [entry for entry in newest if entry.entry_id not in of_session]
        rows = (*own, *rest)
        self._columns_in = None
        self.put_rows(rows, divided_at=len(own) if rest else 0)
        if self._at.identity != here.identity:
            self.tell_cursor()

    def identity(self, row: Entry) -> str:
        """Return the entry's id."""
        return row.entry_id

    def find(self, words: str) -> None:
        """Show only the entries that contain the words."""
        self.words = words

    @property
    def found(self) -> Found:
        """How many entries contain the words."""
        found, total = len(self.rows), self.total
        return Found(f"{found:,} of {counted(total, 'entry')}", f"{found:,} of {total:,}")

    def go_to_undecided(self, step: int) -> str:
        """Go to the next or previous refused or unknown entry; return what to say about it."""
        before, index = self.cursor, next_undecided(self.rows, self.cursor, step)
        if index is None or index == before:
            on_one, found = index == before, bool(self._folded)
            return no_undecided_text(self.rows, is_on_one=on_one, is_found=found)
        self.cursor = index
        if (index - before) * step > 0:
            return ""
        return "continued from the top" if step > 0 else "continued from the end"

    def empty_lines(self) -> Sequence[Sequence[Run]]:
        """Return what an empty outbox says, or a find without a match."""
        texts: Sequence[Run] = EMPTY_TABLE if self._session.outbox.store_state.is_read else NOT_READ
        if elsewhere := self.glyphs.line(self._session.outbox.store_state.elsewhere):
            where = self.glyphs.wrap(elsewhere, self.drawn_width - SIGNS, ELSEWHERE_ROWS)
            texts = ((ELSEWHERE, "strong"), *((line, "muted") for line in where))
        if self.total:
            clears = hints("{close} clears.", self.screen)
            texts = ((" ".join([f"No matches in {self.total:,}.", *clears]), "muted"),)
        return [[], *([("    ", ""), line] for line in texts)]

    def divider(self) -> Sequence[Run]:
        """Return what the entries below it have in common."""
        return [("    ", ""), (EARLIER, "table-header")]

    # The columns

    def _columns(self, width: int) -> EntryColumns:
        """Return the columns of a width, which stay until other entries are shown."""
        if self._columns_in is None or self._columns_in[0] != width:
            self._columns_in = width, self._columns_for(width)
        return self._columns_in[1]

    def _columns_for(self, width: int) -> EntryColumns:
        """Divide a width for all entries: the columns do not jump in a find.

        Categories lose their names before those of the animals, and the states, have too little.
        """
        now, entries = self._session.clock.now(), self._session.outbox.entries
        worded = width >= WORD_FROM
        gap = GAP if worded else 1
        names = (cell_len(name_run(self.glyphs, entry.name)[0]) for entry in entries)
        labels = (cell_len(self._category(entry, named=True)) for entry in entries)
        numbers = (len(f"{entry.category_id}") for entry in entries)
        times = (len(_time(entry, now)) for entry in entries)
        name, category, number = (
            max(cell_len(self._title(title)), *cells, 0)
            for title, cells in (("Name", names), ("Category", labels), ("Cat", numbers))
        )
        columns = [
            Width(min(name, max(width // 4, NARROW_NAME)), least={1: NARROW_NAME, 3: NAME_MINIMUM}),
            Width(min(category, 24), {2: min(number, 8)}, gap=gap),
            Width(2 + WIDEST_WORD if worded else 1, gap=gap),
            Width(max(len("Time"), *times, 0), gap=gap),
            Width(STATE_NAMED, least={3: STATE_MINIMUM}, gap=gap),
        ]
        step, (name, category, status, time, _) = divided(columns, width - SIGNS - 1)
        return EntryColumns(now, name, category, status, time, gap, step < 2, worded)

    def _category(self, entry: Entry, *, named: bool) -> str:
        """Return the number of the category and, if there is room, its name."""
        name = self._session.category_name(entry.category_id) if named else ""
        return f"{entry.category_id} {name}".rstrip()

    def header(self, width: int) -> Sequence[Run]:
        """Return the titles of the columns, if there are entries."""
        if not self.rows:
            return ()
        columns = self._columns(width)
        fit, gap = self.glyphs.fit, " " * columns.gap
        category = self._title("Category")
        is_roomy = columns.category >= cell_len(category)
        cells = (
            fit(self._title("Name"), columns.name),
            fit(category if is_roomy else self._title("Cat"), columns.category),
            fit("Status" if columns.worded else "", columns.status),
            fit("Time", columns.time),
            self._title("State"),
        )
        return [(" " * SIGNS + gap.join(cells), "table-header")]

    def _title(self, title: str) -> str:
        """Return a column's title, with a sign if it is sorted by."""
        is_sorted = self.order and self.order.startswith(title.lower())
        return f"{title} {self.glyphs.ascending}" if is_sorted else title

    def runs_of(self, row: Entry, sign: str, width: int) -> list[Run]:
        """Return an entry in the columns."""
        glyphs, columns = self.glyphs, self._columns(width)
        gap = (" " * columns.gap, "muted")
        glyph, look = glyphs.status_glyph(row.status), look_of(row.status)
        word = self._found(status_word(row.status), look.style)
        status = [(f"{glyph} ", look.sign_style), *word]
        category = self._found(self._category(row, named=columns.named), "muted")
        return [
            (sign, ""),
            (f" {_sign(glyphs, row)} ", STATE_STYLES[row.state]),
            *in_cells(glyphs, self._name_runs(row), columns.name),
            gap,
            *in_cells(glyphs, category, columns.category),
            gap,
            *in_cells(glyphs, status if columns.worded else [(glyph, look.style)], columns.status),
            gap,
            (glyphs.fit(_time(row, columns.now), columns.time), "muted"),
            gap,
            *self._state(row),
        ]

    def _name_runs(self, entry: Entry) -> list[Run]:
        return self._found(entry.name, "") or [name_run(self.glyphs, entry.name)]

    def _found(self, text: str, style: str) -> list[Run]:
        """Return a raw text, with the words of a find highlighted."""
        spans = found_spans(text, self._folded) if self._folded else ()
        return highlighted_runs(self.glyphs, text, spans, style=style, found_style="found")

    def _state(self, entry: Entry) -> Sequence[Run]:
        """Return the state, and why."""
        word, style = sending_text(self._session.outbox, entry), STATE_STYLES[entry.state]
        if entry.pet_id is not None:
            word = f"{word}, id {entry.pet_id}"
        if entry.owned_elsewhere and entry.state is not EntryState.ADDED:
            word = f"{word} in another window"
        reason = self.glyphs.line(entry.error or "")
        if entry.state is EntryState.UNKNOWN:
            reason = f"may have been added: {reason}" if reason else "may have been added"
        return [*self._found(word, style), *self._found(f": {reason}" if reason else "", "muted")]


def _time(entry: Entry, now: datetime) -> str:
    """Return when an entry was typed: the time today, or else the day."""
    at = datetime.fromtimestamp(entry.typed_at, now.tzinfo)
    if at.date() == now.date():
        return f"{at:%H:%M}"
    return f"{at.day} {at:%b}" if at.year == now.year else f"{at:%Y}"


def _sign(glyphs: GlyphSet, entry: Entry) -> str:
    signs = {
        EntryState.ADDED: glyphs.done,
        EntryState.REFUSED: glyphs.error,
        EntryState.UNKNOWN: glyphs.notice,
    }
    return signs.get(entry.state, glyphs.waiting)


def _cut_of(entry: Entry, runs: Sequence[Run], width: int, *, is_cut: bool) -> list[Section]:
    """Return the whole of an entry, if its row does not show it."""
    is_long = len(entry.name) > NAME_CHARACTERS or len(entry.error or "") > ERROR_CHARACTERS
    has_excerpt = bool(entry.refusal and entry.refusal.excerpt)
    return [whole_of(entry)] if is_cut or is_long or has_excerpt or width_of(runs) > width else []


NO_ENTRIES_YET = ("   Animals that you add appear here.", "muted")
CATEGORY_CHARACTERS = 30
SIGN = 3  # cells
NAME_CELLS = 14  # of a longer name, before other columns are narrowed …
NAME_LEAST = 6  # … and at least
STATE_MAXIMUM = 16  # cells that are kept for it: "waiting · 60 min"
LIST_GAP = "  "


@dataclass(frozen=True, slots=True)
class _Columns:
    """The cells of each column, without the gaps; the state gets the rest."""

    id: int  # with the blank behind it
    name: int
    category: int
    status: int
    named: bool  # categories with their names
    worded: bool  # statuses with their words


class EntryList(CuttingWidget):
    """The newest entry first, with a countdown beside those that can be taken back."""

    entries: reactive[tuple[Entry, ...]] = reactive(())

    class CountedDown(Message):
        """The countdown of an entry has ended."""

    def __init__(self, session: UserSession) -> None:
        super().__init__(session.glyphs)
        self._session = session
        self._categories = session.categories
        self._hint = ""  # beside the newest entry that waits
        self._counting: Timer | None = None
        self._counted_down = 0  # how many are

    def show_entries(self, entries: tuple[Entry, ...], hint: str) -> None:
        """Show entries, given oldest first, and a hint beside the newest one waiting here."""
        self._hint = hint
        self.entries = entries[::-1]
        self.styles.height = max(len(entries), 1)
        self._count_down()

    def drawing(self, width: int) -> Drawing:
        """Return a line for each entry, and beside the newest that waits a hint, if it fits."""
        if not self.entries:
            return Drawing([[NO_ENTRIES_YET]])
        columns = self._columns(width)
        hinted = self._session.outbox.waiting[-1:]
        lines, cut = [], []
        for entry in self.entries:
            row = self._row(entry, columns)
            name = self._name_of(entry)[0]
            cut += _cut_of(entry, row, width, is_cut=cell_len(name) > columns.name)
            if entry in hinted and self._hint:
                hint = Part([(self._hint, "muted")], {1: ()}, before=separator(self.glyphs))
                row = fitted(self.glyphs, [Part(row), hint], width).runs
            lines.append(row)
        return Drawing(lines, cut)

    def _columns(self, width: int) -> _Columns:
        """Divide the width: words of statuses and names of categories go before a name is cut."""
        entries, status_of, gap = self.entries, self.glyphs.status_text, len(LIST_GAP)
        name = max(cell_len(self._name_of(entry)[0]) for entry in entries)
        state = max(width_of(self._state(entry)) for entry in entries)
        category, number = (
            max(cell_len(self._category_of(entry, named=named)) for entry in entries)
            for named in (True, False)
        )
        status, glyph = (
            max(cell_len(status_of(entry.status, is_worded=worded)) for entry in entries)
            for worded in (True, False)
        )
        least = {1: max(width * 2 // 5, NAME_CELLS), 4: NAME_LEAST}
        columns = [
            Width(max(len(self._id_of(entry)) for entry in entries)),
            Width(name, least=least),
            Width(category, {3: number}, gap=gap),
            Width(status, {2: glyph}, gap=gap),
            Width(min(state, STATE_MAXIMUM), gap=gap),
        ]
        step, (pet_id, name, category, status, _) = divided(columns, width - SIGN)
        return _Columns(pet_id, name, category, status, named=step < 3, worded=step < 2)

    def _row(self, entry: Entry, columns: _Columns) -> list[Run]:
        """Return the columns of an entry, and why it is not added."""
        fit = self.glyphs.fit
        name, name_style = self._name_of(entry)
        category = self._category_of(entry, named=columns.named)
        status = self.glyphs.status_text(entry.status, is_worded=columns.worded)
        row: list[Run] = [
            (f" {_sign(self.glyphs, entry)} ", STATE_STYLES[entry.state]),
            (fit(self._id_of(entry), columns.id), "muted"),
            (fit(name, columns.name), name_style),
            (f"{LIST_GAP}{fit(category, columns.category)}{LIST_GAP}", "muted"),
            (fit(status, columns.status), look_of(entry.status).style),
        ]
        if entry.state is not EntryState.ADDED:
            row += [(LIST_GAP, ""), *self._state(entry)]
        if entry.error:
            row.append((f"{LIST_GAP}{self.glyphs.line(entry.error)}", "muted"))
        return row

    def _id_of(self, entry: Entry) -> str:
        return f"{entry.pet_id} " if entry.pet_id is not None else ""

    def _name_of(self, entry: Entry) -> Run:
        return name_run(self.glyphs, entry.name, NAME_CHARACTERS)

    def _category_of(self, entry: Entry, *, named: bool) -> str:
        number = entry.category_id
        label = self._categories.label(number) if named else str(number)
        return self.glyphs.line(label, CATEGORY_CHARACTERS)

    def _state(self, entry: Entry) -> list[Run]:
        """Return the state of an entry that is not added, and when it is sent."""
        if entry.state is EntryState.ADDED:
            return []
        word, style = sending_text(self._session.outbox, entry), STATE_STYLES[entry.state]
        where = " in another window" if entry.owned_elsewhere else ""
        goes_in = self._session.outbox.goes_in(entry)
        left = f" {self.glyphs.dot} {seconds_text(goes_in)}" if goes_in > 0 else ""
        may_be = ": may have been added" if entry.state is EntryState.UNKNOWN else ""
        return [(f"{word}{where}{may_be}{left}", style)]

    def _count_down(self) -> None:
        """Redraw what has changed, and the countdowns each time that one of them does."""
        self.refresh_changed_lines()
        if self._counting is not None:
            self._counting.stop()
            self._counting = None
        outbox = self._session.outbox
        remaining = [each for each in map(outbox.goes_in, self.entries) if each > 0]
        if len(remaining) < self._counted_down:
            self.post_message(self.CountedDown())
        self._counted_down = len(remaining)
        remaining += [each for each in map(outbox.goes_again_in, self.entries) if each > 0]
        if remaining:
            until = max(SHORTEST_TIMER, min(each % 1 or 1 for each in remaining))
            self._counting = self.set_timer(until, self._count_down)


BRIEF_BELOW: Final = 60  # columns


class EntriesScreen(AppScreen[None]):
    """Entries may be waiting for the service, for the disk, or for another API key."""

    NAMES_REFUSED = True

    @property
    def outbox(self) -> Outbox:
        """The session's outbox."""
        return self.session.outbox

    @property
    def delay_reason(self) -> str:
        """Why entries are not sent, in one raw line; "" if nothing delays them."""
        store_error, waiting_for = self.outbox.store_state.error, self.outbox.sending.waiting_for
        waits = any(entry.waits_here for entry in self.outbox.entries)
        if store_error is not None:
            return store_error
        if waiting_for is None or not waits:
            return self._waiting_for_own_keys()
        key = key_of(self, "refresh")
        tries = f", {key} tries now" if key else ""
        if (texts := adds_wait_texts(self.outbox)) is None:
            return f"waiting{tries}: {waiting_for}"
        return f"{texts[self.app.size.width < BRIEF_BELOW]}{tries}"

    def _waiting_for_own_keys(self) -> str:
        """Return how many entries wait for the API keys that they were typed with; "" for none."""
        waiting = list(filter(self.outbox.waits_for_own_key, self.outbox.entries))
        if not waiting:
            return ""
        count = len(waiting)
        key = key_of(self, "enter_key")
        which = "it was" if count == 1 else "they were"
        verb = "waits" if count == 1 else "wait"
        with_key = f": {key}" if key else ""
        which_key = f"the API key that {which} typed with"
        if not any(entry.own_key for entry in waiting):  # which the service refused
            which_key = "an API key that the service accepts"
        return f"{counted(count)} {verb} for {which_key}{with_key}"

    def short_keys(self) -> tuple[str, ...]:
        """Return no hints while the line says how long adds wait: they would cut it."""
        return super().short_keys() if adds_wait_texts(self.outbox) is None else ()

    def show_notices(self) -> None:
        """Show the problems and notices of the outbox."""
        notices = self.outbox.sending.notices
        self.notice_bar.show(self.outbox.problems, notices)

    def show_key_refusal(self) -> None:
        """Show in the banner that sending needs another API key, unless it shows something else."""
        error = self.outbox.sending.api_key_error
        if error is not None and self.error_banner.failure is None:
            self.error_banner.show(failure_of(error)._replace(hint=f"{CHANGE_KEY}  {RETRY}"))

    def send_now(self) -> None:
        """Send what waits now, and close the banner."""
        self.error_banner.close()
        self.outbox.sending.resume()

    def dismiss_banner(self) -> bool:
        """Close the banner, and show what it hid; return whether it was open."""
        failure = self.error_banner.failure
        if failure is None:
            return False
        self.error_banner.close()
        if not failure.is_unauthorized:
            self.show_key_refusal()
        return True
