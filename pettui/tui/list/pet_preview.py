"""PetPreview: beside the table, what a row does not say of its animal."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from pettui.rows.columns import BESIDE_NAME, CATEGORY, STATUS
from pettui.tui.detail.pet_view import EXCERPT_CHARACTERS, PetView
from pettui.tui.widgets.coloured_json import json_rows
from pettui.tui.widgets.fitting import first_that_fits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.models.pets import Pet
    from pettui.tui.list.pet_table import PetTable
    from pettui.tui.list.shown_list import ShownList
    from pettui.tui.session.session import UserSession
    from pettui.tui.widgets.runs import Run, Section

NAMESAKES: Final = 5  # that are listed
TEXT_ROWS: Final = 4  # of a text that the row cuts


class PetPreview(PetView):
    """Texts that are cut, fields that are no columns, namesakes, and the JSON as it came."""

    LABEL: ClassVar[int] = 12  # cells

    def __init__(self, session: UserSession, table: PetTable, rows: ShownList) -> None:
        """Show no animal yet; it stands beside a table of rows."""
        super().__init__(session, id="preview")
        self._table = table
        self._list = rows

    def facts(self, pet: Pet, width: int, cut: list[Section]) -> list[list[Run]]:
        """Return what the row does not say, and the JSON."""
        rows: list[list[Run]] = []
        for column in (each for each in self._table.cut_columns(pet) if each in BESIDE_NAME):
            text = column.line(pet, self._category_name, self.glyphs)
            rows += self._labelled(column.titles[0], text, width)
        rows += self._others(pet, width, cut)
        rows += self._labelled("First seen", self._list.first_seen(pet), width)
        rows += self._same_name(pet, width)
        text = pet.to_json()
        is_cut = len(text) > EXCERPT_CHARACTERS
        json = json_rows(self.glyphs, text[:EXCERPT_CHARACTERS], width - 1, is_cut=is_cut)
        return [*rows, [], *([(" ", ""), *row] for row in json or ())]

    def other_texts(self, pet: Pet) -> Sequence[Section]:
        """Return the fields that are no columns, and those whose texts the row cuts."""
        in_row = self._table.fields_in_row() - {
            column.name for column in self._table.cut_columns(pet)
        }
        return [field for field in super().other_texts(pet) if field[0] not in in_row]

    def _same_name(self, pet: Pet, width: int) -> list[list[Run]]:
        same = self._list.namesakes.of(pet)
        texts = [self._kind_of(each, width - self.LABEL) for each in same[:NAMESAKES]]
        if len(same) > NAMESAKES:
            texts.append(f"{self.glyphs.ellipsis} and {len(same) - NAMESAKES} more")
        rows: list[list[Run]] = []
        for index, text in enumerate(texts):
            rows += self._labelled("" if index else "Same name", text, width, rows=1)
        return rows

    def _kind_of(self, pet: Pet, width: int) -> str:
        category = CATEGORY.line(pet, self._category_name, self.glyphs)
        glyph = self.glyphs.status_glyph(pet.status)
        status = STATUS.line(pet, self._category_name, self.glyphs)
        dot = f" {self.glyphs.dot} "
        whole = dot.join((str(pet.id), category, f"{glyph} {status}"))
        return first_that_fits(self.glyphs, (whole, dot.join((str(pet.id), category))), width)

    def _labelled(
        self, label: str, text: str, width: int, rows: int = TEXT_ROWS
    ) -> list[list[Run]]:
        lines = self.glyphs.wrap(text, width - self.LABEL, rows) if text else []
        return [
            [(f" {'' if index else label:<{self.LABEL}}", "muted"), (line, "")]
            for index, line in enumerate(lines)
        ]
