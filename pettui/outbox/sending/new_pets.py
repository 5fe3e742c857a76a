"""An entry → the new animal that is sent for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pettui.models import NewPet
    from pettui.outbox.entries import Entry


def new_pet_of(entry: Entry) -> NewPet:
    """Return what is sent; ValueError for what the interface cannot say."""
    from pydantic import ValidationError  # noqa: PLC0415 - once it is needed

    from pettui.models import NewPet, PetStatus  # noqa: PLC0415

    if any("\ud800" <= character <= "\udfff" for character in entry.name):
        raise ValueError("name: half a character cannot be sent (RFC 8259, 8.2)")
    status = None if entry.status is None else PetStatus(entry.status)
    try:
        return NewPet(name=entry.name, categoryId=entry.category_id, status=status)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise ValueError(f"{first['loc'][0]}: {first['msg']}") from error
