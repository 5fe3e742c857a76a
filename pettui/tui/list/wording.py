"""Texts of the list that several of its parts show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.models.statuses import status_word

if TYPE_CHECKING:
    from pettui.appearance.glyphs import GlyphSet
    from pettui.rows.columns import Column
    from pettui.rows.shown import RowView, ShownRows


def which_animals(status: str | None) -> str:
    """Return which animals a list has: "all", "sold"."""
    return "all" if status is None else status_word(status)


def found_text(shown: ShownRows) -> tuple[str, str]:
    """Return how many of the loaded rows were found, and a shorter form of the same."""
    found, loaded = len(shown.indexes), len(shown.loaded)
    return f"{found:,} of {loaded:,} loaded", f"{found:,} of {loaded:,}"


def direction_sign(glyphs: GlyphSet, view: RowView, column: Column) -> str:
    """Return the glyph of a column's sort direction; "" where rows are not sorted by it."""
    found = (
        glyphs.descending if each.is_descending else glyphs.ascending
        for each in view.order
        if each.column is column
    )
    return next(found, "")
