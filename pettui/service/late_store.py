"""A store whose database is not there yet, such as after a power cut in which it starts later."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING, Final

from pettui.service.stores.store import NotStoredError, StoreAwayError, StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pettui.models.pets import NewPet, PetStatus
    from pettui.service.database_trouble import DatabaseTrouble
    from pettui.service.stores.store import Added, Store, StoredPage, StoredPet

RETRY_SECONDS: Final = 5.0
LOG_SECONDS: Final = 30.0

logger = logging.getLogger(__name__)


class LateStore:
    """A ``Store`` that can be used once its database can; until then every use of it fails."""

    def __init__(self, connect: Callable[[], Awaitable[Store]], reason: str) -> None:
        """Begin without a database.

        Args:
            connect: opens the store, and raises StoreAwayError while it cannot.
            reason: why it could not at first.
        """
        self._connect = connect
        self._reason = reason
        self._store: Store | None = None

    @property
    def store_id(self) -> str | None:
        """Of the database; None until it is there."""
        return None if self._store is None else self._store.store_id

    @property
    def is_open(self) -> bool:
        """Whether its database came."""
        return self._store is not None

    async def open(self, trouble: DatabaseTrouble) -> None:
        """Try again until the database is there; the log has the reason, each half minute.

        Raises:
            StoreError: there it is, and it can't be used.
        """
        logged = time.monotonic()
        while self._store is None:
            try:
                with trouble.watched(is_read=True):
                    self._store = await self._tried()
            except StoreUnavailableError:
                if time.monotonic() - logged >= LOG_SECONDS:
                    logged = time.monotonic()
                    logger.warning("the database is still awaited: %s", self._reason)
                await asyncio.sleep(RETRY_SECONDS)

    async def _tried(self) -> Store:
        try:
            return await self._connect()
        except StoreAwayError as error:
            self._reason = str(error)
            raise StoreUnavailableError(self._reason) from None

    def _opened(self) -> Store:
        if self._store is None:
            raise StoreUnavailableError(self._reason)
        return self._store

    async def list_pets(
        self, limit: int, status: PetStatus | None = None, before: int | None = None
    ) -> StoredPage:
        """Return a page of animals, once there are any."""
        return await self._opened().list_pets(limit, status, before)

    async def create_pet(self, new_pet: NewPet, key: bytes | None = None) -> StoredPet:
        """Store an animal, once it can be."""
        if self._store is None:
            raise NotStoredError(self._reason)
        return await self._store.create_pet(new_pet, key)

    async def find_added(self, key: bytes) -> Added | None:
        """Return what was stored with an idempotency key, once that can be known."""
        return await self._opened().find_added(key)

    async def get_pet(self, pet_id: int) -> StoredPet | None:
        """Return one animal, once there are any."""
        return await self._opened().get_pet(pet_id)

    async def close(self) -> None:
        """Close the database, if it came."""
        if self._store is not None:
            await self._store.close()
