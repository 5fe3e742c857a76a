"""ScreenOpener: opens other screens from the list, and handles their results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.client import UnreadablePet
from pettui.rows import id_of, pets_of
from pettui.tui.lists.listing import WantedPet

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from datetime import datetime

    from pettui.models import Pet
    from pettui.tui.screens.browsing.shown_list import ShownList


class ScreenOpener:
    """An animal opens with its neighbours in the order shown; an unreadable row as text."""

    def __init__(self, screen: ShownList, load_next: Callable[[], Awaitable[None]]) -> None:
        """Keep the list, and what loads its next page."""
        self._screen = screen
        self._session = screen.session
        self._load_next = load_next

    async def form(self) -> None:
        """Open the form; it is ready for the next key when this returns."""
        await self._screen.app.run_action("app.open_form")

    async def outbox(self) -> None:
        """Open the outbox."""
        from pettui.tui.screens.outbox import OutboxScreen

        await self._screen.app.push_screen(OutboxScreen(self._session))

    async def receipt(self) -> None:
        """Show what was added in this session."""
        from pettui.tui.screens.receipt import ReceiptScreen

        await self._screen.app.push_screen(ReceiptScreen(self._session))

    async def row(self) -> None:
        """Open the animal under the cursor, or show the text of an unreadable row."""
        row, listing = self._screen.table.highlighted, self._screen.listing
        if isinstance(row, UnreadablePet):
            await self._open_unreadable(row)
        elif row is not None and listing is not None:
            await self._open_pet(row, listing.answered_at)

    async def _open_unreadable(self, unreadable: UnreadablePet) -> None:
        from pettui.tui.screens.boxes import TextViewScreen

        title = f"Row {unreadable.index + 1} is not an animal"
        text = f"{unreadable.reason}\n\n{unreadable.excerpt}"
        view = TextViewScreen(self._session.glyphs, [(title, text)])
        await self._screen.app.push_screen(view)

    async def _open_pet(self, pet: Pet, at: datetime) -> None:
        from pettui.tui.screens.pet_detail import PetDetailScreen

        pets = pets_of(self._screen.table.rows)
        index = next(i for i, each in enumerate(pets) if each is pet)
        detail = PetDetailScreen(self._session, pets, index, at, more=self._more_pets)
        await self._screen.app.push_screen(detail, self._follow)

    async def _more_pets(self) -> list[Pet]:
        await self._load_next()
        return pets_of(self._screen.table.rows)

    async def by_id(self, pet_id: int, known: Pet | None) -> None:
        """Open an animal by its id, and what is known of it."""
        from pettui.tui.screens.pet_detail import PetDetailScreen

        listing, now = self._screen.listing, self._session.clock.now()
        at = now if listing is None else listing.answered_at
        detail = PetDetailScreen(self._session, [known or WantedPet(pet_id)], 0, at)
        await self._screen.app.push_screen(detail, self._follow)

    def _follow(self, pet_id: int | None) -> None:
        table = self._screen.table
        if pet_id is not None and id_of(table.highlighted) != pet_id:
            table.go_to(pet_id)
