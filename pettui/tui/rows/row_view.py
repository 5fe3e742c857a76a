"""RowView: what the clerk wants to see of the loaded rows."""

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
    """An animal of which nothing is known yet but its id."""

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
        """Return the other one."""
        return Direction.DESCENDING if self is Direction.ASCENDING else Direction.ASCENDING


@dataclass(frozen=True, slots=True)
class RowView:
    """Which rows, and in which order; no column is the service's own order."""

    words: str = ""  # as typed: each must be found, anywhere
    column: Column | None = None
    direction: Direction = Direction.ASCENDING

    @property
    def is_sorted(self) -> bool:
        """Whether the order is another one than the service's own."""
        return self.column is not None

    def with_words(self, words: str) -> RowView:
        """Return the view that finds these words."""
        return replace(self, words=words)

    def by_next_column(self) -> RowView:
        """Return the view by the next column, ascending; past the last, the service's order."""
        columns = (None, *Column, None)
        return self._by(columns[columns.index(self.column) + 1])

    def turned_round(self) -> RowView:
        """Return the view from the other end; the service's own order has none."""
        if self.column is None:
            return self
        return replace(self, direction=self.direction.opposite)

    def by(self, column: Column) -> RowView:
        """Return the view by a column that was clicked: the same one a second time turns round."""
        return self.turned_round() if column is self.column else self._by(column)

    def _by(self, column: Column | None) -> RowView:
        return replace(self, column=column, direction=Direction.ASCENDING)
