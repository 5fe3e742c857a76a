"""PetLoader: loads one animal by getPet or, once that is gone, by its replacement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from pettui.client import ANNOUNCED, NOT_FOUND, ErrorBodyError, PetClientError, is_gone
from pettui.models import PetStatus
from pettui.settings import LIMIT_MAXIMUM

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pettui.client import Notice
    from pettui.models import Pet
    from pettui.tui.lists.listing import WantedPet
    from pettui.tui.screens.background_request import BackgroundRequest
    from pettui.tui.user_session import UserSession


class PetEvents(Protocol):
    """The screen of an animal, as far as its loader calls it."""

    def show_loaded(self, pet: Pet | WantedPet, source: str, age: str, remark: str = "") -> None:
        """Show an animal, where it is from, and when; ``remark`` says if it was not found."""

    def show_missing(self) -> None:
        """Show that the service has no such animal."""

    def show_notices(self, more: Iterable[Notice] = (), remarks: Iterable[str] = ()) -> None:
        """Show the loader's notices, further ones, and remarks on the response."""

    def show_failure(self, error: PetClientError) -> None:
        """Show why loading failed."""


class PetLoader:
    """Keeps the notices of getPet, which hold for every animal."""

    def __init__(self, session: UserSession, request: BackgroundRequest, events: PetEvents) -> None:
        self.notices: tuple[Notice, ...] = (ANNOUNCED,)
        self._session = session
        self._request = request
        self._events = events

    def load(self, pet: Pet | WantedPet) -> None:
        """Load an animal in the background, in place of another."""
        self._request.send(self._load, pet)

    async def _load(self, pet: Pet | WantedPet) -> None:
        try:
            with self._request.busy(f"loading animal {pet.id}"):
                response = await self._session.client.get_pet(
                    pet.id, on_wait=self._request.count_down
                )
        except PetClientError as error:
            # Announced notices stay anyway.
            own = tuple(each for each in error.notices if not each.announced)
            self.notices = own or self.notices
            self._events.show_notices()
            await self._refused(pet, error)
            return
        age = self._session.age(self._session.clock.now(), response.elapsed)
        self.notices = response.notices
        self._events.show_loaded(response.pet, f"confirmed {age}", age)
        self._events.show_notices(remarks=response.remarks)

    async def _refused(self, pet: Pet | WantedPet, error: PetClientError) -> None:
        if is_gone(error, self._session.clock.now().date()):
            await self._look_up(pet)
            return
        self._events.show_failure(error)
        if isinstance(error, ErrorBodyError) and error.status == NOT_FOUND:
            self._events.show_missing()

    async def _look_up(self, pet: Pet | WantedPet) -> None:
        """Look the animal up by the stated replacement of getPet: the list of its status.

        A list of at most 100 cannot prove that an animal is gone.
        """
        status = pet.status if isinstance(pet.status, PetStatus) else None
        try:
            with self._request.busy(f"looking for animal {pet.id} in the list"):
                page = await self._session.client.list_pets(
                    LIMIT_MAXIMUM, status, on_wait=self._request.count_down
                )
        except PetClientError as error:
            self._events.show_notices(error.notices)
            self._events.show_failure(error)
            return
        found = next((each for each in page.pets if each.id == pet.id), None)
        age = self._session.age(self._session.clock.now(), page.elapsed)
        source = f"getPet is gone; looked up by GET /pets with the status filter, {age}"
        remark = "" if found is not None else "not among the animals that the service lists"
        self._events.show_loaded(found or pet, source, age, remark)
        self._events.show_notices(page.notices)
