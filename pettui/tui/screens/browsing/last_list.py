"""The list as it was seen last, and as it was left."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from pettui.settings import LIMIT_DEFAULT
from pettui.tui.lists.listing import ListQuery, kept_listing
from pettui.tui.rows.row_view import Column, Direction, RowView
from pettui.tui.times import time_text

if TYPE_CHECKING:
    from pettui.transfer.last_lists import LastView
    from pettui.tui.lists.listing import Listing
    from pettui.tui.user_session import UserSession


def first_query(session: UserSession) -> ListQuery:
    """Return what is asked for first: what was left, but for a limit that was asked for."""
    left = session.seen.first_view
    return ListQuery(left.status, left.limit or session.settings.limit or LIMIT_DEFAULT)


def seen_listing(session: UserSession, query: ListQuery) -> Listing | None:
    """Return what the first page of a query's status showed last; None where that was nothing."""
    seen = session.seen.of(query.status)
    if seen is None or not seen.pets:
        return None
    at = datetime.fromtimestamp(seen.as_of, session.clock.now().tzinfo)
    return kept_listing(replace(query, pages=1), seen.pets, at)


def as_of_text(session: UserSession, listing: Listing | None, *, is_stale: bool) -> str:
    """Return the time of what is shown, where that is older than its query; "" otherwise."""
    if listing is None or not (is_stale or listing.is_kept):
        return ""
    return time_text(listing.answered_at, session.clock.now())


def view_of(left: LastView) -> RowView:
    """Return the view with the sort that was left; a column that is none is no sort."""
    with suppress(ValueError):
        direction = Direction.DESCENDING if left.is_descending else Direction.ASCENDING
        return RowView("", Column(left.column), direction)
    return RowView()


def left_by(view: RowView) -> dict[str, str | bool | None]:
    """Return the fields of a LastView that a view leaves; what is found is not kept."""
    column = None if view.column is None else view.column.value
    return {"column": column, "is_descending": view.direction is Direction.DESCENDING}
