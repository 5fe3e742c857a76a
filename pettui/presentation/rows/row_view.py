"""RowView: which of the loaded rows the user wants to see, and in which order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from pettui.client import UnreadablePet
    from pettui.models import Pet

    Element: TypeAlias = Pet | UnreadablePet


@dataclass(frozen=True, slots=True)
class WantedPet:
    """An animal of which only the id is known yet."""

    id: int
    status: None = None


class Column(Enum):
    """A column that rows can be sorted by, from left to right."""

    ID = "id"
    NAME = "name"
    CATEGORY = "category"
    STATUS = "status"


class Direction(Enum):
    """Which end of a column comes first."""

    ASCENDING = "ascending"
    DESCENDING = "descending"

    @property
    def opposite(self) -> Direction:
        """The other direction."""
        return Direction.DESCENDING if self is Direction.ASCENDING else Direction.ASCENDING


@dataclass(frozen=True, slots=True)
class RowView:
    """Which rows, and in which order."""

    words: str = ""  # as typed: a row must contain each of them
    column: Column | None = None  # None is the service's own order
    direction: Direction = Direction.ASCENDING

    @property
    def is_sorted(self) -> bool:
        """Whether the order is not the service's own."""
        return self.column is not None

    def with_words(self, words: str) -> RowView:
        """Return the view that finds these words."""
        return replace(self, words=words)

    def by_next_column(self) -> RowView:
        """Return the view sorted by the next column; after the last, in the service's order."""
        columns = (None, *Column, None)
        return self._by(columns[columns.index(self.column) + 1])

    def reversed(self) -> RowView:
        """Return the view in the other direction; the service's own order has only one."""
        if self.column is None:
            return self
        return replace(self, direction=self.direction.opposite)

    def by(self, column: Column) -> RowView:
        """Return the view sorted by a clicked column; a second click reverses it."""
        return self.reversed() if column is self.column else self._by(column)

    def _by(self, column: Column | None) -> RowView:
        return replace(self, column=column, direction=Direction.ASCENDING)
