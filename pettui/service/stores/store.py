"""Store: what the endpoints need of a database, in four methods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from pettui.service import SetupError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pettui.models import NewPet, PetStatus


class StoreError(SetupError):
    """A database that can't be opened: which one, what is wrong with it, what to do."""


class StoreUnavailableError(Exception):
    """The database can't answer now, but may in ``RETRY_AFTER`` seconds; answered as 503.

    Its text says why, in words for an operator's log and not for a client.
    """


class NotStoredError(StoreUnavailableError):
    """As above, and surely nothing of the animal was stored: it can be sent again."""


class StoreFullError(Exception):
    """A store that takes no more; its text is for the client, and answered as 400."""


class StoredPet(NamedTuple):
    """An animal as it came out of the database, which checked it on its way in.

    Half the time of a page went into checking again, hence a tuple and not ``models.Pet``.
    """

    id: int
    name: str
    category_id: int
    status: str | None


Row = tuple[bytes, int, str | None]


def row(new_pet: NewPet) -> Row:
    """Give the columns of a new animal: name (UTF-8), category_id and status."""
    status = None if new_pet.status is None else new_pet.status.value
    return new_pet.name.encode(), new_pet.category_id, status


@dataclass(frozen=True, slots=True)
class StoredPage:
    """Animals, newest first, and where the next page begins."""

    pets: tuple[StoredPet, ...]
    next_before: int | None  # the next page holds ids below this one; None at the end

    @classmethod
    def of(cls, pets: Sequence[StoredPet], *, is_last: bool) -> StoredPage:
        """Return a page of animals, behind which there may be more."""
        return cls(tuple(pets), None if is_last else pets[-1].id)


class Store(Protocol):
    """A shop's animals. Ids grow, and are never used twice; newest first is highest id first.

    Every method raises ``StoreUnavailableError`` while the database can't answer.
    """

    async def list_pets(
        self, limit: int, status: PetStatus | None = None, before: int | None = None
    ) -> StoredPage:
        """Return at most ``limit`` animals with an id below ``before``, highest id first.

        There are fewer where their names are large, but one at least (``bounds``).
        """
        ...

    async def create_pet(self, new_pet: NewPet) -> StoredPet:
        """Keep an animal for good, then give it with its id."""
        ...

    async def get_pet(self, pet_id: int) -> StoredPet | None:
        """Give one animal, or None where there is none of that id."""
        ...

    async def close(self) -> None:
        """Finish what is being written, and close the database."""
        ...
