"""Request: one call, as it goes to the service."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pettui.models import NewPet, PetStatus


@dataclass(frozen=True, slots=True)
class Request:
    """What one call asks, and what its answer is measured by."""

    operation: str  # the interface's name: "listPets"
    method: str
    address: str  # absolute
    expected_status: int
    new_pet: NewPet | None = None  # createPet: what is to be added
    pet_id: int | None = None  # getPet: which animal
    limit: int | None = None  # listPets: how many at most
    status: PetStatus | None = None  # listPets: of which status
    visited: tuple[str, ...] = ()  # listPets: addresses of the pages before this one

    @property
    def is_add(self) -> bool:
        """Tell whether asking twice would do a thing twice."""
        return self.new_pet is not None
