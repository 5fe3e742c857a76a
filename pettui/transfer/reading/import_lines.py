"""The lines of an import: each is an animal, or bad for a reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.models import NewPet

NAME = "name"
CATEGORY = "category"
STATUS = "status"
IGNORED_MAXIMUM = 100  # names of columns that are reported
MISSING = "is missing"  # the reason of a field without a value
WHOLE = ""  # in place of a field: the fault concerns the whole line


@dataclass(frozen=True, slots=True)
class Position:
    """The position of an animal in a file."""

    line: int  # its first, from 1, as in an editor
    element: int | None = None  # from 1, of a JSON list

    @property
    def label(self) -> str:
        """How messages name it: "line 7"."""
        return f"line {self.line}" if self.element is None else f"animal {self.element}"


@dataclass(frozen=True, slots=True)
class GoodLine:
    """An animal that can be added."""

    position: Position
    new_pet: NewPet


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that is not an animal that can be added."""

    position: Position
    field: str  # NAME, CATEGORY, STATUS or WHOLE
    reason: str  # a few words, not yet safe to draw
    cells: tuple[str, ...] = ()  # name, category and status as they were, and cells too many


ImportLine: TypeAlias = GoodLine | BadLine


class FaultError(ValueError):
    """What is wrong with a line, and in which field."""

    def __init__(self, field: str, reason: str, cells: tuple[str, ...] = ()) -> None:
        super().__init__(reason)
        self.field = field
        self.reason = reason
        self.cells = cells  # see BadLine


def import_line(position: Position, read: Callable[[], NewPet]) -> ImportLine:
    """Return the line that ``read`` returns, or a bad one if it raises FaultError."""
    try:
        return GoodLine(position, read())
    except FaultError as error:
        return BadLine(position, error.field, error.reason, error.cells)


@dataclass(frozen=True, slots=True)
class ImportLimits:
    """Limits on a file."""

    content: int = 50_000_000  # bytes
    lines: int = 200_000  # that may be animals
    line: int = 5_000_000  # characters; no line of an export is longer
