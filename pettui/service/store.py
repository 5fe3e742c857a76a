"""Store: what the endpoints need of a database, in four methods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pettui.models import NewPet, Pet, PetStatus


@dataclass(frozen=True, slots=True)
class StoredPage:
    """Animals, newest first, and where the next page begins."""

    pets: tuple[Pet, ...]
    next_before: int | None  # the next page holds ids below this one; None at the end


class Store(Protocol):
    """A shop's animals. Ids grow; newest first is highest id first."""

    async def list_pets(
        self, limit: int, status: PetStatus | None, before: int | None
    ) -> StoredPage:
        """Give at most ``limit`` animals with an id below ``before``, highest id first."""
        ...

    async def create_pet(self, new_pet: NewPet) -> Pet:
        """Keep an animal for good, then give it with its id."""
        ...

    async def get_pet(self, pet_id: int) -> Pet | None:
        """Give one animal, or None where there is none of that id."""
        ...

    async def close(self) -> None:
        """Finish what is being written, and close the database."""
        ...
