"""PetPreview: beside the table, what a row does not say of its animal."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pettui.models.statuses import look_of
from pettui.rows.columns import BESIDE_NAME, CATEGORY
from pettui.tui.detail.pet_view import PetView
from pettui.tui.widgets.runs import Run, cut_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.models.pets import Pet
    from pettui.tui.list.pet_table import PetTable
    from pettui.tui.session.session import UserSession
    from pettui.tui.widgets.runs import Section


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
