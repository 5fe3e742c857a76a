"""MarkedRows: the animals that a clerk marked, to be exported or copied together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from pettui.presentation.rows.counting import id_of, pets_of

if TYPE_CHECKING:
    from pettui.models import Pet
    from pettui.presentation.rows.row_view import Element
    from pettui.presentation.rows.shown_rows import ShownRows
    from pettui.tui.widgets.pet_table import PetTable


class MarkingScreen(Protocol):
    """The screen on whose table rows are marked."""

    table: PetTable
    shown: ShownRows | None

    def show_remark(self, remark: str) -> None:
        """Show a remark until the next key."""

    def refresh_bindings(self) -> None:
        """Show the keys that work now."""


class MarkedRows:
    """Rows are marked by id: a mark survives a refresh, a find, a sort and another filter.

    Only animals that are still loaded count.
    """

    def __init__(self, screen: MarkingScreen) -> None:
        self._screen = screen
        self._ids: frozenset[int] = frozenset()
        self._loaded: tuple[Element, ...] = ()
        self._loaded_ids: frozenset[int | None] = frozenset()

    @property
    def count(self) -> int:
        """How many of the loaded animals are marked."""
        if not self._ids or self._screen.shown is None:
            return 0
        loaded = self._screen.shown.loaded
        if loaded is not self._loaded:  # not for each key
            self._loaded, self._loaded_ids = loaded, frozenset(map(id_of, loaded))
        return len(self._ids & self._loaded_ids)

    @property
    def pets(self) -> tuple[Pet, ...]:
        """The marked animals that are loaded, found or not, in the order shown."""
        shown = self._screen.shown
        if not self.count or shown is None:
            return ()
        in_order = map(shown.loaded.__getitem__, shown.order)
        return tuple(pet for pet in pets_of(in_order) if pet.id in self._ids)

    def toggle(self) -> None:
        """Mark or unmark the animal under the cursor, and move to the next row."""
        table = self._screen.table
        pet_id = id_of(table.highlighted)
        if pet_id is None:
            self._screen.show_remark("there is no animal here to mark")
            return
        self._show(self._ids ^ {pet_id})
        table.cursor += 1

    def clear(self) -> None:
        """Remove all marks."""
        self._show(frozenset())

    def _show(self, ids: frozenset[int]) -> None:
        self._ids = ids
        self._screen.table.show_selected(ids)
        self._screen.show_remark("")
        self._screen.refresh_bindings()
