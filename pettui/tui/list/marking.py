"""MarksRows: the keys that mark rows of a table, on the list and in the receipt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pettui.rows.shown import pets_of
from pettui.text.amounts import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.models.pets import Pet
    from pettui.tui.detail.marked import MarkedPets
    from pettui.tui.list.pet_table import PetTable

NO_ANIMAL: Final = "there is no animal here to mark"


class MarksRows:
    """A screen, or a part of one, with a table whose rows are marked."""

    table: PetTable
    marked: MarkedPets
    goes_on = False  # further pages are not loaded

    def rows_changed(self, remark: str | None) -> None:
        """Show what follows from other marks, and a remark on what a key did."""
        raise NotImplementedError

    def follow_cursor(self) -> None:
        """Have the table tell where its cursor is, if a range goes with it."""
        raise NotImplementedError

    def action_mark(self) -> None:
        """Mark or unmark the animal under the cursor, and move to the next row."""
        if (pet := self.table.highlighted_pet) is None:
            self.rows_changed(NO_ANIMAL)
        elif self.marked.has_range:
            self.end_range()
        else:
            self.marked.invert([pet])
            self._show_marked()
            self.table.cursor += 1

    def action_mark_range(self) -> None:
        """Begin a range at the cursor, which then goes with it; or end it."""
        if self.marked.has_range:
            self.end_range()
        elif (pet := self.table.highlighted_pet) is None:
            self.rows_changed(NO_ANIMAL)
        else:
            self.marked.begin_range(pet)
            self._show_marked()

    def extend_range(self) -> None:
        """Let a range, if there is one, go to the cursor."""
        if self.marked.has_range:
            self.marked.extend_range(self.table.rows, self.table.cursor)
            self._show_marked()

    def end_range(self, *, keeps: bool = True) -> None:
        """End the range, if there is one; keep its marks, or take them back."""
        if self.marked.has_range:
            self.marked.end_range(keeps=keeps)
            self._show_marked()

    def action_mark_all(self) -> None:
        """Mark every animal that is shown."""
        self.mark(pets_of(self.table.rows))

    def mark_found(self) -> bool:
        """Mark what a find shows; return whether there is anything."""
        pets = pets_of(self.table.rows)
        if pets:
            self.mark(pets)
        return bool(pets)

    def mark(self, pets: Sequence[Pet]) -> None:
        """Mark animals."""
        self.end_range()
        before = self.marked.count
        self.marked.add(pets)
        if new := self.marked.count - before:
            remark = f"marked {new:,}: further pages are not loaded" if self.goes_on else ""
        else:
            count = f"all {len(pets):,}"
            remark = f"{count} are marked already" if pets else "there is nothing to mark"
        self._show_marked(remark)

    def action_invert_marks(self) -> None:
        """Mark the animals that are shown and not marked, and unmark the others that are shown."""
        self.end_range()
        self.marked.invert(pets_of(self.table.rows))
        self._show_marked()

    def clear_marks(self) -> None:
        """Remove all marks."""
        count = counted(self.marked.count, "mark")
        self.marked.clear()
        self._show_marked(f"{count} removed")

    def _show_marked(self, remark: str = "") -> None:
        self.follow_cursor()
        self.table.refresh()
        self.rows_changed(remark)
