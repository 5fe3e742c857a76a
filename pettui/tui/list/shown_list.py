"""ShownList: which of the loaded animals are shown, in which order, and what is taken of them.

It knows no screen and no widget: what the clerk sees, copies and exports follows from it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pettui.models.pets import UnreadablePet
from pettui.rows.columns import column_named
from pettui.rows.shown import RowView, ShownRows, SortedBy, pets_of, shown_rows
from pettui.tui.detail.marked import MarkedPets
from pettui.tui.session.counts import Total, totals_of
from pettui.tui.transfer.selection import Scope, Selection

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pettui.remembered.last_lists import LastView
    from pettui.tui.list.list_loading import ListLoader
    from pettui.tui.list.listing import Listing
    from pettui.tui.session.session import UserSession


class ShownList:
    """The rows of the loader's listing in a view, and the animals that are marked."""

    def __init__(self, session: UserSession, loader: ListLoader) -> None:
        """Show nothing yet, in the order of the last session."""
        self._session = session
        self._loader = loader
        self.shown = ShownRows(view_of(session.seen.first_view))
        self.marked = MarkedPets()

    @property
    def listing(self) -> Listing | None:
        """What is loaded; None before the first response."""
        return self._loader.listing

    @property
    def view(self) -> RowView:
        """Which of the rows are shown, in which order."""
        return self.shown.view

    @property
    def is_outdated(self) -> bool:
        """Whether other rows are loaded than those that are shown."""
        return self.listing is not None and self.listing.loaded is not self.shown.loaded

    def update(self) -> None:
        """Show the rows that are loaded now, found and sorted as those before."""
        self._find_and_sort(self.view)
        self._remember()
        if (listing := self.listing) is not None:
            self._session.namesakes.update(listing.loaded)
            self._session.saw(listing.query.status, listing.pets, listing.answered_at)

    def use(self, view: RowView) -> None:
        """Show other rows of the listing, or another order."""
        was_narrowed = self.shown.is_narrowed
        self._session.seen.remember_view(**order_fields(view))
        self._find_and_sort(view)
        if was_narrowed:
            self._remember()

    def _find_and_sort(self, view: RowView) -> None:
        loaded = self.listing.loaded if self.listing is not None else ()
        self.shown = shown_rows(loaded, view, self._session.category_name, self.shown)

    def _remember(self) -> None:
        """Remember the rows of a response as seen, if all of them stand on the screen."""
        listing, session = self.listing, self._session
        if listing is None or listing.is_last_list or self.shown.is_narrowed:
            return
        if not session.is_api_key_needed:  # that the service refused it made all be forgotten
            whole = not listing.goes_on
            session.seen.showed(listing.query.status, listing.pets, is_whole=whole)

    # What is known of the rows

    @property
    def can_go_on(self) -> bool:
        """Whether the next page belongs after the last row, and nothing failed."""
        is_own_order = not self.view.order and not self.shown.is_narrowed
        return is_own_order and not self._loader.is_stale and self._loader.goes_on

    @property
    def hidden(self) -> int:
        """How many of the marked animals are not shown."""
        return self.marked.hidden(self.shown)

    @property
    def totals(self) -> tuple[Total, ...]:
        """How many of the animals that are shown are of each status and category."""
        pets = pets_of(self.shown.elements)
        return totals_of(Counter((pet.category_id, pet.status) for pet in pets))

    # What is exported

    def selection(self, scope: Scope) -> Selection:
        """Return the rows of a scope, as far as they are loaded, in order."""
        from pettui.transfer.writing import FileFormat, export_name

        shown, marked = self.shown, self.marked
        which = self.listing.query.status if self.listing is not None else None
        if marked.count and scope is Scope.SHOWN:
            which = "marked"  # of any status
        # By what is in it: pets-available-2026-11-21.csv
        name = export_name(which, self._session.clock.now().date(), FileFormat.CSV)
        if scope is Scope.SHOWN and marked.count:
            return Selection(marked.in_order(shown), "marked", name, not_shown=self.hidden)
        if scope is Scope.SHOWN:
            return Selection(shown.elements, "as shown", name)
        has_all = self._loader.has_all
        if scope is Scope.EVERYTHING:
            rows = [shown.loaded[index] for index in shown.order]
            return Selection(rows, self._extent, name, "" if has_all else "all pages")
        # Nobody can find anything in these, nor say that they are none of those that were meant.
        besides = sum(isinstance(row, UnreadablePet) for row in shown.loaded)
        found = tuple(pets_of(shown.elements))
        words = "found on all pages" if has_all else "found, then all further pages"
        further = "" if has_all else "all found"
        return Selection(found, words, name, further, unreadable_besides=besides)

    @property
    def _extent(self) -> str:
        """How much of the service's list is loaded."""
        listing = self.listing
        if not self._loader.has_all or listing is None:
            return "then all further pages"
        return "all there are" if listing.is_whole else "all that can be loaded"

    @property
    def scopes(self) -> Mapping[Scope, str]:
        """What can be exported now, each with its name."""
        scopes = {Scope.SHOWN: "marked" if self.marked.count else "as shown"}
        has_all = self._loader.has_all
        if self.view.words and not (has_all and not self.marked.count):
            scopes[Scope.FOUND] = "all found"
        is_part = len(self.shown.indexes) < len(self.shown.loaded)
        if not has_all or is_part or self.marked.count:
            scopes[Scope.EVERYTHING] = "all rows" if has_all else "all pages"
        return scopes


# The order of the rows is kept for the next session


def view_of(last: LastView) -> RowView:
    """Return a view sorted as before; an unknown column means unsorted."""
    columns = (
        (column_named(last.column), last.is_descending),
        (column_named(last.then), last.then_is_descending),
    )
    order = (SortedBy(column, is_descending) for column, is_descending in columns if column)
    return RowView("", tuple(order)) if columns[0][0] is not None else RowView()


def order_fields(view: RowView) -> dict[str, str | bool | None]:
    """Return those fields of a LastView that say how a view is sorted."""
    first, then = [*view.order, None, None][:2]
    return {
        "column": None if first is None else first.column.name,
        "is_descending": first is not None and first.is_descending,
        "then": None if then is None else then.column.name,
        "then_is_descending": then is not None and then.is_descending,
    }
