"""One request to the service, and what its outcome means for those behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.client import PetClientError
from pettui.json_types import reason_of
from pettui.outbox.entries import Entry, EntryState
from pettui.outbox.sending.outcome import after_list, outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from pettui.client import Notice, PendingRetry, PetAnswer, PetClient
    from pettui.models import NewPet, Pet
    from pettui.outbox.background_errors import Faults
    from pettui.outbox.sending.circuit_breaker import CircuitBreaker


class Attempts:
    """Adds an animal, or asks whether the service answers; raises nothing but CancelledError."""

    def __init__(
        self,
        client: Callable[[], PetClient],
        breaker: CircuitBreaker,
        faults: Faults,
        on_error: Callable[[PetClientError], None] = lambda _: None,
    ) -> None:
        """Take who sends, what is stopped by failures, and who is told of the service's errors."""
        self.notices: tuple[Notice, ...] = ()  # of the newest answer of createPet
        self._client = client
        self._breaker = breaker
        self._faults = faults
        self._on_error = on_error
        self._ids: set[int] = set()  # that the service gave so far
        self._lost: list[Entry] = []  # answers never came since a list was asked for

    async def add(self, entry: Entry) -> Entry:
        """Send an entry, once, and return what became of it."""
        client = self._client()
        try:
            new_pet = _new_pet_of(entry)
        except ValueError as error:
            return entry.becoming(EntryState.REFUSED, error=str(error))
        try:
            answer = await client.create_pet(new_pet, on_wait=_give_up)
        except PetClientError as error:
            return self._failed(entry, client, error)
        except Exception as error:  # noqa: BLE001 - a bug costs one entry its certainty, no more
            reason = self._faults.tell("sending", error)
            return self._unknown(entry, reason)
        self.notices = answer.notices
        return self._added(entry, answer)

    async def ask(self) -> None:
        """Ask for a list of one, which is safe, before the next add is risked."""
        client = self._client()
        try:
            page = await client.list_pets(limit=1)
        except PetClientError as error:
            self._on_error(error)
            if not self._is_of_former_key(client, error):
                self._breaker.failed(after_list(error), error)
        except Exception as error:  # noqa: BLE001 - a bug is as good as no answer
            self._breaker.pause(self._faults.tell("asking for a list", error), probe_first=True)
        else:
            self._breaker.probed(is_seen=any(self._is_lost_one(pet) for pet in page.pets))
            self._lost.clear()

    def _failed(self, entry: Entry, client: PetClient, error: PetClientError) -> Entry:
        self._on_error(error)
        self.notices = error.notices or self.notices
        failed = outcome(entry, error)
        if failed.entry.state is EntryState.UNKNOWN:
            self._lost.append(entry)
            self._breaker.lose_certainty(str(error), error.retry_after)
        elif not self._is_of_former_key(client, error):
            self._breaker.failed(failed.then, error)
        return failed.entry

    def _is_lost_one(self, pet: Pet) -> bool:
        """Whether an animal is one whose answer was lost; good enough to judge the service by."""
        same = [(entry.name, entry.category_id) for entry in self._lost]
        return (pet.name, pet.category_id) in same and pet.id not in self._ids

    def _is_of_former_key(self, client: PetClient, error: PetClientError) -> bool:
        """Whether the service refused a key that was replaced while the request was out."""
        return client is not self._client() and error.status == 401

    def _added(self, entry: Entry, answer: PetAnswer) -> Entry:
        pet_id = answer.pet.id
        if pet_id in self._ids:
            # An answer that came twice, and was taken for the answer to the next request.
            again = f"the answer gives id {pet_id}, which another animal has"
            return self._unknown(entry, again)
        self._breaker.succeeded()
        self._ids.add(pet_id)
        odd = "; ".join(answer.remarks) or None
        return entry.added_as(answer.pet, odd=odd)

    def _unknown(self, entry: Entry, reason: str) -> Entry:
        self._breaker.lose_certainty(reason)
        return entry.becoming(EntryState.UNKNOWN, error=reason)


def _give_up(waiting: PendingRetry) -> None:
    """Let the outbox do the waiting: during a call nobody could tell that nothing is out."""
    raise waiting.error


def _new_pet_of(entry: Entry) -> NewPet:
    """Return what is sent; ValueError for what the interface cannot say."""
    from pettui.models import NewPet, PetStatus

    status = None if entry.status is None else PetStatus(entry.status)
    try:
        return NewPet(name=entry.name, categoryId=entry.category_id, status=status)
    except ValueError as error:
        raise ValueError(reason_of(error)) from error
