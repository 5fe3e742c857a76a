"""The list from the cache, and the view that was used last."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from pettui.columns import column_named
from pettui.rows import Direction, RowView
from pettui.settings import LIMIT_DEFAULT
from pettui.tui.lists.listing import ListQuery, kept_listing
from pettui.tui.wording import time_text

if TYPE_CHECKING:
    from pettui.transfer.last_lists import LastView
    from pettui.tui.lists.listing import Listing
    from pettui.tui.user_session import UserSession


def first_query(session: UserSession) -> ListQuery:
    """Return the first query: the last one used, with the configured limit if none was chosen."""
    left = session.seen.first_view
    return ListQuery(left.status, left.limit or session.settings.limit or LIMIT_DEFAULT)


def seen_listing(session: UserSession, query: ListQuery) -> Listing | None:
    """Return the cached first page of a query's status; None if there is none."""
    seen = session.seen.of(query.status)
    if seen is None or not seen.pets:
        return None
    at = datetime.fromtimestamp(seen.as_of, session.clock.now().tzinfo)
    return kept_listing(replace(query, pages=1), seen.pets, at)


def as_of_text(session: UserSession, listing: Listing | None, *, is_earlier: bool) -> str:
    """Return the time of what is shown, if that is older than its query; "" otherwise."""
    if listing is None or not is_earlier:
        return ""
    return time_text(listing.answered_at, session.clock.now())


def view_of(left: LastView) -> RowView:
    """Return a view sorted as before; an unknown column means unsorted."""
    column = column_named(left.column)
    if column is None:
        return RowView()
    return RowView("", column, Direction.DESCENDING if left.is_descending else Direction.ASCENDING)


def left_by(view: RowView) -> dict[str, str | bool | None]:
    """Return the fields of a LastView for a view; the words of a find are not among them."""
    column = None if view.column is None else view.column.name
    return {"column": column, "is_descending": view.direction is Direction.DESCENDING}
