"""Store: what the endpoints need of a database, in four methods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from pettui.service import SetupError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.models import NewPet, PetStatus


class StoreError(SetupError):
    """A database that can't be opened; the text says which one, what is wrong, and what to do."""


class StoreUnavailableError(Exception):
    """The database can't be used now, but may be again in ``RETRY_AFTER`` seconds; sent as 503.

    The text says why, for the operator's log and not for the client.
    """


class NotStoredError(StoreUnavailableError):
    """As above, and surely nothing was stored: the animal can be sent again."""


class StoreFullError(Exception):
    """A store that is full; the text is for the client, and sent as 400."""


class StoredPet(NamedTuple):
    """An animal as read from the database, where it was checked before it was stored.

    It is a tuple and not ``models.Pet``, since checking it again would double the time of a page.
    """

    id: int
    name: str
    category_id: int
    status: str | None


Row = tuple[bytes, int, str | None]


def row(new_pet: NewPet) -> Row:
    """Return the column values of a new animal: name (UTF-8), category_id and status."""
    status = None if new_pet.status is None else new_pet.status.value
    return new_pet.name.encode(), new_pet.category_id, status


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page of animals, newest first, and where the next page starts."""

    pets: tuple[StoredPet, ...]
    next_before: int | None  # the next page holds ids below this one; None at the end

    @classmethod
    def of(cls, pets: Sequence[StoredPet], *, is_last: bool) -> StoredPage:
        """Return a page of animals; ``is_last`` if no more follow it."""
        return cls(tuple(pets), None if is_last else pets[-1].id)


class Store(Protocol):
    """A shop's animals. Ids grow and are never reused, so newest first is highest id first.

    Every method raises ``StoreUnavailableError`` while the database can't be used.
    """

    async def list_pets(
        self, limit: int, status: PetStatus | None = None, before: int | None = None
    ) -> StoredPage:
        """Return at most ``limit`` animals with an id below ``before``, highest id first.

        A page of large names has fewer animals, but at least one (``bounds``).
        """
        ...

    async def create_pet(self, new_pet: NewPet) -> StoredPet:
        """Store an animal durably, and return it with its id."""
        ...

    async def get_pet(self, pet_id: int) -> StoredPet | None:
        """Return one animal, or None if no animal has the id."""
        ...

    async def close(self) -> None:
        """Finish pending writes, and close the database."""
        ...
