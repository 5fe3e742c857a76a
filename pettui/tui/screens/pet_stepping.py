"""PetStepping: the way from one animal of a list to the next."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pettui.tui.rows.row_view import WantedPet

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from textual.worker import Worker

    from pettui.models import Pet
    from pettui.tui.screens.store_screen import StoreScreen


class PetStepping:
    """The animals that can be gone through, and which of them is shown."""

    def __init__(
        self,
        screen: StoreScreen[Any],
        pets: Sequence[Pet | WantedPet],
        place: int,
        more: Callable[[], Awaitable[Sequence[Pet]]] | None,
        show: Callable[[], None],
    ) -> None:
        """Take the animals.

        Args:
            screen: shows one of them.
            pets: in the order of the list.
            place: the index of the first one to be shown.
            more: loads those behind the last one, and returns all.
            show: shows another one.
        """
        self._screen = screen
        self._pets = pets
        self._place = place
        self._more = more
        self._show = show
        self._loading: Worker[None] | None = None

    @property
    def known(self) -> list[Pet]:
        """The animals that can be gone through, as far as they are known."""
        return [pet for pet in self._pets if not isinstance(pet, WantedPet)]

    @property
    def pet(self) -> Pet | WantedPet:
        """The animal that is shown, as the list knew it."""
        return self._pets[self._place]

    @property
    def position(self) -> str:
        """Which animal of how many this is, in words; "" for the only one."""
        return f"{self._place + 1} of {len(self._pets)}" if len(self._pets) > 1 else ""

    @property
    def has_others(self) -> bool:
        """Whether there is another animal, or may be once more are loaded."""
        return len(self._pets) > 1 or self._more is not None

    def step(self, places: int) -> None:
        """Go to the next or previous animal; behind the last one, load more."""
        if self._place + places >= len(self._pets) and self._more is not None:
            if self._loading is None or self._loading.is_finished:
                self._loading = self._screen.run_worker(partial(self._load_more, self._more))
            return
        place = max(0, min(self._place + places, len(self._pets) - 1))
        if place != self._place:
            self._place = place
            self._show()

    async def _load_more(self, more: Callable[[], Awaitable[Sequence[Pet]]]) -> None:
        """Go to the animal behind this one, once it is loaded."""
        shown, count = self.pet.id, len(self._pets)
        with self._screen.request.waiting("asking for the next page"):
            pets = await more()
        place = next((i for i, pet in enumerate(pets) if pet.id == shown), None)
        if place is None or len(pets) <= count:
            return
        self._pets, self._place = pets, place if self.pet.id == shown else self._place
        if self.pet.id == shown and place + 1 < len(pets):
            self.step(1)
