"""RowPainter: a row of the table → its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.strip import Strip

from pettui.client import UnreadablePet
from pettui.tui.widgets.columns import GAP, Columns
from pettui.tui.wording.text_runs import name_run

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.style import Style

    from pettui.models import Pet
    from pettui.tui.look import Look
    from pettui.tui.rows.merging import Marks
    from pettui.tui.rows.row_view import Element

StyledText = tuple[str, "Style"]


class RowPainter:
    """Draws in the columns that it is given, with the styles of the table."""

    def __init__(
        self, look: Look, category_name: Callable[[int], str], style_of: Callable[[str], Style]
    ) -> None:
        self._look = look
        self._category_name = category_name
        self._style_of = style_of

    def header(self, columns: Columns, width: int) -> Strip:
        """Draw the names of the columns."""
        cells = (
            "Id".rjust(columns.id),
            self._look.fit("Name", columns.name),
            self._look.fit("Category" if columns.category >= 8 else "Cat", columns.category),
            self._look.fit("Status" if columns.worded else "", columns.status),
        )
        style = self._over("table-header", self._style_of(""))
        text = f"   {(' ' * GAP).join(cells)} "
        return Strip([Segment(text, style)]).adjust_cell_length(width, style)

    def row(
        self, row: Element, marks: Marks, columns: Columns, width: int, *, is_cursor: bool
    ) -> Strip:
        """Draw an animal, or what could not be read as one.

        The cursor's bar runs across the whole row in one style: it reads as one, and over a line
        its colours are sent once.
        """
        base = self._style_of("")
        sign = self._sign(row, marks)
        runs: list[StyledText] = [
            (self._look.cursor if is_cursor else " ", base),
            (sign, base if sign == " " else self._over("mark", base)),
            (" ", base),
        ]
        if isinstance(row, UnreadablePet):
            text = f"row {row.index + 1} unreadable: {row.reason}"
            fitted = self._look.fit(self._look.line(text), width - 4)
            runs.append((fitted, self._over("error", base)))
        else:
            runs += self._pet(row, columns, base)
        if is_cursor:
            base = self._over("cursor", base)
            runs = [("".join(text for text, _ in runs), base)]
        segments = [Segment(text, style) for text, style in runs]
        return Strip(segments).adjust_cell_length(width, base)

    def _pet(self, pet: Pet, columns: Columns, base: Style) -> list[StyledText]:
        look, gap = self._look, " " * GAP
        quiet = self._over("muted", base)
        category = str(pet.category_id)
        if columns.named:
            category = f"{category} {self._category_name(pet.category_id)}".rstrip()
        status = look.status_glyph(pet.status)
        if columns.worded:
            status = f"{status} {look.status_word(pet.status)}"
        name, name_style = name_run(look, pet.name)
        return [
            (f"{pet.id:>{columns.id}}{gap}", quiet),
            (look.fit(name, columns.name), self._over(name_style, base) if name_style else base),
            (f"{gap}{look.fit(category, columns.category)}{gap}", quiet),
            (look.fit(status, columns.status), self._over(status_style(pet.status), base)),
        ]

    def _sign(self, row: Element, marks: Marks) -> str:
        if isinstance(row, UnreadablePet):
            return " "
        if row.id in marks.new:
            return self._look.new
        return self._look.changed if row.id in marks.changed else " "

    def _over(self, name: str, base: Style) -> Style:
        """Return a style on the row's own ground."""
        return base + self._style_of(name)


def status_style(status: str | None) -> str:
    """Give the component class of a status."""
    if status is None:
        return "not-set"
    return status if status in ("available", "pending", "sold") else "unknown"
