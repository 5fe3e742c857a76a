"""What an export takes."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple, Protocol

from pettui.models.pets import Pet, UnreadablePet
from pettui.rows.shown import pets_of
from pettui.text.amounts import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pettui.rows.shown import Element


class Scope(Enum):
    """Which rows an export takes."""

    SHOWN = auto()  # or marked
    FOUND = auto()  # on all pages, found and sorted as those that are shown
    EVERYTHING = auto()  # on all pages


class ExportedRows(Protocol):
    """Rows to export."""

    def selection(self, scope: Scope) -> Selection:
        """Return the rows of a scope, as far as they are loaded."""

    @property
    def scopes(self) -> Mapping[Scope, str]:
        """The scopes that differ now, each with its name, as a key goes round."""


class Selection(NamedTuple):
    """The rows to export, in the order shown."""

    elements: Sequence[Element]
    words: str  # which ones: "as shown", "marked"
    file_name: str = ""  # by default
    further: str = ""  # short, which rows those of further pages are that are loaded for the export
    not_shown: int | None = None  # of the marked rows; None if these are not the marked ones
    unreadable_besides: int = 0  # rows of which nobody knows whether they are among those found

    @property
    def pets(self) -> tuple[Pet, ...]:
        """The animals among them; unreadable rows are left out."""
        return tuple(pets_of(self.elements))

    @property
    def unreadable(self) -> int:
        """How many rows could not be read, and so are left out."""
        return (
            sum(isinstance(row, UnreadablePet) for row in self.elements) + self.unreadable_besides
        )

    @property
    def text(self) -> str:
        """How many rows, and which: "240 rows, as shown", "4 marked, 2 not shown"."""
        pets = len(self.pets)
        if self.not_shown is not None:
            return f"{pets:,} {self.words}{not_shown_text(self.not_shown)}"
        unreadable = f"; {self.unreadable:,} unreadable left out" if self.unreadable else ""
        return f"{counted(pets, 'row')}, {self.words}{unreadable}"

    @property
    def short_text(self) -> str:
        """How many rows, or that there will be more than these: "240 rows", "all pages"."""
        if self.not_shown is not None:
            return f"{len(self.elements):,} {self.words}"
        return self.further or counted(len(self.pets), "row")


def not_shown_text(hidden: int) -> str:
    """Return how many marked animals are not shown, to follow what is said of all of them."""
    return f", {hidden:,} not shown" if hidden else ""
