"""What stands in the cells of a field, and where the cursor is drawn in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len

if TYPE_CHECKING:
    from rich.style import Style
    from textual.widgets import Input

    from tests.tui.driving import Driver


@dataclass(frozen=True)
class Cell:
    """One cell: its text, "" in the second half of a wide character, and its style."""

    text: str
    style: Style | None


def cells_of(driver: Driver, field: Input) -> list[Cell]:
    """Return the cells of a field as the screen is drawn."""
    region = field.content_region
    strip = driver.screen._compositor.render_strips()[region.y].crop(region.x, region.right)
    cells: list[Cell] = []
    for segment in strip:
        for character in segment.text:
            width = cell_len(character)
            if width == 0 and cells:
                cells[-1] = Cell(cells[-1].text + character, cells[-1].style)
                continue
            cells += [Cell(character, segment.style), *[Cell("", segment.style)] * (width - 1)]
    assert len(cells) == region.width
    return cells


def text_of(cells: list[Cell]) -> str:
    """Return the text that the cells show, without the blanks behind it."""
    return "".join(cell.text for cell in cells).rstrip()


def cursor_in(field: Input, cells: list[Cell]) -> list[int]:
    """Return the columns in which the cursor is drawn."""
    style = field.get_component_rich_style("input--cursor")
    return [
        column
        for column, cell in enumerate(cells)
        if cell.style is not None and cell.style.bgcolor == style.bgcolor
    ]
