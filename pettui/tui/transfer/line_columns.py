"""The columns of lines that are animals: number, name, category and status."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from pettui.models.statuses import WIDEST_WORD, look_of
from pettui.rows.widths import Width, divided
from pettui.tui.widgets.runs import Run, name_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.appearance.glyphs import GlyphSet
    from pettui.models.pets import NewPet
    from pettui.transfer.lines import GoodLine
    from pettui.tui.session.categories import Categories

NAME_MOST: Final = 40  # cells
NAME_LEAST: Final = 8
CATEGORY_MOST: Final = 20
WORDED_FROM: Final = 48  # cells: below, a status is its glyph alone
GAP: Final = "  "


class LineColumns:
    """The cells that columns need for these lines."""

    def __init__(self, glyphs: GlyphSet, categories: Categories, lines: Sequence[GoodLine]) -> None:
        self._glyphs, self._categories = glyphs, categories
        pets = [line.new_pet for line in lines]
        self._number = max((len(str(line.position.number)) for line in lines), default=1)
        self._name = min(max((cell_len(self._named(pet)[0]) for pet in pets), default=0), NAME_MOST)
        labels = (cell_len(self._label(pet)) for pet in pets)
        self._category = min(max(labels, default=0), CATEGORY_MOST)

    def runs(self, line: GoodLine, width: int, *, is_muted: bool = False) -> list[Run]:
        """Return a line in so many cells at most, where they are not too few."""
        glyphs, pet, is_worded = self._glyphs, line.new_pet, width >= WORDED_FROM
        status_width = 2 + WIDEST_WORD if is_worded else 1
        around = self._number + status_width + 3 * len(GAP)
        columns = (Width(self._name, least={1: NAME_LEAST}), Width(self._category, least={2: 0}))
        _, (name_width, category_width) = divided(columns, width - around)
        name, style = self._named(pet)
        status = glyphs.status_text(pet.status, is_worded=is_worded)
        return [
            (f"{line.position.number:>{self._number}}{GAP}", "muted"),
            (glyphs.fit(name, name_width), "muted" if is_muted else style),
            (f"{GAP}{glyphs.fit(self._label(pet), category_width)}{GAP}", "muted"),
            (glyphs.fit(status, status_width), look_of(pet.status).style),
        ]

    def _named(self, pet: NewPet) -> Run:
        return name_run(self._glyphs, pet.name, NAME_MOST * 2)

    def _label(self, pet: NewPet) -> str:
        return self._glyphs.line(self._categories.label(pet.category_id), CATEGORY_MOST * 2)
