"""Lines of an import, as they were read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.models.pets import NewPet
from pettui.transfer.lines import GoodLine, Position
from pettui.transfer.runs import LineId, numbered_lines

if TYPE_CHECKING:
    from collections.abc import Iterable


def a_line(name: str, category: int = 3, status: str | None = None, line: int = 1) -> GoodLine:
    return GoodLine(Position(line), NewPet(name=name, category_id=category, status=status))


def lines_of(*names: str) -> list[tuple[LineId, GoodLine]]:
    return numbered_lines(a_line(name, line=number) for number, name in enumerate(names, start=2))


def animals(count: int) -> list[tuple[LineId, GoodLine]]:
    return lines_of(*(f"animal {number}" for number in range(1, count + 1)))


def line_ids_of(lines: Iterable[GoodLine]) -> list[LineId]:
    return [line_id for line_id, _ in numbered_lines(lines)]
