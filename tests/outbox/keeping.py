"""A client of a service that adds once what comes with a key, with scripted responses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.client import ErrorBodyError, PetAnswer, PetPage
from pettui.models.pets import ErrorBody
from pettui.models.validation import pet_of
from tests.outbox.scripted import REQUEST, ScriptedClient

if TYPE_CHECKING:
    from pettui.client import OnWait
    from pettui.models.pets import NewPet, Pet, PetStatus

STORE = "0123456789abcdef0123456789abcdef"
OTHER_STORE = STORE[::-1]


class Lost(Exception):
    """In a script: the animal is stored, and then this error is raised."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


class Unconfirmed(Exception):
    """In a script: the animal is stored, and the answer does not send the key back."""


class KeepingClient(ScriptedClient):
    """Stands in for PetClient as ScriptedClient does, of a store that promises to add once."""

    def __init__(self, store_id: str | None = STORE) -> None:
        super().__init__()
        self.store_id = store_id
        self.stored: dict[str | None, Pet] = {}  # by key; of those without one the newest

    @property
    def names(self) -> list[str]:
        """The names of all that is stored, in order."""
        return [pet.name for pet in self.added]

    async def create_pet(
        self,
        new_pet: NewPet,
        *,
        on_wait: OnWait | None = None,  # noqa: ARG002 - nothing is tried again here
        idempotency_key: str | None = None,
        store_id: str | None = None,
    ) -> PetAnswer:
        self.sent.append(new_pet)
        self.keys.append((idempotency_key, store_id))
        self.when_sent(new_pet)
        if self.limited is not None:
            self.limited.check()
        self.out += 1
        try:
            await self.may_respond.wait()
        finally:
            self.out -= 1
        script = self.refused.get(new_pet.name) or (self.adds.pop(0) if self.adds else None)
        if isinstance(script, Exception) and not isinstance(script, Lost | Unconfirmed):
            raise script
        if store_id not in (None, self.store_id):
            body = ErrorBody(code="other_store", message="No.", status=412)
            raise ErrorBodyError(412, body, store_id=self.store_id)
        pet = self.stored.get(idempotency_key) if idempotency_key and self.store_id else None
        if pet is None:
            pet = pet_of({"id": len(self.added) + 1, **new_pet.body()})
            self.added.append(pet)
            self.stored[idempotency_key] = pet
        if isinstance(script, Lost):
            raise script.error
        confirms = idempotency_key is not None and not isinstance(script, Unconfirmed)
        return PetAnswer(pet, (), 0.0, store_id=self.store_id if confirms else None)

    async def list_pets(
        self,
        limit: int = 20,
        status: PetStatus | None = None,
        *,
        on_wait: object = None,  # noqa: ARG002 - nothing is tried again here
        idempotency_key: str | None = None,
    ) -> PetPage:
        self.listed.append((limit, status))
        if self.limited is not None:
            self.limited.check()
        answer = self.lists.pop(0) if self.lists else []
        if isinstance(answer, Exception):
            raise answer
        store_id = self.store_id if idempotency_key is not None else None
        return PetPage(tuple(answer), (), 0.0, None, REQUEST, store_id=store_id)
