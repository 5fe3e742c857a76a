"""What an export takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from pettui.rows.shown import pets_of
from pettui.text.amounts import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.models.pets import Pet
    from pettui.rows.shown import Element


class ExportedRows(Protocol):
    """Rows to export."""

    def selection(self, *, is_everything: bool) -> Selection:
        """Return the rows that are shown, or all of them, as far as they are loaded."""

    @property
    def everything(self) -> str:
        """A name for all of the rows; "" if those are the ones that are shown."""


class Selection(NamedTuple):
    """The rows to export, in the order shown."""

    elements: Sequence[Element]
    words: str  # which ones: "as shown", "marked"
    file_name: str = ""  # by default
    has_further_pages: bool = False  # that are loaded for the export
    not_shown: int | None = None  # of the marked rows; None if these are not the marked ones

    @property
    def pets(self) -> tuple[Pet, ...]:
        """The animals among them; unreadable rows are left out."""
        return tuple(pets_of(self.elements))

    @property
    def text(self) -> str:
        """How many rows, and which: "240 rows, as shown", "4 marked, 2 not shown"."""
        pets = len(self.pets)
        if self.not_shown is not None:
            return f"{pets:,} {self.words}{not_shown_text(self.not_shown)}"
        left_out = len(self.elements) - pets
        unreadable = f"; {left_out:,} unreadable left out" if left_out else ""
        return f"{counted(pets, 'row')}, {self.words}{unreadable}"

    @property
    def short_text(self) -> str:
        """How many rows, or that there will be more than these: "240 rows", "all pages"."""
        if self.not_shown is not None:
            return f"{len(self.elements):,} {self.words}"
        return "all pages" if self.has_further_pages else counted(len(self.pets), "row")


def not_shown_text(hidden: int) -> str:
    """Return how many marked animals are not shown, to follow what is said of all of them."""
    return f", {hidden:,} not shown" if hidden else ""
