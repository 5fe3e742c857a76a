"""The order of the rows, as it was left in the last session and is kept for the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.rows.columns import column_named
from pettui.rows.shown import Direction, RowView

if TYPE_CHECKING:
    from pettui.remembered.last_lists import LastView


def view_of(last: LastView) -> RowView:
    """Return a view sorted as before; an unknown column means unsorted."""
    column, then = column_named(last.column), column_named(last.then)
    if column is None:
        return RowView()
    return RowView(
        "", column, _direction(last.is_descending), then, _direction(last.then_is_descending)
    )


def _direction(is_descending: bool) -> Direction:
    return Direction.DESCENDING if is_descending else Direction.ASCENDING


def order_fields(view: RowView) -> dict[str, str | bool | None]:
    """Return those fields of a LastView that say how a view is sorted."""
    return {
        "column": None if view.column is None else view.column.name,
        "is_descending": view.direction is Direction.DESCENDING,
        "then": None if view.then is None else view.then.name,
        "then_is_descending": view.then_direction is Direction.DESCENDING,
    }
