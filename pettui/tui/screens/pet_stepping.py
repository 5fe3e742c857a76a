"""PetStepping: moves from one animal of a list to the next."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pettui.tui.lists.listing import WantedPet

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from textual.worker import Worker

    from pettui.models import Pet
    from pettui.tui.screens.store_screen import StoreScreen


class PetStepping:
    """The animals to step through, and which of them is shown."""

    def __init__(
        self,
        screen: StoreScreen[Any],
        pets: Sequence[Pet | WantedPet],
        index: int,
        more: Callable[[], Awaitable[Sequence[Pet]]] | None,
        show: Callable[[], None],
    ) -> None:
        """Start with one of the animals.

        Args:
            screen: shows one of them.
            pets: in the order of the list.
            index: of the one to be shown first.
            more: loads further ones, and returns all.
            show: shows another one.
        """
        self._screen = screen
        self._pets = pets
        self._index = index
        self._more = more
        self._show = show
        self._loading: Worker[None] | None = None

    @property
    def known(self) -> list[Pet]:
        """The animals to step through, as far as they are known."""
        return [pet for pet in self._pets if not isinstance(pet, WantedPet)]

    @property
    def pet(self) -> Pet | WantedPet:
        """The animal that is shown, as it was listed."""
        return self._pets[self._index]

    @property
    def position(self) -> str:
        """Which animal of how many this is, in words; "" for the only one."""
        return f"{self._index + 1} of {len(self._pets)}" if len(self._pets) > 1 else ""

    @property
    def has_others(self) -> bool:
        """Whether there are other animals, or may be after loading more."""
        return len(self._pets) > 1 or self._more is not None

    def step(self, by: int) -> None:
        """Go to the next or previous animal; after the last one, load more."""
        if self._index + by >= len(self._pets) and self._more is not None:
            if self._loading is None or self._loading.is_finished:
                self._loading = self._screen.run_worker(partial(self._load_more, self._more))
            return
        self.go_to(max(0, min(self._index + by, len(self._pets) - 1)))

    def go_to(self, index: int) -> None:
        """Go to one of the animals that are loaded; -1 is the last."""
        index %= len(self._pets)
        if index != self._index:
            self._index = index
            self._show()

    async def _load_more(self, more: Callable[[], Awaitable[Sequence[Pet]]]) -> None:
        """Load more animals, then go to the next one."""
        shown, count = self.pet.id, len(self._pets)
        with self._screen.request.busy("loading the next page"):
            pets = await more()
        index = next((i for i, pet in enumerate(pets) if pet.id == shown), None)
        if index is None or len(pets) <= count:
            return
        self._pets, self._index = pets, index if self.pet.id == shown else self._index
        if self.pet.id == shown and index + 1 < len(pets):
            self.step(1)
