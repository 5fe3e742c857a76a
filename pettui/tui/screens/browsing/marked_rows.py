"""MarkedRows: the animals that a clerk marked, to be taken away together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from pettui.tui.rows.counting import id_of, pets_of

if TYPE_CHECKING:
    from pettui.models import Pet
    from pettui.tui.rows.row_view import Element
    from pettui.tui.rows.shown_rows import ShownRows
    from pettui.tui.widgets.pet_table import PetTable


class MarkingScreen(Protocol):
    """The screen on whose table rows are marked."""

    table: PetTable
    shown: ShownRows | None

    def tell_remark(self, remark: str) -> None:
        """Say something, until the next query."""

    def refresh_bindings(self) -> None:
        """Name the keys that work now."""


class MarkedRows:
    """They are marked by id, so that a mark outlasts a refresh, a find, a sort and another filter.

    Only those that are loaded count, and are taken: nobody takes away what is not listed any more.
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
        if loaded is not self._loaded:  # not at each key
            self._loaded, self._loaded_ids = loaded, frozenset(map(id_of, loaded))
        return len(self._ids & self._loaded_ids)

    @property
    def pets(self) -> tuple[Pet, ...]:
        """The marked animals among those that are loaded, found or not, in the order shown."""
        shown = self._screen.shown
        if not self.count or shown is None:
            return ()
        in_order = map(shown.loaded.__getitem__, shown.order)
        return tuple(pet for pet in pets_of(in_order) if pet.id in self._ids)

    def toggle(self) -> None:
        """Mark the animal under the cursor, or no more, and go on to the next row."""
        table = self._screen.table
        pet_id = id_of(table.highlighted)
        if pet_id is None:
            self._screen.tell_remark("there is no animal here to mark")
            return
        self._show(self._ids ^ {pet_id})
        table.cursor += 1

    def clear(self) -> None:
        """Take all marks away."""
        self._show(frozenset())

    def _show(self, ids: frozenset[int]) -> None:
        self._ids = ids
        self._screen.table.show_selected(ids)
        self._screen.tell_remark("")
        self._screen.refresh_bindings()
