"""What is read of an import: line after line, an animal or why it is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.models import NewPet

NAME = "name"
CATEGORY = "category"
STATUS = "status"
IGNORED_MAXIMUM = 100  # names of columns that are told
MISSING = "is missing"  # a reason
WHOLE = ""  # the field of a fault that is the whole line's


@dataclass(frozen=True, slots=True)
class Position:
    """Where an animal stands in a file."""

    line: int  # from 1, as an editor counts; where it begins
    element: int | None = None  # from 1, of a JSON list

    @property
    def label(self) -> str:
        """What a message calls it: "line 7"."""
        return f"line {self.line}" if self.element is None else f"animal {self.element}"


@dataclass(frozen=True, slots=True)
class GoodLine:
    """An animal that can be added."""

    position: Position
    new_pet: NewPet


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that is no animal that createPet takes."""

    position: Position
    field: str  # NAME, CATEGORY, STATUS or WHOLE
    reason: str  # in a few words, not yet safe to draw


ImportLine: TypeAlias = GoodLine | BadLine


class FaultError(ValueError):
    """What is wrong with a line, and with which of its fields."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(reason)
        self.field = field
        self.reason = reason


def import_line(position: Position, read: Callable[[], NewPet]) -> ImportLine:
    """Return a line as it is read, or as the fault that reading it raises."""
    try:
        return GoodLine(position, read())
    except FaultError as error:
        return BadLine(position, error.field, error.reason)


@dataclass(frozen=True, slots=True)
class ImportLimits:
    """How much of a file is read."""

    content: int = 50_000_000  # bytes
    lines: int = 200_000  # that may be animals
    line: int = 5_000_000  # characters; an export of the largest answer has no longer ones
