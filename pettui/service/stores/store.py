"""Store: what the endpoints need of a database, and what every database has in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from hashlib import blake2b
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

from pettui.models.pets import INT64_MAXIMUM, NewPet, PetStatus
from pettui.service import SetupError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


# Whatever was accepted can be listed. The interface names no bounds: these keep every response
# below two million bytes, which is what pettui's own client accepts by default. A JSON escape has
# at most six bytes for a byte of the name. It is never shorter in a request than in a response, so
# the size of the request that adds an animal bounds the response with that animal.
BODY_BYTES: Final = 3 * 512 * 1024  # of a request
NAME_BYTES: Final = BODY_BYTES  # in a response, escaped
PAGE_BYTES: Final = 256 * 1024  # of the names in a page, in UTF-8
SMALL_NAME_BYTES: Final = 2560  # in UTF-8; a hundred and one of them fit into any page
SHOWN_CHARACTERS: Final = 1000  # of a name that is too large for a response

# SQL that both databases run, with SQLite's placeholders. A large name is not read until it is
# known that the page has room for it: both know the length of a name without reading it.
_COLUMNS = (
    f"id, CASE WHEN length(name) <= {SMALL_NAME_BYTES} THEN name END,"
    " category_id, status, length(name)"
)
SELECT: Final = f"SELECT {_COLUMNS} FROM pets"  # noqa: S608 - all ours
SELECT_PET: Final = f"{SELECT} WHERE id = :last"
SELECT_PAGE: Final = f"{SELECT} WHERE id <= :last ORDER BY id DESC LIMIT :limit + 1"

# The interface's, which every database has in a CHECK. Another one that ``models.statuses``
# declares is refused at the door; one that is added here needs a step in both stores' MIGRATIONS.
STATUSES: Final = ("available", "pending", "sold")

DIGEST_BYTES: Final = 16

NewRow = tuple[bytes, int, str | None]  # name (UTF-8), category_id and status
Row = tuple[int, bytes | None, int, str | None, int]  # as selected; a large name is None


class StoreError(SetupError):
    """A database that can't be opened; the text says which one, what is wrong, and what to do."""


class StoreAwayError(StoreError):
    """A database that can't be reached, or not yet; one that can be says what is wrong itself."""


class StoreUnavailableError(Exception):
    """The database can't be used now, but may be again in ``RETRY_AFTER`` seconds; sent as 503.

    The text says why, for the operator's log and not for the client.
    """


class NotStoredError(StoreUnavailableError):
    """As above, and surely nothing was stored: the animal can be sent again."""


class ConstraintError(Exception):
    """A constraint of the database refused what was checked before: a bug, and no outage.

    The text names the constraint, and has nothing of the row.
    """


class AlreadyAddedError(Exception):
    """An animal was stored with this idempotency key before; ``added`` says which one."""

    def __init__(self, added: Added) -> None:
        super().__init__()
        self.added = added


class StoreFullError(Exception):
    """A store that is full; the text is for the client, and sent as 400."""


class Store(ABC):
    """A shop's animals. Ids grow and are never reused, so newest first is highest id first.

    Every method raises ``StoreUnavailableError`` while the database can't be used. A store says
    how its database finds a page and an animal, in SQL, and runs that.
    """

    SELECT_PAGE: ClassVar[str]
    SELECT_PAGE_OF_STATUS: ClassVar[str]
    SELECT_PET: ClassVar[str]

    # Of the database, made once with it: 32 hexadecimal digits; None until it is known. A copy or
    # a backup has it, too, together with the idempotency keys.
    store_id: str | None = None

    @property
    def is_ready(self) -> bool:
        """Whether its database was there; until then every use fails."""
        return True

    async def prepare(self) -> None:  # noqa: B027 - most are ready
        """Connect to the database of a store that is not ready.

        Raises:
            StoreAwayError: it is not there yet; it may be tried again.
            StoreError: it can't be used.
        """

    async def list_pets(
        self, limit: int, status: PetStatus | None = None, before: int | None = None
    ) -> StoredPage:
        """Return at most ``limit`` animals with an id below ``before``, highest id first.

        A page of large names has fewer animals, but at least one.
        """
        last = INT64_MAXIMUM if before is None else before - 1
        if status is None:
            return await self._page(Select(self.SELECT_PAGE, limit, last))
        return await self._page(Select(self.SELECT_PAGE_OF_STATUS, limit, last, status.value))

    async def get_pet(self, pet_id: int) -> StoredPet | None:
        """Return one animal, or None if no animal has the id."""
        pets = (await self._page(Select(self.SELECT_PET, 1, pet_id))).pets
        return pets[0] if pets else None

    async def create_pet(self, new_pet: NewPet, key: bytes | None = None) -> StoredPet:
        """Store an animal durably, and return it with its id; it is on the disk then.

        Args:
            new_pet: the animal.
            key: stored with it, once for ever; None for no key.

        Raises:
            AlreadyAddedError: the key was stored before, and the animal is not stored now.
        """
        stored = await self._add(Add.of(new_pet, key))
        if isinstance(stored, Added):
            raise AlreadyAddedError(stored)
        return StoredPet.of(stored, new_pet)

    @abstractmethod
    async def find_added(self, key: bytes) -> Added | None:
        """Return what was stored with an idempotency key, or None if nothing was."""

    @abstractmethod
    async def close(self) -> None:
        """Finish pending writes, and close the database."""

    @abstractmethod
    async def _page(self, select: Select) -> StoredPage:
        """Return the animals of a query."""

    @abstractmethod
    async def _add(self, add: Add) -> int | Added:
        """Store an animal, and return its id, or what was stored with its key before."""


