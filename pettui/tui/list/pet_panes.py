"""PetPanes: the rows that ``ShownList`` knows as a table, and what stands beside them.

The list's screen loads them; here the keys are that need no service: find, sort, marks, preview and
counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from textual.containers import Container
from textual.message import Message

from pettui.keyboard import actions
from pettui.models.statuses import look_of
from pettui.rows.columns import BESIDE_NAME, CATEGORY, NAME, Column, column_named
from pettui.rows.find_terms import toggled_category
from pettui.rows.shown import RowView
from pettui.text.amounts import time_text
from pettui.tui.detail.pet_view import PetView
from pettui.tui.list.listing import direction_sign, found_text, next_new_or_changed
from pettui.tui.list.marking import MarksRows
from pettui.tui.list.pet_table import PetTable
from pettui.tui.list.totals import Totals
from pettui.tui.widgets.appearance import WIDE
from pettui.tui.widgets.bindings import ScreenPart, bindings, hints
from pettui.tui.widgets.find import FindLine, Found
from pettui.tui.widgets.runs import Run, Section, cut_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.binding import BindingType

    from pettui.models.pets import Pet
    from pettui.remembered.last_lists import LastView
    from pettui.rows.shown import Element
    from pettui.tui.list.shown_list import ShownList
    from pettui.tui.session.request import Request
    from pettui.tui.session.session import UserSession
    from pettui.tui.widgets.prompt import PromptPlace

NO_CATEGORY: Final = "there is no animal here whose category could be found"
NOTHING_MARKED: Final = "nothing is marked"
NOT_SORTED: Final = "not sorted: the service's own order can't be reversed"
SCROLL_BAR: Final = 1  # cells
DIVIDED: Final = 120  # columns from which what the rows leave is for the counts …
BROAD: Final = 160  # … and the preview, whatever it has to show
LEAST_OF_ROWS, MOST_OF_ROWS = 0.45, 0.66  # of these columns
SIDE_LEAST: Final = 42  # columns, for the counts
APART_FROM: Final = 84  # cells in which the preview and the counts stand side by side
ROWS_AROUND: Final = 5  # header, tabs with the row below, status line and key bar
SHOWS_MORE: Final = "-more"  # CSS class of a preview that shows more than the table


class PetPanes(Container, ScreenPart, MarksRows):
    """The table, and the preview and the counts beside it or, without the room for it, below."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        actions.PET_PANES,
        next_mark="next_mark(1)",
        previous_mark="next_mark(-1)",
    )
    FOUND_BY: ClassVar[str] = " ".join(
        (*(f"{column.name}:" for column in (NAME, *BESIDE_NAME)), "-word")
    )

    class Changed(Message, bubble=False):
        """Other rows are shown or marked, or another order; posted to the screen."""

        def __init__(self, remark: str | None = "") -> None:
            super().__init__()
            self.remark = remark  # on what a key did; None: that of the key before stays

    def __init__(
        self, session: UserSession, rows: ShownList, request: Request, prompt: PromptPlace
    ) -> None:
        self._session = session
        self._prompt = prompt
        self.list = rows
        self.marked = rows.marked
        self.table = PetTable(session, request, rows.marked)
        self.preview = PetPreview(session, self.table)
        self.totals = Totals(session)
        self.side = Container(self.preview, id="side")
        super().__init__(self.table, self.side, id="panes")

    # The rows

    def show_loaded(self, *, is_automatic: bool = False) -> None:
        """Draw the rows that are loaded now; view and cursor stay."""
        self.list.update()
        self._draw_rows()
        if self.list.listing is not None:
            at = time_text(self.list.listing.answered_at, self._session.clock.now())
            self.preview.source = f"from the list, {at}"
        self.place(is_automatic=is_automatic)

    def show_view(self, view: RowView, remark: str | None = None) -> None:
        """Show other rows of the listing, or another order."""
        self.end_range()
        self.list.use(view)
        self._draw_rows()
        self.rows_changed(remark)

    def _draw_rows(self) -> None:
        if self.list.listing is not None:
            self.table.show_rows(self.list.shown, self.list.listing.marks)
            self._count()

    def rows_changed(self, remark: str | None = "") -> None:
        """Tell the screen."""
        self.screen.post_message(self.Changed(remark))

    # Find

    async def action_find(self) -> None:
        """Open the find line, or go back to it."""
        all_pages = "".join(hints("{all_pages}: all pages", self.screen))
        await self._prompt.ask(FindLine(self._session, self, self.mark_found, all_pages))

    @property
    def words(self) -> str:
        """The words that the rows contain, as typed."""
        return self.list.view.words

    @property
    def found(self) -> Found:
        """How many of the loaded rows contain the words."""
        text, short = found_text(self.list.shown)
        return Found(text, short, self.goes_on)

    def find(self, words: str) -> None:
        """Show only the loaded rows that contain the words."""
        self.show_view(self.list.view.with_words(words))

    def action_find_category(self) -> None:
        """Show only rows of the category under the cursor, or all again."""
        pet = self.table.highlighted_pet
        if pet is None:
            self.rows_changed(NO_CATEGORY)
        else:
            self._find_category(pet.category_id)

    def on_totals_picked(self, message: Totals.Picked) -> None:
        """Show only rows of the category whose count was clicked, or all again."""
        self._find_category(message.category_id)

    def _find_category(self, category_id: int | None) -> None:
        words = toggled_category(self.words, category_id)
        line = self._prompt.line
        if isinstance(line, FindLine):
            line.text = words  # which finds them
        else:
            self.find(words)

    # The order

    def action_sort(self) -> None:
        """Sort by the next column; after the last one, not at all."""
        self.show_view(self.list.view.by_next_column())

    async def action_sort_by(self) -> None:
        """Ask by which column to sort; the one that it is sorted by is reversed."""
        await self._ask_column("Sort by", "As the service lists them", RowView.by)

    async def action_then_by(self) -> None:
        """Ask for the column to sort by where the first one is equal."""
        title = "Then by" if self.list.view.order else "Sort by"
        await self._ask_column(title, "By nothing more", RowView.then_by)

    async def _ask_column(
        self, title: str, none: str, sort: Callable[[RowView, Column | None], RowView]
    ) -> None:
        from pettui.tui.screens.boxes import SortScreen

        def use(name: str | None) -> None:
            if name is not None:
                self.show_view(sort(self.list.view, column_named(name)))

        glyphs, view = self._session.glyphs, self.list.view
        signs = {column.name: direction_sign(glyphs, view, column) for column, _ in view.order}
        await self.app.push_screen(SortScreen(glyphs, title, none, signs), use)

    def on_pet_table_header_clicked(self, message: PetTable.HeaderClicked) -> None:
        """Sort by the column, or reverse it."""
        self.show_view(self.list.view.by(message.column))

    def action_reverse_order(self) -> None:
        """Reverse the order."""
        if self.list.view.order:
            self.show_view(self.list.view.reversed(), "")
        else:
            self.rows_changed(NOT_SORTED)

    def action_next_mark(self, step: int) -> None:
        """Go to the next or previous row that is new or changed."""
        table = self.table
        index = next_new_or_changed(table.cursor, table.rows, table.marks, step)
        if index is None:
            found = " among those found" if self.list.shown.is_narrowed else ""
            self.rows_changed(f"no new or changed row{found}")
            return
        is_wrapped = (index - table.cursor) * step <= 0
        table.cursor = index
        end = "top" if step > 0 else "end"
        self.rows_changed(f"continued from the {end}" if is_wrapped else "")

    # Marks

    @property
    def goes_on(self) -> bool:  # type: ignore[override]
        """Whether further pages are not loaded."""
        return self.list.listing is not None and self.list.listing.goes_on

    def action_only_marked(self) -> None:
        """Show only the animals that are marked now, or all again.

        One that is unmarked then stays until all are shown again: it can be marked again.
        """
        view, marked = self.list.view, self.list.marked
        if view.only is not None:
            self.show_view(view.with_only(None))
        elif marked.count:
            self.show_view(view.with_only(marked.ids))
        else:
            text = f"{NOTHING_MARKED}: {{mark}} marks a row"
            self.rows_changed("  ".join(hints(text, self.screen)))

    # What stands beside the rows

    def place(self, *, is_automatic: bool = False) -> None:
        """Show the preview if it adds something to what the table alone would show.

        Decided once for each response and size, never by the cursor. An automatic refresh never
        hides it: it would come and go with the animals.
        """
        preview, table = self.preview, self.table
        width, height = self.app.size
        is_divided, has_counts = self._is_divided, self._has_counts
        table_width = self._table_width if is_divided else width
        is_shown = self._chosen.preview
        if is_shown is None:
            keeps = is_automatic and preview.has_class(SHOWS_MORE)
            rows_width = table_width if has_counts else width
            shows_all = table.shows_all_in(rows_width - SCROLL_BAR)
            is_shown = keeps or not shows_all or (is_divided and width >= BROAD)
        preview.set_class(is_shown, SHOWS_MORE)
        self.follow_cursor()
        has_preview = is_shown and width >= WIDE
        has_side = has_preview or has_counts
        if has_counts and not self.side.has_class("-counts"):
            self._count()
        is_apart = is_divided and width - table_width >= APART_FROM
        self.set_class(is_divided, "-divided").set_class(is_apart, "-apart")
        if is_divided and has_side:
            table.styles.width = table_width
        elif table.styles.inline.has_rule("width"):  # or all would be laid out once more
            table.styles.width = None
        self.side.set_class(has_side, "-shown").set_class(has_counts, "-counts")
        self.side.set_class(has_preview, "-with-preview")
        if width >= WIDE:
            room = height - ROWS_AROUND
            self.totals.rows = max(room // 2 if has_preview and not is_apart else room, 2)
        else:
            self.totals.rows = 0

    @property
    def _chosen(self) -> LastView:
        """What the clerk chose to see, in this session or before; None where nothing was chosen."""
        return self._session.seen.last_view

    @property
    def _is_divided(self) -> bool:
        """Whether there is room beside the rows, and something to say of them."""
        return self.app.size.width >= DIVIDED and bool(self.table.shown.loaded)

    @property
    def _has_counts(self) -> bool:
        return self._is_divided if self._chosen.counts is None else self._chosen.counts

    @property
    def _table_width(self) -> int:
        """What the rows need of a screen that they share, within bounds."""
        width = self.app.size.width
        most = min(int(width * MOST_OF_ROWS), width - SIDE_LEAST) - SCROLL_BAR
        return max(self.table.needed_in(most) + SCROLL_BAR, int(width * LEAST_OF_ROWS))

    def action_preview(self) -> None:
        """Show the preview, or hide it, from now on."""
        is_wide = self.app.size.width >= WIDE
        is_shown = self.preview.has_class(SHOWS_MORE) if is_wide else self._chosen.preview
        self._session.seen.remember_view(preview=not is_shown)
        self.place()
        if not is_wide:
            on = f"preview on: it is shown from {WIDE} columns"
            self.rows_changed("preview off" if is_shown else on)

    def action_counts(self) -> None:
        """Show how many of the rows are of each status and category, or hide it, from now on."""
        self._session.seen.remember_view(counts=not self._has_counts)
        self._count()
        self.place()
        self.rows_changed(None)

    def _count(self) -> None:
        """Count the rows that are shown, if the counts are."""
        if self._has_counts:
            if not self.totals.is_attached:
                self.side.mount(self.totals)
            self.totals.totals = self.list.totals
            self.totals.remark = "further pages are not counted" if self.goes_on else ""

    def cut_sections(self) -> list[Section]:
        """Return the full texts of the counts that are cut."""
        return self.totals.cut_sections() if self.side.has_class("-counts", "-shown") else []

    def follow_cursor(self) -> None:
        """Have the table tell where its cursor is if the preview or a range goes with it."""
        self.table.tells_cursor = self.preview.has_class(SHOWS_MORE) or self.list.marked.has_range
        self.preview.element = self.table.highlighted

    def highlight(self, element: Element | None) -> None:
        """Show the animal under the cursor in the preview, and let a range go there."""
        self.preview.element = element
        self.extend_range()


# PetPreview: beside the table, what a row does not say of its animal.


class PetPreview(PetView):
    """Status and category once more, texts that the row cuts, other fields, and namesakes."""

    NAMESAKES: ClassVar[int] = 5

    def __init__(self, session: UserSession, table: PetTable) -> None:
        """Show no animal yet; it stands beside a table of rows."""
        super().__init__(session, id="preview")
        self._table = table

    def facts(self, pet: Pet, width: int, cut: list[Section]) -> list[list[Run]]:
        """Return what the row does not say, below status and category."""
        look = look_of(pet.status)
        status = self.glyphs.status_text(pet.status)
        category = CATEGORY.line(pet, self._category_name, self.glyphs)
        chips: list[Run] = [(f" {status} ", look.tile_style), ("  ", ""), (f" {category} ", "tile")]
        rows: list[list[Run]] = [[(" ", ""), *cut_runs(self.glyphs, chips, width)], []]
        for column in (each for each in self._table.cut_columns(pet) if each in BESIDE_NAME):
            text = column.line(pet, self._category_name, self.glyphs)
            rows += self._labelled(column.titles[0], text, width)
        rows += self._others(pet, width, cut)
        rows += [*self._first_seen(pet, width), *self._same_name(pet, width)]
        return [*rows, *self._json(pet, width)]

    def other_texts(self, pet: Pet) -> Sequence[Section]:
        """Return the fields that are no columns, and those whose texts the row cuts."""
        in_row = self._table.fields_in_row() - {
            column.name for column in self._table.cut_columns(pet)
        }
        return [field for field in super().other_texts(pet) if field[0] not in in_row]
