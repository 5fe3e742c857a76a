"""Attempts: one request to the service, and what its outcome means for the entries behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.client import PetClientError
from pettui.outbox.entries import Entry, EntryState
from pettui.outbox.lost_adds import find_lost_add
from pettui.outbox.sending.outcome import after_probe, outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pettui.client import Notice, PendingRetry, PetAnswer, PetClient
    from pettui.models import NewPet, Pet
    from pettui.outbox.background_errors import Faults
    from pettui.outbox.sending.circuit_breaker import CircuitBreaker


class Attempts:
    """Adds an animal, or probes the service; raises nothing but CancelledError."""

    def __init__(
        self,
        client: Callable[[], PetClient],
        breaker: CircuitBreaker,
        faults: Faults,
        on_error: Callable[[PetClientError], None] = lambda _: None,
    ) -> None:
        """Start without an attempt; ``on_error`` is called with the service's errors."""
        self.notices: tuple[Notice, ...] = ()  # of the newest response of createPet
        self._client = client
        self._breaker = breaker
        self._faults = faults
        self._on_error = on_error
        self._ids: set[int] = set()  # of the animals added so far
        self._lost: list[Entry] = []  # whose responses were lost since the last probe

    async def add(self, entry: Entry) -> Entry:
        """Send an entry once, and return what became of it."""
        client = self._client()
        try:
            new_pet = _new_pet_of(entry)
        except ValueError as error:
            return entry.becoming(EntryState.REFUSED, error=str(error))
        try:
            response = await client.create_pet(new_pet, on_wait=_give_up)
        except PetClientError as error:
            return self._failed(entry, client, error)
        except Exception as error:  # noqa: BLE001 - a bug leaves one entry unknown, no more
            reason = self._faults.report("sending", error)
            return self._unknown(entry, reason)
        self.notices = response.notices
        return self._added(entry, response)

    async def probe(self) -> None:
        """Load a list of one, which is safe, before the next entry is sent."""
        client = self._client()
        try:
            page = await client.list_pets(limit=1)
        except PetClientError as error:
            self._on_error(error)
            if not self._is_of_former_key(client, error):
                self._breaker.failed(after_probe(error), error)
        except Exception as error:  # noqa: BLE001 - a bug counts as no response
            self._breaker.back_off(self._faults.report("loading a list", error), probe_first=True)
        else:
            self._breaker.probed(is_seen=self._shows_lost_one(page.pets))
            self._lost.clear()

    def _failed(self, entry: Entry, client: PetClient, error: PetClientError) -> Entry:
        self._on_error(error)
        self.notices = error.notices or self.notices
        failed = outcome(entry, error)
        if failed.entry.state is EntryState.UNKNOWN:
            self._lost.append(entry)
            self._breaker.outcome_unknown(str(error), error.retry_after)
        elif not self._is_of_former_key(client, error):
            self._breaker.failed(failed.then, error)
        return failed.entry

    def _shows_lost_one(self, pets: Sequence[Pet]) -> bool:
        """Whether an animal seems to be one whose response was lost."""
        return any(find_lost_add(entry, pets, self._ids) is not None for entry in self._lost)

    def _is_of_former_key(self, client: PetClient, error: PetClientError) -> bool:
        """Whether the service refused a key that was replaced while the request was out."""
        return client is not self._client() and error.status == 401

    def _added(self, entry: Entry, response: PetAnswer) -> Entry:
        pet_id = response.pet.id
        if pet_id in self._ids:
            # A response that came twice, and was taken for that to the next request.
            reason = f"the response has id {pet_id}, which another animal has"
            return self._unknown(entry, reason)
        self._breaker.succeeded()
        self._ids.add(pet_id)
        odd = "; ".join(response.remarks) or None
        return entry.added_as(response.pet, odd=odd)

    def _unknown(self, entry: Entry, reason: str) -> Entry:
        self._breaker.outcome_unknown(reason)
        return entry.becoming(EntryState.UNKNOWN, error=reason)


def _give_up(waiting: PendingRetry) -> None:
    """Fail at once, and leave the waiting to the outbox: it shows that no request is out."""
    raise waiting.error


def _new_pet_of(entry: Entry) -> NewPet:
    """Return what is sent; raises ValueError for what the interface does not allow."""
    from pettui.validation import new_pet_of

    status = {} if entry.status is None else {"status": entry.status}
    return new_pet_of({"name": entry.name, "categoryId": entry.category_id, **status})
