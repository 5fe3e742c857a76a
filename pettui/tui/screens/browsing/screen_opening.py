"""ScreenOpening: the screens that the list opens, and what comes back from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pettui.client import UnreadablePet
from pettui.tui.rows.counting import id_of, pets_of
from pettui.tui.rows.row_view import WantedPet

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from datetime import datetime

    from pettui.models import Pet
    from pettui.tui.screens.browsing.shown_list import ShownList


class ScreenOpening:
    """An animal opens with those around it in the order shown; other rows as the text they are."""

    def __init__(self, screen: ShownList, load_next: Callable[[], Awaitable[None]]) -> None:
        """Take the list, and what loads the rows behind the last one."""
        self._screen = screen
        self._session = screen.session
        self._load_next = load_next

    async def form(self) -> None:
        """Open the form. It is there when this returns: the next key is typed into it."""
        from pettui.tui.screens.adding.pet_create import PetCreateScreen

        pets = self._screen.listing.pets if self._screen.listing else ()
        await self._screen.app.push_screen(PetCreateScreen(self._session, pets))

    async def outbox(self) -> None:
        """Show all entries; one that is taken out there stands in the form."""

        from pettui.tui.screens.outbox import OutboxScreen

        async def go_on(is_edited: bool | None) -> None:
            if is_edited:
                await self.form()

        await self._screen.app.push_screen(OutboxScreen(self._session), go_on)

    async def receipt(self) -> None:
        """Show what was added in this session."""
        from pettui.tui.screens.receipt import ReceiptScreen

        await self._screen.app.push_screen(ReceiptScreen(self._session))

    async def row(self) -> None:
        """Open the animal under the cursor, or show what stands there in place of one."""
        row, listing = self._screen.table.highlighted, self._screen.listing
        if isinstance(row, UnreadablePet):
            await self._open_unreadable(row)
        elif row is not None and listing is not None:
            await self._open_pet(row, listing.answered_at)

    async def _open_unreadable(self, unreadable: UnreadablePet) -> None:
        from pettui.tui.screens.boxes.text_view import TextViewScreen

        title = f"Row {unreadable.index + 1} is no animal"
        text = f"{unreadable.reason}\n\n{unreadable.excerpt}"
        view = TextViewScreen(self._session.look, [(title, text)])
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
        """Open an animal of any id, with what is known of it."""
        from pettui.tui.screens.pet_detail import PetDetailScreen

        listing, now = self._screen.listing, self._session.clock.now()
        at = now if listing is None else listing.answered_at
        detail = PetDetailScreen(self._session, [known or WantedPet(pet_id)], 0, at)
        await self._screen.app.push_screen(detail, self._follow)

    def _follow(self, pet_id: int | None) -> None:
        table = self._screen.table
        if pet_id is not None and id_of(table.highlighted) != pet_id:
            table.go_to(pet_id)
