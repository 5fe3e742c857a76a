"""The fields of an animal for programs, in order, whatever the columns of the screen are.

Scripts read them by their place (``cut -f 4``), so a column that the screen has one day, of fields
that only one's own service has, is none of them by itself: what is added here goes last.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pettui.rows.columns import CATEGORY, ID, NAME, STATUS, Column

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.models.pets import Pet


class Field(NamedTuple):
    """A field, and the column as which a terminal shows it."""

    name: str  # in the interface, in ``--fields``, and over the fields
    value: Callable[[Pet], Any]
    column: Column

    def raw(self, pet: Pet) -> str:
        """Return the value as programs read it; "" for none."""
        value = self.value(pet)
        return "" if value is None else str(value)


FIELDS: Final = (
    Field("id", attrgetter("id"), ID),
    Field("name", attrgetter("name"), NAME),
    Field("categoryId", attrgetter("category_id"), CATEGORY),
    Field("status", attrgetter("status"), STATUS),
)
