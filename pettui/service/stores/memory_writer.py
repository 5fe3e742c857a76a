"""Writes to a store in memory: there is no disk to wait for, but there may be bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pettui.service.stores.sqlite_insert import insert
from pettui.service.stores.store import StoreFullError, row

if TYPE_CHECKING:
    import sqlite3

    from pettui.models import NewPet


@dataclass(frozen=True, slots=True)
class MemoryBounds:
    """How much may be added to a store in memory."""

    animals: int
    name_bytes: int  # of all names together, in UTF-8


# A demo has one visitor, but a process has many demos.
DEMO_BOUNDS: Final = MemoryBounds(animals=1000, name_bytes=1024 * 1024)


class MemoryWriter:
    """Inserts new animals over the store's own connection, as many as its bounds allow."""

    def __init__(self, connection: sqlite3.Connection, bounds: MemoryBounds | None = None) -> None:
        self._connection = connection
        self._bounds = bounds
        self._animals = 0
        self._name_bytes = 0

    async def create_pet(self, new_pet: NewPet) -> int:
        """Store an animal, and return its id.

        Raises:
            StoreFullError: it would exceed the bounds.
        """
        values = row(new_pet)
        self._check_bounds(len(values[0]))
        pet_id = insert(self._connection, [values])[0]
        self._animals += 1
        self._name_bytes += len(values[0])
        return pet_id

    async def close(self) -> None:
        """Do nothing: the store closes the connection."""

    def _check_bounds(self, size: int) -> None:
        if self._bounds is None:
            return
        if self._animals >= self._bounds.animals:
            raise StoreFullError(f"This demo takes at most {self._bounds.animals} new animals")
        if self._name_bytes + size > self._bounds.name_bytes:
            most = self._bounds.name_bytes
            raise StoreFullError(f"This demo takes at most {most} bytes of new names in total")
