"""Lines of imports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.models import NewPet
from pettui.transfer.journal import LineKey, numbered_lines
from pettui.transfer.lines import GoodLine, Position

if TYPE_CHECKING:
    from collections.abc import Iterable


def a_line(name: str, category: int = 3, status: str | None = None, line: int = 1) -> GoodLine:
    return GoodLine(Position(line), NewPet(name=name, category_id=category, status=status))


def lines_of(*names: str) -> list[tuple[LineKey, GoodLine]]:
    return numbered_lines(a_line(name, line=number) for number, name in enumerate(names, start=2))


def animals(count: int) -> list[tuple[LineKey, GoodLine]]:
    return lines_of(*(f"animal {number}" for number in range(1, count + 1)))


def keys_of(lines: Iterable[GoodLine]) -> list[LineKey]:
    return [key for key, _ in numbered_lines(lines)]
