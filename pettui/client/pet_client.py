"""PetClient: the interface's three operations; a call returns an answer or raises."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import httpx

    from pettui.client.deprecation import Notice
    from pettui.models import NewPet, Pet, PetStatus
    from pettui.settings import ApiKey


@dataclass(frozen=True, slots=True)
class UnreadablePet:
    """An element of a list that is no Pet."""

    place: int  # from 0, in the list as it was sent
    reason: str  # "categoryId: must be a whole number"
    beginning: str  # of the element's JSON, cut


@dataclass(frozen=True, slots=True)
class PetPage:
    """The answer of listPets."""

    pets: tuple[Pet, ...]
    unreadable: tuple[UnreadablePet, ...]
    notices: tuple[Notice, ...]
    elapsed: float  # seconds, from sending to the last byte
    next_link: str | None  # the next page, as an absolute address of the same origin


@dataclass(frozen=True, slots=True)
class PetAnswer:
    """The answer of createPet and getPet."""

    pet: Pet
    notices: tuple[Notice, ...]
    elapsed: float  # seconds


class PetClient:
    """The store service's client.

    Making one costs nothing: httpx is imported, and the connection opened, at the first call.
    """

    def __init__(
        self,
        base_url: str,
        api_key: ApiKey | str,
        *,
        transport: Callable[[], httpx.AsyncBaseTransport] | httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """Take a base address ending in ``/v1``, and optionally another way than the network."""

    async def list_pets(self, limit: int = 20, status: PetStatus | None = None) -> PetPage:
        """Ask for the newest animals (listPets)."""
        raise NotImplementedError

    async def list_next_pets(self, page: PetPage) -> PetPage:
        """Ask for the page after this one, by its ``next_link``."""
        raise NotImplementedError

    async def create_pet(self, new_pet: NewPet) -> PetAnswer:
        """Add an animal (createPet); sent once, never again."""
        raise NotImplementedError

    async def get_pet(self, pet_id: int) -> PetAnswer:
        """Ask for one animal (getPet, deprecated)."""
        raise NotImplementedError

    async def aclose(self) -> None:
        """Close the connections."""
