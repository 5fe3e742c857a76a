"""Which of some rows are shown, and in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pettui.rows.shown import RowView, ShownRows, SortedBy, shown_rows
from tests.animals import category_name

if TYPE_CHECKING:
    from pettui.models.pets import Pet
    from pettui.rows.columns import Column
    from pettui.rows.shown import Element


def is_found(typed: str, pet: Pet) -> bool:
    return bool(shown_rows([pet], RowView(typed), category_name).indexes)


def shown(rows: list[Element], view: RowView, before: ShownRows | None = None) -> ShownRows:
    return shown_rows(rows, view, category_name, before)


def in_order(rows: list[Any], column: Column, *, is_descending: bool = False) -> list[Any]:
    return list(shown(rows, RowView("", (SortedBy(column, is_descending),))).elements)