class Select(NamedTuple):
    """A query for a page, which asks for one row more to see if others follow; or for an animal."""

    text: str
    limit: int
    last: int  # the highest id that the page may have; the animal's
    status: str | None = None

    def arguments(self) -> dict[str, Any]:
        """Return what the placeholders stand for."""
        return {"limit": self.limit, "last": self.last, "status": self.status}


class StoredPet(NamedTuple):
    """An animal as read from the database, where it was checked before it was stored.

    It is a tuple and not ``models.Pet``, since checking it again would double the time of a page.
    """

    id: int
    name: str
    category_id: int
    status: str | None

    @classmethod
    def of(cls, pet_id: int, new_pet: NewPet) -> StoredPet:
        """Return a new animal, which now has its id."""
        return cls(pet_id, new_pet.name, new_pet.category_id, new_pet.status)


class Added(NamedTuple):
    """What the first request with an idempotency key stored."""

    pet_id: int  # the animal may have been changed or deleted since
    digest: bytes  # of what the request had in its body


class Add(NamedTuple):
    """What one request stores."""

    row: NewRow
    key: bytes | None  # with a digest, or without both
    digest: bytes | None

    @classmethod
    def of(cls, new_pet: NewPet, key: bytes | None) -> Add:
        """Return what is stored of a new animal and its key."""
        return cls(new_row(new_pet), key, None if key is None else digest_of(new_pet))


def digest_of(new_pet: NewPet) -> bytes:
    """Return the digest of a parsed body, which is stored, and must stay as it is for ever."""
    name, category_id, status = new_row(new_pet)
    hashed = blake2b(f"{category_id} {status or ''} ".encode(), digest_size=DIGEST_BYTES)
    hashed.update(name)
    return hashed.digest()


class StoredPage(NamedTuple):
    """A page of animals, newest first, and where the next page starts."""

    pets: tuple[StoredPet, ...]
    next_before: int | None  # the next page holds ids below this one; None at the end

    @classmethod
    def of(
        cls, found: Sequence[Row], shown: Sequence[Row], names: Mapping[int, bytes]
    ) -> StoredPage:
        """Return a page of animals.

        Args:
            found: rows of the query, which asks for one more than the page may have.
            shown: the first of them, as many as ``that_fit``.
            names: the starts of their large names by id, each at most NAME_BYTES.
        """
        # Bytes that are not UTF-8, of an operator's SQL import, become �.
        pets = [
            StoredPet(
                pet_id,
                _bounded(names[pet_id], size) if name is None else name.decode("utf-8", "replace"),
                category_id,
                status,
            )
            for pet_id, name, category_id, status, size in shown
        ]
        return cls(tuple(pets), None if len(shown) == len(found) else shown[-1][0])


def new_row(new_pet: NewPet) -> NewRow:
    """Return the column values of a new animal."""
    status = None if new_pet.status is None else new_pet.status.value
    return new_pet.name.encode(), new_pet.category_id, status


def that_fit(rows: list[Row]) -> list[Row]:
    """Return the first rows, as many as fit into a page: at least one, if there is one."""
    if not large_names(rows):
        return rows
    total = 0
    for count, (*_, size) in enumerate(rows):
        total += min(size, NAME_BYTES)
        if count and total > PAGE_BYTES:
            return rows[:count]
    return rows


def large_names(rows: Sequence[Row]) -> list[int]:
    """Return the ids of the rows whose names have yet to be read."""
    return [row[0] for row in rows if row[1] is None]


def _bounded(start: bytes, size: int) -> str:
    """Return a name as it fits into a response.

    Another program may have stored names that are too large for a response; such a name is cut,
    and its size is added.

    Args:
        start: of the name in UTF-8, at most NAME_BYTES.
        size: bytes of the whole name.
    """
    if size <= NAME_BYTES:
        name = start.decode(errors="replace")
        if size * 6 <= NAME_BYTES or len(encode_basestring(name).encode()) - 2 <= NAME_BYTES:
            return name
    shown = start[: SHOWN_CHARACTERS * 4].decode(errors="ignore")[:SHOWN_CHARACTERS]
    return f"{shown}… ({size} bytes)"
