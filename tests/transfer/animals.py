"""Lines of imports; and ``tests.animals``, for tests that have yet to import them there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.models.pets import NewPet
from pettui.transfer.lines import GoodLine, Position
from pettui.transfer.runs import LineId, numbered_lines
from tests.animals import INT64, NAMES, STATUS, plain_pet
from tests.animals import sent_pet as a_pet
from tests.animals import sent_pets as pets

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["INT64", "NAMES", "STATUS", "a_pet", "pets", "plain_pet"]


def a_line(name: str, category: int = 3, status: str | None = None, line: int = 1) -> GoodLine:
    return GoodLine(Position(line), NewPet(name=name, category_id=category, status=status))


def lines_of(*names: str) -> list[tuple[LineId, GoodLine]]:
    return numbered_lines(a_line(name, line=number) for number, name in enumerate(names, start=2))


def animals(count: int) -> list[tuple[LineId, GoodLine]]:
    return lines_of(*(f"animal {number}" for number in range(1, count + 1)))


def line_ids_of(lines: Iterable[GoodLine]) -> list[LineId]:
    return [line_id for line_id, _ in numbered_lines(lines)]
