"""PetPanes: the loaded rows, which are shown, in which order, which are marked, and what is beside.

The list's screen loads them; here a listing is given, and everything that needs no service happens:
find, sort, marks, preview and counts.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, ClassVar, Final

from textual.containers import Container
from textual.message import Message

from pettui import actions
from pettui.columns import column_named
from pettui.rows import pets_of, shown_rows
from pettui.tui.appearance import WIDE
from pettui.tui.find import Found
from pettui.tui.keys import ScreenPart, bindings, hints
from pettui.tui.lists.cursor import next_new_or_changed
from pettui.tui.lists.first_seen import FirstSeen
from pettui.tui.lists.kept_order import order_fields, view_of
from pettui.tui.lists.marked import MarkedPets, not_shown_text
from pettui.tui.lists.namesakes import Namesakes
from pettui.tui.session import totals_of
from pettui.tui.widgets.pet_preview import PetPreview
from pettui.tui.widgets.pet_table import PetTable
from pettui.tui.widgets.totals import Totals
from pettui.tui.wording import direction_sign, found_text, marked_text, no_mark_text, time_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from textual.binding import BindingType

    from pettui.models import Pet
    from pettui.rows import Element, RowView, ShownRows
    from pettui.tui.lists.listing import Listing
    from pettui.tui.runs import Section
    from pettui.tui.session import UserSession

NO_ANIMAL: Final = "there is no animal here to mark"
NOTHING_MARKED: Final = "nothing is marked"
NOT_SORTED: Final = "not sorted: the service's own order can't be reversed"
SCROLL_BAR: Final = 1  # cells
COUNTS_FROM: Final = 8  # rows; on fewer, counts below the table would leave it none
BROAD: Final = 160  # columns from which all the room that the rows leave is the preview's
ROWS_AROUND: Final = 5  # header, tabs with the row below, status line and key bar
SHOWS_MORE: Final = "-more"  # CSS class of a preview that shows more than the table


class PetPanes(Container, ScreenPart):
    """The table, and the preview and the counts beside it or, without the room for it, below."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.PET_PANES,
        sort_by="screen.sort_by",
        then_by="screen.then_by",
        next_mark="next_mark(1)",
        previous_mark="next_mark(-1)",
    )

    class Changed(Message, bubble=False):
        """Other rows are shown or marked, or another order; posted to the screen."""

        def __init__(self, remark: str | None = "") -> None:
            super().__init__()
            self.remark = remark  # on what a key did; None: that of the key before stays

    def __init__(self, session: UserSession, is_loading: Callable[[], bool]) -> None:
        """Show nothing yet; ``is_loading`` returns whether a request is running."""
        self._session = session
        self.table = PetTable(session.glyphs, session.category_name, is_loading)
        self._namesakes = Namesakes()
        self._first_seen = FirstSeen(session.seen)
        self.preview = PetPreview(
            session.glyphs,
            session.category_name,
            cut_columns=self.table.cut_columns,
            fields_in_row=self.table.fields_in_row,
            namesakes=self._namesakes.of,
            first_seen=self._first_seen_text,
        )
        self.totals = Totals(session.glyphs, session.category_name)
        left = session.seen.first_view
        self._chosen_preview = left.preview  # None where none was chosen
        self._has_counts = left.counts
        beside = (self.preview, self.totals) if self._has_counts else (self.preview,)
        self.side = Container(*beside, id="side")
        super().__init__(self.table, self.side, id="panes")
        self.listing: Listing | None = None  # that is drawn
        self.view = view_of(left)  # which of its rows, in which order
        self.marked = MarkedPets()
        self._remembered: Listing | None = None  # whose rows the session remembers as seen

    def _first_seen_text(self, pet: Pet) -> str:
        if not self._first_seen.is_known(pet):
            return ""
        at = self._first_seen.at(pet)
        now = self._session.clock.now()
        return "in an earlier session" if at is None else time_text(at, now)

    @property
    def shown(self) -> ShownRows | None:
        """The rows that are shown; None before there is a listing."""
        return self.table.shown if self.listing is not None else None

    # The rows

    def show(self, listing: Listing | None, *, is_automatic: bool = False) -> None:
        """Show a listing, in the same view."""
        is_first, self.listing = self.listing is None, listing
        self._show_rows(from_top=is_first)
        if listing is not None:
            self._namesakes.update(listing.loaded)
            self._first_seen.saw(listing)
            at = time_text(listing.answered_at, self._session.clock.now())
            self.preview.source = f"from the list, {at}"
        self.place(is_automatic=is_automatic)

    def show_view(self, view: RowView) -> None:
        """Show other rows of the listing, or another order."""
        self.end_range()
        self.view = view
        self._show_rows()
        self._changed(None)

    def _show_rows(self, *, from_top: bool = False) -> None:
        if (listing := self.listing) is not None:
            name = self._session.category_name
            before = None if from_top else self.table.shown
            shown = shown_rows(listing.loaded, self.view, name, before)
            self.table.show_rows(shown, listing.marks, from_top=from_top)
            self._count()
            if listing is not self._remembered and not listing.is_kept and not shown.is_narrowed:
                self._remembered = listing
                is_whole = not listing.goes_on
                self._session.seen.showed(listing.query.status, listing.pets, is_whole=is_whole)
        self._session.seen.remember_view(**order_fields(self.view))

    def _changed(self, remark: str | None = "") -> None:
        self.screen.post_message(self.Changed(remark))

    # Find

    @property
    def words(self) -> str:
        """The words that the rows contain, as typed."""
        return self.view.words

    @property
    def found(self) -> Found:
        """How many of the loaded rows contain the words."""
        text, short = found_text(self.shown)
        return Found(text, short, self.listing is not None and self.listing.goes_on)

    def find(self, words: str) -> None:
        """Show only the loaded rows that contain the words."""
        self.show_view(self.view.with_words(words))

    def begin_find(self) -> None:
        """Let the cursor depend on the whole of what is typed, and not on each letter of it."""
        self.table.begin_find()

    def end_find(self) -> None:
        """Let the cursor go on from where it is."""
        self.table.end_find()

    # The order

    def action_sort(self) -> None:
        """Sort by the next column; after the last one, not at all."""
        self.show_view(self.view.by_next_column())

    def sort_by(self, name: str) -> None:
        """Sort by a column, which is reversed where they are; "" for as the service lists them."""
        column = column_named(name)
        self.show_view(self.view.unsorted() if column is None else self.view.by(column))

    def then_by(self, name: str) -> None:
        """Sort by a column where the first one is equal; "" for by nothing more."""
        column = column_named(name)
        view = self.view
        self.show_view(view.without_second() if column is None else view.then_by(column))

    @property
    def direction_signs(self) -> Mapping[str, str]:
        """The signs of the directions in which rows are sorted, by the names of columns."""
        glyphs, view = self._session.glyphs, self.view
        return {column.name: direction_sign(glyphs, view, column) for column, _ in view.order}

    def on_pet_table_header_clicked(self, message: PetTable.HeaderClicked) -> None:
        """Sort by the column, or reverse it."""
        self.show_view(self.view.by(message.column))

    def action_reverse_order(self) -> None:
        """Reverse the order."""
        if self.view.is_sorted:
            self.show_view(self.view.reversed())
            self._changed()
        else:
            self._changed(NOT_SORTED)

    def action_next_mark(self, step: int) -> None:
        """Go to the next or previous row that is new or changed."""
        table = self.table
        index = next_new_or_changed(table.cursor, table.rows, table.marks, step)
        if index is None:
            self._changed(no_mark_text(self.shown))
            return
        is_wrapped = (index - table.cursor) * step <= 0
        table.cursor = index
        end = "top" if step > 0 else "end"
        self._changed(f"continued from the {end}" if is_wrapped else "")

    # Marks

    @property
    def marked_in_order(self) -> Sequence[Pet]:
        """The marked animals: the loaded ones in the order shown, and then the others."""
        return self.marked.in_order(self.shown)

    @property
    def not_shown_text(self) -> str:
        """How many of them are not on the screen; "" for none."""
        return not_shown_text(self.marked.hidden(self.shown))

    def action_mark(self) -> None:
        """Mark or unmark the animal under the cursor, and move to the next row."""
        pet = self.table.highlighted_pet
        if pet is None:
            self._changed(NO_ANIMAL)
        elif self.marked.has_range:
            self.end_range()
        else:
            self.marked.toggle(pet)
            self._show_marked()
            self.table.cursor += 1

    def action_mark_range(self) -> None:
        """Begin a range at the cursor, which then goes with it; or end it."""
        pet = self.table.highlighted_pet
        if self.marked.has_range:
            self.end_range()
        elif pet is None:
            self._changed(NO_ANIMAL)
        else:
            self.marked.begin_range(pet)
            self._follow_cursor()
            self._show_marked()

    def end_range(self, *, keeps: bool = True) -> None:
        """End the range, if there is one; keep its marks, or take them back."""
        if self.marked.has_range:
            self.marked.end_range(keeps=keeps)
            self._follow_cursor()
            self._show_marked()

    def action_mark_all(self) -> None:
        """Mark every animal that is shown."""
        self.mark(pets_of(self.table.rows))

    def mark(self, pets: Sequence[Pet]) -> None:
        """Mark animals."""
        self.end_range()
        count = self.marked.add(pets)
        self._show_marked(marked_text(count, len(pets), self.listing))

    def action_invert_marks(self) -> None:
        """Mark the animals that are shown and not marked, and unmark the others that are shown."""
        self.end_range()
        self.marked.invert(pets_of(self.table.rows))
        self._show_marked()

    def clear_marks(self) -> None:
        """Remove all marks."""
        count = self.marked.clear()
        self._show_marked("1 mark removed" if count == 1 else f"{count:,} marks removed")

    def action_only_marked(self) -> None:
        """Show only the animals that are marked now, or all again.

        One that is unmarked then stays until all are shown again: it can be marked again.
        """
        if self.view.only is not None:
            self.show_view(self.view.with_only(None))
        elif self.marked.count:
            self.show_view(self.view.with_only(self.marked.ids))
        else:
            text = f"{NOTHING_MARKED}: {{mark}} marks a row"
            self._changed("  ".join(hints(text, self.screen)))

    def _show_marked(self, remark: str = "") -> None:
        self.table.show_marked(self.marked.ids)
        self._changed(remark)

    # What stands beside the rows

    def place(self, *, is_automatic: bool = False) -> None:
        """Show the preview if it adds something to what the table alone would show.

        Decided once for each response and size, never by the cursor. An automatic refresh never
        hides it: it would come and go with the animals.
        """
        preview, table = self.preview, self.table
        width, height = self.app.size
        keeps = is_automatic and preview.has_class(SHOWS_MORE)
        is_shown = self._chosen_preview
        if is_shown is None:
            has_namesakes = width >= BROAD and self._namesakes.has_any
            is_shown = keeps or has_namesakes or not table.shows_all_in(width - SCROLL_BAR)
        preview.set_class(is_shown, SHOWS_MORE)
        self._follow_cursor()
        has_preview, is_broad = is_shown and width >= WIDE, width >= BROAD
        has_room = width >= WIDE or height >= COUNTS_FROM
        has_side = has_preview or (self._has_counts and has_room)
        self.set_class(is_broad, "-broad").set_class(has_side, "-with-side")
        self.side.set_class(has_side, "-shown").set_class(self._has_counts, "-counts")
        self.side.set_class(has_preview, "-with-preview")
        if width >= WIDE:
            room = height - ROWS_AROUND
            self.totals.rows = max(room // 2 if has_preview and not is_broad else room, 2)
        else:
            self.totals.rows = 0

    def crowd(self, *, is_crowded: bool) -> None:
        """Leave room for a banner, or take it back."""
        self.side.set_class(is_crowded, "-crowded")

    def action_preview(self) -> None:
        """Show the preview, or hide it, from now on."""
        is_wide = self.app.size.width >= WIDE
        is_shown = self.preview.has_class(SHOWS_MORE) if is_wide else self._chosen_preview
        self._chosen_preview = not is_shown
        self._session.seen.remember_view(preview=self._chosen_preview)
        self.place()
        if not is_wide:
            on = f"preview on: it is shown from {WIDE} columns"
            self._changed(on if self._chosen_preview else "preview off")

    async def action_counts(self) -> None:
        """Show how many of the rows are of each status and category, or hide it, from now on."""
        if not self.totals.is_attached:
            await self.side.mount(self.totals)
        self._has_counts = not self._has_counts
        self._session.seen.remember_view(counts=self._has_counts)
        self._count()
        self.place()
        is_seen = self.side.has_class("-shown") or not self._has_counts
        self._changed(
            None if is_seen else f"counts on: shown from {COUNTS_FROM} rows of the screen"
        )

    def _count(self) -> None:
        """Count the rows that are shown, if the counts are."""
        if self._has_counts:
            pets = pets_of(self.table.rows)
            self.totals.totals = totals_of(Counter((pet.category_id, pet.status) for pet in pets))
            goes_on = self.listing is not None and self.listing.goes_on
            self.totals.remark = "further pages are not counted" if goes_on else ""

    def cut_sections(self) -> list[Section]:
        """Return the full texts of the counts that are cut."""
        return self.totals.cut_sections() if self.side.has_class("-counts", "-shown") else []

    def _follow_cursor(self) -> None:
        """Have the table tell where its cursor is if the preview or a range goes with it."""
        self.table.tells_cursor = self.preview.has_class(SHOWS_MORE) or self.marked.has_range
        self.preview.element = self.table.highlighted

    def highlight(self, element: Element | None) -> None:
        """Show the animal under the cursor in the preview, and let a range go there."""
        self.preview.element = element
        if self.marked.has_range:
            self.marked.extend_range(self.table.rows, self.table.cursor)
            self._show_marked()
